"""Which files are never sent to a model: secrets, and what the workspace ignores.

Two layers. The built-in list of files that hold keys and credentials holds everywhere,
and nothing in a workspace can lift it. Then the workspace's own `.gitignore` files and,
after them, its `.redlineignore` files, in the syntax of the former; the last pattern
that matches decides, so `!notes.txt` in `.redlineignore` lets an ignored file through.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from pathspec import GitIgnoreSpec

DENIED = (
    ".env",
    ".env.*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "!id_*.pub",
    ".ssh/",
    ".gnupg/",
    ".aws/",
    ".kube/",
    ".docker/config.json",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    "credentials.json",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "service-account*.json",
)
"""Files that hold keys and credentials by convention, in `.gitignore` syntax."""

IGNORE_FILES = (".gitignore", ".redlineignore")
"""In the order in which they are read: later ones win."""

_MAX_IGNORE_BYTES = 1_000_000

_denied = GitIgnoreSpec.from_lines(DENIED)


class HeldBack:
    """Answers for one workspace; reads ignore files again when they change."""

    def __init__(self) -> None:
        self._specs: dict[Path, tuple[tuple[int, int], GitIgnoreSpec]] = {}

    def reason(self, uri: str, roots: Sequence[str]) -> str | None:
        """Say why a file must not be sent, as the end of a sentence; None: it may.

        Args:
            uri: The document's.
            roots: URIs of the workspace folders.
        """
        path = PurePosixPath(unquote(urlsplit(uri).path))
        if _denied.match_file(str(path).lstrip("/")):
            return "it is of a kind that holds keys or credentials"
        if urlsplit(uri).scheme != "file":
            return None
        for root_uri in roots:
            root = Path(unquote(urlsplit(root_uri).path))
            if Path(path).is_relative_to(root):
                return self._ignored_by(Path(path), root)
        return None

    def _ignored_by(self, path: Path, root: Path) -> str | None:
        """Ask the ignore files from the root down to the file's own folder."""
        parents = path.parent.relative_to(root).parts
        folders = [root.joinpath(*parents[:n]) for n in range(len(parents) + 1)]
        verdict: str | None = None
        for name in IGNORE_FILES:
            for folder in folders:
                inside = path.relative_to(folder).as_posix()
                is_ignored = self._spec(folder / name).check_file(inside).include
                if is_ignored is not None:
                    verdict = f"{name} leaves it out" if is_ignored else None
        return verdict

    def _spec(self, file: Path) -> GitIgnoreSpec:
        try:
            stat = file.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            known = self._specs.get(file)
            if known is not None and known[0] == stamp:
                return known[1]
            with file.open(encoding="utf-8", errors="replace") as lines:
                text = lines.read(_MAX_IGNORE_BYTES)
        except OSError:
            return _NONE
        spec = GitIgnoreSpec.from_lines(text.splitlines())
        self._specs[file] = (stamp, spec)
        return spec


_NONE = GitIgnoreSpec.from_lines(())
