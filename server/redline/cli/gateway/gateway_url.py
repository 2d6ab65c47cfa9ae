"""The line that says where a gateway listens."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.gateway.serving.server import Listening


def announce_url(listening: Listening, port: int, *, as_json: bool) -> None:
    """Print where the gateway listens."""
    from redline.gateway.app import RESPONSES_PATH

    host = f"[{listening.host}]" if ":" in listening.host else listening.host
    scheme = "wss" if listening.tls_cert else "ws"
    url = f"{scheme}://{host}:{port}{RESPONSES_PATH}"
    line = json.dumps({"url": url, "pid": os.getpid()}) if as_json else url
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
