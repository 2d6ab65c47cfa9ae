"""What a secret looks like by itself: the formats that `detect-secrets` does not know.

Mostly prefixes that providers have given their keys since, so that scanners can find
them; each is documented on the provider's page about its keys.
"""

from __future__ import annotations

import re

_KEYS = (
    r"sk-ant-[\w-]{20,}",  # Anthropic
    r"sk-(?:proj|svcacct|admin|or-v1|lf)-[\w-]{20,}",  # OpenAI, OpenRouter, Langfuse
    r"sk-[A-Za-z0-9]{32,}",  # several model providers
    r"AIza[\w-]{35}",  # Google
    r"GOCSPX-[\w-]{20,}",  # Google OAuth client
    r"ya29\.[\w-]{20,}",  # Google OAuth access
    r"github_pat_\w{22,}",
    r"hf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"gsk_[A-Za-z0-9]{40,}",  # Groq
    r"xai-[A-Za-z0-9]{60,}",
    r"csk-[a-z0-9]{40,}",  # Cerebras
    r"r8_[A-Za-z0-9]{37,}",  # Replicate
    r"pplx-[A-Za-z0-9]{40,}",  # Perplexity
    r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{24,}",  # Stripe and Svix webhooks
    r"npm_[A-Za-z0-9]{36}",
    r"(?<=_authToken=)[\w-]{36,}",  # npm, older
    r"xapp-\d-\w+-\d+-\w{32,}",  # Slack application
    r"xoxe(?:\.xox[bp])?-\d-[\w-]{40,}",  # Slack, rotating
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",  # Shopify
    r"dapi[a-f0-9]{32}",  # Databricks
    r"hv[sb]\.[\w-]{24,}",  # HashiCorp Vault
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}",  # Terraform Cloud
    r"do[opr]_v1_[a-f0-9]{64}",  # DigitalOcean
    r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    r"lin_api_[A-Za-z0-9]{40}",  # Linear
    r"ATATT3[\w=-]{60,}",  # Atlassian
    r"sntry[su]_[\w+/=]{40,}",  # Sentry
    r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",  # Postman
    r"NRAK-[A-Z0-9]{27}",  # New Relic
    r"dp\.(?:pt|st|ct)\.[\w.-]{40,}",  # Doppler
    r"key-[0-9a-f]{32}",  # Mailgun
    r"nfp_[A-Za-z0-9]{36,}",  # Netlify
    r"phx_[A-Za-z0-9]{40,}",  # PostHog
    r"(?<=/api/webhooks/)\d{17,20}/[\w-]{60,}",  # Discord webhook
    r"(?<!-)eyJ[\w-]{8,}={0,2}\.eyJ[\w-]{8,}={0,2}(?:\.[\w-]*)?",  # JSON Web Token
)
KEY = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_KEYS)})")

HEADER = re.compile(
    r"(?i)\b(?:bearer|basic)\s+(?=[a-z._~+/-]*\d)([\w.~+/-]{16,}={0,2})"
)
"""An `Authorization` header's credentials (RFC 6750, RFC 7617); they have a digit."""

URL_PASSWORD = re.compile(r"://[^\s/:@\"'<>`]*:([^\s/@\"'<>`]+)@")
"""The password of a URL's user part (RFC 3986 section 3.2.1)."""

ENV_LINE = re.compile(
    r"^\s*(?:(?:export|set|ENV|-e|-)\s+)?"
    r"[A-Z0-9_]*(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|CREDENTIALS?|API_?KEY|"
    r"(?:AUTH|ACCESS|PRIVATE|SIGNING|ENCRYPTION|MASTER)_?KEY)[A-Z0-9_]*"
    r"=(?![\"'])(\S+)"
)
"""An assignment as in `.env` files and shells: an upper-case name and no spaces."""

TOKEN_STRING = re.compile(
    r"(?i)(?:token|credential|passphrase|passcode|bearer|auth)\w{0,30}[\"'\]]{0,2}"
    r"\s*(?::=|={1,3}|:|=>|,|\()\s*([\"'`])(?=[^\"'`]*\d)(?=[^\"'`]*[a-z])([\w.~+/=-]{16,})\1"
)
"""A string with a digit and a letter, given to a name that is not on the list of
`detect-secrets`."""

PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"((?:(?!-----END )[A-Za-z0-9+/=\s\\\"',:.;+-])*)"
)
"""What follows the first line of a key block (RFC 7468), whether its end is there."""

_MARGIN = r"[ \t\"']{0,40}"
KEY_LINES = re.compile(
    rf"(?m)^{_MARGIN}(?=\S{{0,76}}[0-9])(?=\S{{0,76}}[A-Z])(?=\S{{0,76}}[a-z])"
    r"[A-Za-z0-9+/]{60,76}\S{0,6}\n"
    rf"(?:{_MARGIN}[A-Za-z0-9+/]{{60,76}}\S{{0,6}}\n)*"
    rf"(?:{_MARGIN}[A-Za-z0-9+/]{{4,76}}={{0,2}})?"
)
"""Whole lines of base64 (RFC 7468 section 2): the inside of a block that was cut."""

MIN_KEY_LINE, MAX_KEY_LINE = 60, 122
"""Characters of the shortest and the longest whole line of such a block."""

MIN_KEY_CHARS = 40
"""Below this there is no key between two markers, only code that names them."""
