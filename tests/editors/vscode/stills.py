"""The still pictures of the extension's page: `python -m tests.editors.vscode.stills`.

They are those of the last run of the editor's tests, with a palette: what an editor
shows has few colours, and the package is to be small.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[3]
TAKEN = ROOT / "build" / "pictures" / "vscode"
SHOWN = ROOT / "editors" / "vscode" / "media" / "pictures"

NAMES = ("look-dark.png", "review.png")

N_COLORS = 96
"""Most colours of a palette in a png file."""

HEIGHT = 560
"""Pixels from the top that are shown: below them there is no text of the file."""


def main() -> None:
    """Write each picture with a palette."""
    SHOWN.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        with Image.open(TAKEN / name) as taken:
            shown = taken.convert("RGB").crop((0, 0, taken.width, HEIGHT))
        # Without means the rare colours of the marks are replaced by others.
        few = shown.quantize(N_COLORS, kmeans=3, dither=Image.Dither.NONE)
        few.save(SHOWN / name, optimize=True)


if __name__ == "__main__":
    main()
