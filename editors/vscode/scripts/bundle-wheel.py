"""Copies a wheel, compressed as a whole: `bundle-wheel.py WHEEL FOLDER`.

The copy is smaller by a quarter than the wheel, which compresses each of its files.
`install.ts` unpacks it.
"""

import io
import lzma
import sys
import zipfile
from pathlib import Path


def main(wheel: Path, folder: Path) -> None:
    """Write the copy, with the same name and `.xz`."""
    stored = io.BytesIO()
    with (
        zipfile.ZipFile(wheel) as source,
        zipfile.ZipFile(stored, "w", zipfile.ZIP_STORED) as target,
    ):
        for member in source.infolist():
            content = source.read(member)
            member.compress_type = zipfile.ZIP_STORED
            target.writestr(member, content)
    packed = lzma.compress(stored.getvalue(), preset=6 | lzma.PRESET_EXTREME)
    (folder / f"{wheel.name}.xz").write_bytes(packed)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
