"""Copies a wheel, compressed as a whole: `bundle-wheel.py WHEEL FOLDER`.

The copy is smaller by a quarter than the wheel, which compresses each of its files.
The hashes of its RECORD are left out: they do not compress, pip does not compare them,
and a changed file of the extension could come with changed hashes. `install.ts`
unpacks it.
"""

import csv
import io
import lzma
import sys
import zipfile
from pathlib import Path

FILTERS = [
    {"id": lzma.FILTER_LZMA2, "preset": 6 | lzma.PRESET_EXTREME, "pb": 0, "lc": 4}
]
"""`pb`: texts are not aligned. `lc`: what follows depends on the whole sign before."""


def main(wheel: Path, folder: Path) -> None:
    """Write the copy, with the same name and `.xz`."""
    stored = io.BytesIO()
    with (
        zipfile.ZipFile(wheel) as source,
        zipfile.ZipFile(stored, "w", zipfile.ZIP_STORED) as target,
    ):
        for member in sorted(source.infolist(), key=by_kind):
            content = source.read(member)
            if member.filename.endswith(".dist-info/RECORD"):
                content = without_hashes(content)
            member.compress_type = zipfile.ZIP_STORED
            target.writestr(member, content)
    packed = lzma.compress(stored.getvalue(), filters=FILTERS)
    (folder / f"{wheel.name}.xz").write_bytes(packed)


def by_kind(member: zipfile.ZipInfo) -> tuple[str, str]:
    """Put files of one kind together: they compress better."""
    return Path(member.filename).suffix, member.filename


def without_hashes(record: bytes) -> bytes:
    """Return a RECORD with empty hashes and sizes, which are optional in an installed
    one (packaging.python.org, "Recording installed projects")."""
    rows = csv.reader(record.decode().splitlines())
    kept = io.StringIO()
    writer = csv.writer(kept, lineterminator="\n")
    writer.writerows([path, "", ""] for path, *_ in rows)
    return kept.getvalue().encode()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
