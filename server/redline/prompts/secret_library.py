"""`detect-secrets` as spans in a line; the only module that knows the package.

Its plugins hand out values, sometimes only a part of what they have matched; here their
patterns are used for where a secret starts and ends. None of its checks of keys against
a provider is ever called, and nothing is read from its settings or baselines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from detect_secrets.filters.heuristic import is_potential_uuid
from detect_secrets.plugins import (
    aws,
    azure_storage_key,
    cloudant,
    discord,
    github_token,
    gitlab_token,
    ibm_cloud_iam,
    ibm_cos_hmac,
    keyword,
    mailchimp,
    openai,
    pypi_token,
    sendgrid,
    slack,
    softlayer,
    square_oauth,
    stripe,
    telegram_token,
    twilio,
)
from detect_secrets.plugins.high_entropy_strings import (
    Base64HighEntropyString,
    HexHighEntropyString,
)

_DETECTORS = (
    aws.AWSKeyDetector,
    azure_storage_key.AzureStorageKeyDetector,
    cloudant.CloudantDetector,
    discord.DiscordBotTokenDetector,
    github_token.GitHubTokenDetector,
    gitlab_token.GitLabTokenDetector,
    ibm_cloud_iam.IbmCloudIamDetector,
    ibm_cos_hmac.IbmCosHmacDetector,
    mailchimp.MailchimpDetector,
    openai.OpenAIDetector,
    pypi_token.PypiTokenDetector,
    sendgrid.SendGridDetector,
    slack.SlackDetector,
    softlayer.SoftlayerDetector,
    square_oauth.SquareOAuthDetector,
    stripe.StripeDetector,
    telegram_token.TelegramBotTokenDetector,
    twilio.TwilioKeyDetector,
)
"""All with a format of their own. Left out: artifactory, whose pattern fits many words;
public addresses, which are no secrets; npm, whose pattern takes a time that grows with
the square of the line; URLs, key blocks and JSON Web Tokens, of which
its patterns match only the beginning (see `secret_formats`)."""

_MIN_GROUP = 8
"""A shorter group is the prefix that the pattern looks for, not what it has found."""

_MIN_RANDOM = 20
"""Characters of a random string; shorter ones are mostly hashes and colours."""


_ALPHABET_STEPS = 6
"""In a row; by chance one in 10^8 random strings of 40 characters has as many."""


class Library:
    """The detectors, built once."""

    def __init__(self) -> None:
        self._patterns = tuple(
            pattern for detector in _DETECTORS for pattern in detector().denylist
        )
        self._entropy = (Base64HighEntropyString(), HexHighEntropyString())

    def known_formats(self, line: str) -> Iterator[tuple[int, int]]:
        """Find keys by the formats that providers have given them."""
        for pattern in self._patterns:
            for found in pattern.finditer(line):
                yield _secret_part(found)

    def random_strings(self, line: str) -> Iterator[tuple[int, int]]:
        """Find quoted strings that are too random to have been written by a person."""
        for plugin in self._entropy:
            for found in plugin.regex.finditer(line):
                value = found[2]
                if (
                    len(value) >= _MIN_RANDOM
                    and plugin.calculate_shannon_entropy(value) > plugin.entropy_limit
                    and not _holds_alphabet(value)
                    and not is_potential_uuid(value)
                ):
                    yield found.span(2)

    def named_strings(self, line: str, *, is_config: bool) -> Iterator[tuple[int, int]]:
        """Find what is given to names such as `password`, `api_key` or `secret`."""
        patterns = (
            keyword.CONFIG_DENYLIST_REGEX_TO_GROUP
            if is_config
            else keyword.QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP
        )
        for pattern, group in patterns.items():
            for found in pattern.finditer(line):
                yield found.span(group)


def _holds_alphabet(value: str) -> bool:
    """Say whether a part of a string counts up, character by character."""
    n_steps = 0
    for one, next_one in pairwise(value):
        n_steps = n_steps + 1 if ord(next_one) - ord(one) == 1 else 0
        if n_steps == _ALPHABET_STEPS:
            return True
    return False


def _secret_part(found: re.Match[str]) -> tuple[int, int]:
    spans = [found.span(n) for n in range(1, 1 + found.re.groups)]
    longest = max(spans, key=lambda x: x[1] - x[0], default=(0, 0))
    return longest if longest[1] - longest[0] >= _MIN_GROUP else found.span()
