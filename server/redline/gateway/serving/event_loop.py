"""The event loop that a gateway runs on: uvloop, or asyncio's own on Windows.

uvloop halves the processor time of a delta (`python -m benchmarks --only u`).
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from asyncio import run
else:
    from uvloop import run

__all__ = ["run"]
