"""Signed messages of a payment provider."""

from __future__ import annotations

import hashlib
import hmac


def is_signed(body: bytes, signature: str, secret: bytes) -> bool:
    """Tell whether the provider has sent a message."""
    expected = hmac.new(secret, body, hashlib.sha256).hexdigest()
    return signature == expected
