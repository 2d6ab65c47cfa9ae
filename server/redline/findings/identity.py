"""What makes two findings the same: the file, the kind of fault, and the lines quoted.

Blanks around a line do not count, nor do blank lines, so the identity stays when the
lines move or are indented anew. Of several equal places in a file, each has its own.
"""

from __future__ import annotations

from hashlib import sha256

_N_DIGITS = 16
"""64 bits: among a million findings two are the same by chance once in 40 million."""


def fingerprint(*, file: str, code: str, quote: str, occurrence: int = 0) -> str:
    """Name a fault.

    Args:
        file: Path, with `/`.
        code: What kind of fault: the category, or the linter's rule and its message.
        quote: The quoted lines.
        occurrence: How many equal places stand before it in the file.

    Returns:
        16 hexadecimal digits.
    """
    lines = [line.strip() for line in quote.split("\n") if line.strip()]
    return _digest(file, code, "\n".join(lines), str(occurrence))


def finding_id(review_id: str, fault: str) -> str:
    """Name a finding in the whole workspace: one fault in one review.

    Args:
        review_id: The review's.
        fault: Its fingerprint.
    """
    return _digest(review_id, fault)


def _digest(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return sha256(joined).hexdigest()[:_N_DIGITS]
