"""The formats of secrets by provider.

A format is what a provider documents on its page about keys, or what GitHub's list of
supported secret scanning patterns states for it (both as of November 2026). Most are
prefixes that providers added to their keys so that scanners can find them.
"""

from __future__ import annotations

import re

_FORMATS = {
    "1Password": r"ops_eyJ[\w-]{100,}",
    "Adafruit IO": r"aio_[A-Za-z0-9]{28}\b",
    "Adyen": r"AQE[A-Za-z0-9+/]{60,}",
    "age": r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    "Airtable": r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",
    "Alibaba Cloud": r"LTAI[A-Za-z0-9]{20,}",
    "Anthropic": r"sk-ant-[\w-]{20,}",
    "Artifactory": r"AKCp[A-Za-z0-9]{60,}",
    "Asana": r"[012]/\d{16}:[a-f0-9]{32}",
    "Atlassian": r"AT(?:ATT|CTT)3[\w=-]{60,}|ATBB[A-Za-z0-9]{32}",
    "AWS": (
        r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}"
        r"|ABSK[A-Za-z0-9+/]{100,}={0,2}"
    ),
    "Azure storage": r"(?<=AccountKey=)[A-Za-z0-9+/=]{88}",
    "Azure application": r"[\w.~-]{3}[78]Q~[\w.~-]{31,34}",
    "Brevo": r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}",
    "Buildkite": r"bkua_[a-f0-9]{40}\b",
    "Cerebras": r"csk-[a-z0-9]{40,}",
    "CircleCI": r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}\b",
    "Clojars": r"CLOJARS_[a-f0-9]{60}",
    "Cloudflare": r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}",
    "Contentful": r"CFPAT-[\w-]{40,}",
    "Convex": (
        r"(?:prod|dev|preview):[a-z]{2,20}-[a-z]{2,20}-\d{1,4}\|[A-Za-z0-9+/=]{40,}"
    ),
    "crypt(3) hashes": (
        r"\$(?:[156789y]|gy|2[abxy]|argon2(?:id|[id]))\$[\w./$=,+-]{20,200}"
    ),
    "crates.io": r"cio[A-Za-z0-9]{32}\b",
    "Databricks": r"dapi[a-f0-9]{32}",
    "DigitalOcean": r"do[opr]_v1_[a-f0-9]{64}",
    "Discord": r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}",
    "Discord webhook": r"(?<=/api/webhooks/)\d{17,20}/[\w-]{60,}",
    "Docker Hub": r"dckr_(?:pat|oat)_[\w-]{24,}",
    "Doppler": r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}",
    "Dropbox": r"sl\.(?:u\.)?[\w-]{100,}",
    "Duffel": r"duffel_(?:live|test)_[\w-]{40,}",
    "Dynatrace": r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}",
    "E2B": r"e2b_[a-f0-9]{40}\b",
    "EasyPost": r"EZ[AT]K[A-Za-z0-9]{54}",
    "ElevenLabs": r"sk_[a-f0-9]{48}\b",
    "Facebook": r"EAA[A-Z][A-Za-z0-9]{60,}",
    "Fauna": r"fnA[DEF][\w-]{36,}",
    "Figma": r"figd_[\w-]{30,}",
    "Firebase": r"AAAA[\w-]{7}:[\w-]{140}",
    "Firecrawl": r"fc-[a-f0-9]{32}\b",
    "Fireworks": r"fw_[A-Za-z0-9]{22,}",
    "Fly.io": r"fm[12][ar]?_[A-Za-z0-9+/]{60,}={0,2}|fo1_[\w-]{40,}",
    "Frame.io": r"fio-u-[\w=-]{64}",
    "GitHub": r"gh[pousr]_[A-Za-z0-9_]{36,}|github_pat_\w{22,}",
    "GitLab": (
        r"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-[\w.-]{20,}"
        r"|GR1348941[\w-]{20,}"
    ),
    "Google": r"AIza[\w-]{35}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}|1//0[\w-]{40,}",
    "Grafana": r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9a-z]{8}|glc_[A-Za-z0-9+/=]{40,}",
    "Groq": r"gsk_[A-Za-z0-9]{40,}",
    "HashiCorp Vault": r"hv[sb]\.[\w-]{24,}",
    "Heroku": r"HRKU-[\w-]{50,}",
    "Honeycomb": r"hca[a-z]{2}_[a-z0-9]{58}",
    "HubSpot": r"pat-(?:na|eu)\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
    "Hugging Face": r"(?:hf|api_org)_[A-Za-z0-9]{30,}",
    "Infracost": r"ico-[A-Za-z0-9]{32}",
    "Intra42": r"s-s4t2(?:ud|af)-[a-f0-9]{64}",
    "Jina": r"jina_[A-Za-z0-9]{60}",
    "JSON Web Token": (
        r"(?<![\w-])eyJ[\w-]{8,2000}+={0,2}\.eyJ[\w-]{8,}={0,2}(?:\.[\w-]*)?"
    ),
    "Langfuse, LangSmith": r"sk-lf-[\w-]{20,}|lsv2_[a-z]{2}_[a-f0-9]{32}_[a-f0-9]{10}",
    "Laravel": r"base64:[A-Za-z0-9+/]{43}=",
    "LaunchDarkly": r"(?:sdk|api|mob)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
    "Linear": r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}",
    "Lob": r"(?:live|test)_[a-f0-9]{35}\b",
    "Mailchimp": r"[0-9a-z]{32}-us\d{1,2}\b",
    "Mailgun": r"key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b",
    "Mapbox": r"sk\.eyJ[\w-]{40,}\.[\w-]{20,}",
    "Microsoft Teams": (
        r"(?<=\.webhook\.office\.com/webhookb2/)[a-f0-9@-]{70,80}"
        r"/IncomingWebhook/[a-f0-9]{32}/[a-f0-9-]{36}"
    ),
    "Modal": r"as-(?=[A-Za-z]{0,21}\d)(?=[a-z0-9]{0,21}[A-Z])[A-Za-z0-9]{22}\b",
    "model providers": (
        r"sk-(?:proj|svcacct|admin|or-v1)-[\w-]{20,}|sk-[A-Za-z0-9]{32,}"
    ),
    "Neon": r"npg_(?![a-z]{12}\b)[A-Za-z0-9]{12}\b|napi_[a-z0-9]{48,}",
    "Netlify": r"nf[pcu]_[A-Za-z0-9]{36,}",
    "New Relic": r"NRAK-[A-Z0-9]{27}",
    "Notion": r"ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}\b",
    "npm": r"npm_[A-Za-z0-9]{36}|(?<=_authToken=)[\w-]{36,}",
    "NuGet": r"oy2[a-z0-9]{43}\b",
    "Nvidia": r"nvapi-[\w-]{60,}",
    "PayPal Braintree": (
        r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$?[0-9a-f]{32}"
    ),
    "Perplexity": r"pplx-[A-Za-z0-9]{40,}",
    "Pinecone": r"pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{50,}",
    "Plaid": (
        r"access-(?:production|sandbox|development)"
        r"-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"
    ),
    "PlanetScale": r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}",
    "PostHog": r"ph[xc]_[A-Za-z0-9]{40,}",
    "Postman": r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
    "Prefect": r"pn[ub]_[A-Za-z0-9]{36}\b",
    "Pulumi": r"pul-[a-f0-9]{40}\b",
    "PyPI": r"pypi-[\w-]{60,}",
    "Razorpay": r"rzp_(?:live|test)_[A-Za-z0-9]{14}\b",
    "ReadMe": r"rdme_[a-z0-9]{70}",
    "Render": r"rnd_[A-Za-z0-9]{28,}",
    "Replicate": r"r8_[A-Za-z0-9]{37,}",
    "Resend": r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b",
    "RubyGems": r"rubygems_[a-f0-9]{48}",
    "Scaleway": r"SCW[A-Z0-9]{17}\b",
    "SendGrid": r"SG\.[\w-]{22}\.[\w-]{43}",
    "Sentry": r"sntry[su]_[\w+/=]{40,}",
    "Shippo": r"shippo_(?:live|test)_[a-fA-F0-9]{40}",
    "Shopify": r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    "Slack": (
        r"xox[abposr]-(?:\d+-)+[A-Za-z0-9]+|xapp-\d-\w+-\d+-\w{32,}"
        r"|xoxe(?:\.xox[bp])?-\d-[\w-]{40,}"
        r"|(?<=hooks\.slack\.com/services/)T\w+/B\w+/\w+"
    ),
    "Sonar": r"sq[aup]_[a-f0-9]{40}\b",
    "Sourcegraph": r"sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}",
    "Square": r"sq0(?:atp|csp)-[\w-]{22,}|EAAA[\w-]{60}",
    "Stripe": r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}",
    "SumUp": r"sup_sk_[A-Za-z0-9]{30,}",
    "Supabase": r"sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,}",
    "Tailscale": r"tskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}",
    "Tavily": r"tvly-[\w-]{32,}",
    "Telegram": r"\d{8,10}:[\w-]{35}\b",
    "Tencent Cloud": r"AKID[A-Za-z0-9]{32}\b",
    "Terraform Cloud": r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}",
    "Together": r"tgp_v1_[\w-]{40,}",
    "Twilio": r"(?:AC|SK)[a-z0-9]{32}",
    "Typeform": r"tfp_[\w.=-]{59}",
    "Vercel": (
        r"vc[aikpr]_[A-Za-z0-9]{40,}|vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{24,}"
    ),
    "Voyage": r"pa-[\w-]{43}\b",
    "xAI": r"xai-[A-Za-z0-9]{60,}",
    "Yandex Cloud": r"AQVN[\w-]{35,}",
    "Zapier webhook": r"(?<=hooks\.zapier\.com/hooks/catch/)\d+/[a-z0-9]+",
    "Zoho": r"1000\.[a-f0-9]{32}\.[a-f0-9]{32}\b",
}
"""Patterns of keys by provider. Longer keys are matched whole."""

KEY = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_FORMATS.values())})")

_MIN_BEGUN = 8
"""Fewer characters of a key reveal nothing of it."""

_BEGINNINGS = re.sub(
    r"\{(\d+)(?:,(\d*))?\}",
    lambda x: f"{{{min(int(x[1]), _MIN_BEGUN)},{x[1] if x[2] is None else x[2]}}}",
    "|".join(_FORMATS.values()).replace(r"\b", ""),
)
BEGUN_KEY = re.compile(rf"\A(?:{_BEGINNINGS})\Z")
"""A text that is the beginning of a key."""
