"""The indexer says what documents hold, and what they call, wherever that is."""

from __future__ import annotations

from pathlib import Path

from redline.assist.context.indexer import Indexer
from redline.assist.context.messages import (
    Closed,
    Counts,
    FoundDefinitions,
    FromIndexer,
    Lines,
    OpenText,
    Read,
    ReadingFile,
    Rescan,
    Roots,
    Scanned,
)

APP = (
    "from rates import convert\n\n\ndef pay(x):\n    return convert(x, unit=helper())\n"
)
RATES = "def convert(amount: int, *, unit: str) -> float:\n    return amount / 2\n"


class Desk:
    """An indexer and what it has said."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: list[FromIndexer] = []
        self.indexer = Indexer(self.hear, load_count=lambda: len)

    def hear(self, message: FromIndexer) -> None:
        """Keep what it says, but for what it is about to read."""
        if not isinstance(message, ReadingFile):
            self.said.append(message)

    def work(self) -> None:
        """Let it do everything there is to do."""
        while self.indexer.wait_s is not None:
            self.indexer.step()

    def open(self, path: str, text: str, *, version: int = 1) -> None:
        """Open a document, or change it."""
        self.indexer.take(
            OpenText(
                uri=self.uri(path),
                path=path,
                language_id="python",
                version=version,
                text=text,
            )
        )

    def uri(self, path: str) -> str:
        """Name a file."""
        return (self.root / path).as_uri()

    def look_around(self) -> None:
        """Have it read the workspace."""
        self.indexer.take(Roots(uris=(self.root.as_uri(),)))
        self.work()

    def found(self, path: str) -> dict[str, list[str]]:
        """What it has said last of the names that a document calls."""
        updates = [
            x
            for x in self.said
            if isinstance(x, FoundDefinitions) and x.uri == self.uri(path)
        ]
        return {
            name: [f"{x.signature.path}: {x.signature.text}" for x in candidates]
            for name, candidates in updates[-1].signatures.items()
        }


def test_a_document_is_read(tmp_path: Path) -> None:
    """Its outline and its names, for the version that was sent."""
    sink = Desk(tmp_path)
    sink.open("app.py", APP, version=7)
    read = sink.said[0]
    assert isinstance(read, Read)
    assert (read.uri, read.version) == (sink.uri("app.py"), 7)
    assert [x.name for x in read.outline.definitions] == ["pay"]
    assert read.outline.called_in(range(4, 5)) == ("convert", "helper")


def test_a_document_in_no_language_may_be_related(tmp_path: Path) -> None:
    """By its names; one that shares none is not. It goes when it is closed."""
    sink = Desk(tmp_path)
    sink.open("app.py", APP)
    sink.open("far.py", "zzz = 1\n")
    uri = sink.uri("notes.md")
    sink.indexer.take(
        OpenText(
            uri=uri, path="notes.md", language_id="markdown", version=1, text="pay it"
        )
    )
    read = [message for message in sink.said if isinstance(message, Read)][-1]
    assert read.outline.definitions == ()
    sink.work()
    found = [x for x in sink.said if isinstance(x, FoundDefinitions)]
    (notes,) = (x for x in found if x.uri == uri)
    assert [name for name, _ in notes.related] == [sink.uri("app.py")]
    assert not [x for x in found if x.uri == sink.uri("far.py")]
    sink.indexer.take(Closed(uri=uri))
    sink.work()
    found = [x for x in sink.said if isinstance(x, FoundDefinitions)]
    assert (found[-1].uri, found[-1].related) == (sink.uri("app.py"), ())


def test_documents_that_are_opened_together_are_looked_up_once(tmp_path: Path) -> None:
    """The one that was read last first; a thousand must not take a million steps."""
    sink = Desk(tmp_path)
    for number in range(30):
        sink.open(f"a{number}.py", f"def f{number}(x):\n    return f{number + 1}(x)\n")
    sink.work()
    found = [x.uri for x in sink.said if isinstance(x, FoundDefinitions)]
    assert found[0] == sink.uri("a29.py")
    assert len(found) == len(set(found)) == 30
    assert sink.found("a3.py") == {"f4": ["a4.py: def f4(x):"]}


def test_what_is_called_is_found_in_the_workspace(tmp_path: Path) -> None:
    """In a file that is not open."""
    (tmp_path / "rates.py").write_text(RATES)
    sink = Desk(tmp_path)
    sink.open("app.py", APP)
    sink.look_around()
    signature = "def convert(amount: int, *, unit: str) -> float:"
    assert sink.found("app.py") == {"convert": [f"rates.py: {signature}"]}
    assert Scanned(n_files=2) in sink.said


def test_an_open_document_counts_in_place_of_its_file(tmp_path: Path) -> None:
    """As it is now; and once it is closed, what is on disk does."""
    (tmp_path / "rates.py").write_text(RATES)
    sink = Desk(tmp_path)
    sink.open("app.py", APP)
    sink.open("rates.py", "def convert(everything): ...\n")
    sink.look_around()
    assert sink.found("app.py") == {
        "convert": ["rates.py: def convert(everything):"],
    }
    sink.indexer.take(Closed(uri=sink.uri("rates.py")))
    sink.work()
    assert "unit: str" in sink.found("app.py")["convert"][0]


def test_what_is_not_called_any_more_is_told_too(tmp_path: Path) -> None:
    """Otherwise the last of it would stay for ever."""
    (tmp_path / "rates.py").write_text(RATES)
    sink = Desk(tmp_path)
    sink.open("app.py", APP)
    sink.look_around()
    sink.open("app.py", "x = 1\n", version=2)
    sink.work()
    assert sink.found("app.py") == {}


def test_files_that_change_are_read_again(tmp_path: Path) -> None:
    """New ones too, and what is gone is forgotten."""
    sink = Desk(tmp_path)
    sink.open("app.py", APP)
    sink.look_around()
    assert not any(isinstance(x, FoundDefinitions) for x in sink.said)
    (tmp_path / "rates.py").write_text(RATES)
    sink.indexer.take(Rescan())
    sink.work()
    assert list(sink.found("app.py")) == ["convert"]
    (tmp_path / "rates.py").write_text("def helper(): ...\n")
    sink.indexer.take(Rescan())
    # Asked for while it is under way: it looks once more.
    sink.indexer.take(Rescan())
    sink.work()
    assert list(sink.found("app.py")) == ["helper"]
    (tmp_path / "rates.py").unlink()
    sink.indexer.take(Rescan())
    sink.work()
    assert sink.found("app.py") == {}


def test_nothing_is_said_twice(tmp_path: Path) -> None:
    """What a document calls is sent when it has changed, and only then."""
    (tmp_path / "rates.py").write_text(RATES)
    sink = Desk(tmp_path)
    sink.open("app.py", APP)
    sink.look_around()
    n_found = sum(isinstance(x, FoundDefinitions) for x in sink.said)
    sink.indexer.take(Rescan())
    sink.work()
    assert sum(isinstance(x, FoundDefinitions) for x in sink.said) == n_found


def test_an_ignored_file_says_nothing(tmp_path: Path) -> None:
    """Its signatures are not in the index at all."""
    (tmp_path / "rates.py").write_text(RATES)
    (tmp_path / ".redlineignore").write_text("rates.py\n")
    sink = Desk(tmp_path)
    sink.open("app.py", APP)
    sink.look_around()
    assert not any(isinstance(x, FoundDefinitions) for x in sink.said)


def test_lines_are_counted_once(tmp_path: Path) -> None:
    """Those of documents, and others on demand."""
    sink = Desk(tmp_path)
    sink.open("app.py", "a = 1\nb = 22\na = 1\n")
    sink.indexer.take(Lines(lines=("b = 22\n", "more\n")))
    sink.work()
    counts = [x.counts for x in sink.said if isinstance(x, Counts)]
    assert counts == [{"a = 1\n": 6, "b = 22\n": 7, "more\n": 5}]


def test_token_ranks_are_loaded_once_nothing_else_is_going_on(tmp_path: Path) -> None:
    """Loading them takes as long as the rest; then lines are counted at once."""
    sink = Desk(tmp_path)
    sink.open("app.py", APP)
    sink.indexer.take(Roots(uris=(tmp_path.as_uri(),)))
    while sink.indexer.wait_s == 0:
        sink.indexer.step()
    assert any(isinstance(x, Scanned) for x in sink.said)
    assert not any(isinstance(x, Counts) for x in sink.said)
    assert sink.indexer.wait_s
    sink.indexer.step()
    assert any(isinstance(x, Counts) for x in sink.said)
    sink.indexer.take(Lines(lines=("more\n",)))
    assert sink.indexer.wait_s == 0
    sink.work()
    assert sink.indexer.wait_s is None
