"""Run the `redline` command as `python -m redline`."""

from __future__ import annotations

import sys

from redline.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
