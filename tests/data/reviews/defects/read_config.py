"""Reading of a configuration file."""

from __future__ import annotations

import json
from pathlib import Path


def read_config(path: Path) -> dict[str, str]:
    """Read settings; a file that is no object counts as empty."""
    handle = path.open(encoding="utf-8")
    values = json.load(handle)
    if not isinstance(values, dict):
        return {}
    handle.close()
    return {str(key): str(value) for key, value in values.items()}
