"""What makes two findings the same fault: the file, the category, and the code quoted.

Blanks do not count, so the identity stays when the lines move or are indented anew. Of
several equal places in a file, each has its own.
"""

from __future__ import annotations


def fingerprint(*, file: str, category: str, quote: str, occurrence: int = 0) -> str:
    """Name a fault.

    Args:
        file: Path, with `/`.
        category: From the fixed list.
        quote: The quoted lines.
        occurrence: How many equal places stand before it in the file.

    Returns:
        16 hexadecimal digits.
    """
    raise NotImplementedError


def finding_id(review_id: str, fault: str) -> str:
    """Name a finding in the whole workspace: one fault in one review."""
    raise NotImplementedError
