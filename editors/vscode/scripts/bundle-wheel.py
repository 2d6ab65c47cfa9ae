"""Copies a wheel without compression: `bundle-wheel.py WHEEL FOLDER`.

The package of the extension compresses the copy as one text, a fifth smaller than the
files of the wheel one by one.
"""

import sys
import zipfile
from pathlib import Path


def main(wheel: Path, folder: Path) -> None:
    """Write the copy, with the same name."""
    with (
        zipfile.ZipFile(wheel) as source,
        zipfile.ZipFile(folder / wheel.name, "w", zipfile.ZIP_STORED) as target,
    ):
        for member in source.infolist():
            content = source.read(member)
            member.compress_type = zipfile.ZIP_STORED
            target.writestr(member, content)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
