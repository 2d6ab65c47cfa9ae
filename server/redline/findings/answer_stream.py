"""Reads findings out of an answer while it streams.

The answer should be one JSON object. What comes may stand between fences and chatter,
be broken (quotes and line feeds that are not escaped, commas too many or too few, other
keys), repeat itself, or end anywhere. Each finding is given out as soon as its object
is complete; any chunking of the same text gives the same claims.
"""

from __future__ import annotations

from typing import Literal

from redline.findings.finding import Claim

Ending = Literal["whole", "cut", "no-answer"]
"""`cut`: there is an answer that does not end; `no-answer`: nothing of it is one."""


class FindingStream:
    """Turns the text of an answer into claims; believes nothing and drops nothing.

    What a finding lacks is empty in its claim: see `Judge`, which drops it.
    """

    def feed(self, text: str) -> list[Claim]:
        """Take the next piece of the answer; return the findings that it completes."""
        raise NotImplementedError

    def close(self) -> list[Claim]:
        """Take the end of the answer; return what can be read of the last finding.

        Of a finding that was cut, the fields are given that were complete.
        """
        raise NotImplementedError

    @property
    def ending(self) -> Ending:
        """How the answer ended; final once it is closed."""
        raise NotImplementedError
