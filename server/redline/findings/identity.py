"""The identity of a finding: the file, the kind of fault, and the quoted lines.

Blank lines and blanks around a line do not count, so the identity stays the same when
lines move or are indented differently. Equal places in a file have different
identities.
"""

from __future__ import annotations

from hashlib import sha256

_N_DIGITS = 16
"""64 bits: a million findings hold a chance collision once in 40 million cases."""


def fingerprint(*, file: str, code: str, quote: str, occurrence: int = 0) -> str:
    """Hash a fault.

    Args:
        file: Path, with `/`.
        code: The kind of fault: the category, or the linter's rule and its message.
        quote: The quoted lines.
        occurrence: The number of equal places before it in the file.

    Returns:
        16 hexadecimal digits.
    """
    lines = [line.strip() for line in quote.split("\n") if line.strip()]
    return _digest(file, code, "\n".join(lines), str(occurrence))


def finding_id(review_id: str, fault: str) -> str:
    """Return an id that is unique in the workspace: one fault in one review.

    Args:
        review_id: The review's.
        fault: Its fingerprint.
    """
    return _digest(review_id, fault)


def _digest(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return sha256(joined).hexdigest()[:_N_DIGITS]
