"""Invariants of all messages of the server, for every test.

"Guarantees" in `docs/reference/protocol.md`, and design invariants 2, 4, 8.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from tests.e2e.editor_document import Json
from tests.e2e.wire_editor import Talk

_INSIDES = re.compile(r"Traceback \(most|File \"|\.py\b.{0,3} line \d+|site-packages")
"""What a traceback is made of."""

_SENTENCE_ENDS = (".", "?", "!")


def check_talk(talk: Talk, *, private: Iterable[str]) -> None:
    """Check everything that was heard.

    Args:
        talk: A whole test's, with no request open.
        private: Texts that no editor may see: keys, and places in the file system.
    """
    check_answers(talk)
    check_privacy(talk.heard, private)
    check_errors(talk.heard)
    check_progress(talk.heard)
    check_sessions(talk.heard)
    check_silence(talk)


def check_answers(talk: Talk) -> None:
    """Every request has exactly one answer, and nothing else is answered."""
    answered = [m["id"] for m in talk.heard if "method" not in m]
    assert sorted(answered) == sorted(talk.asked)


def check_privacy(heard: Sequence[Json], private: Iterable[str]) -> None:
    """No message shows our insides, a key, or a path that the editor did not send."""
    for message in heard:
        text = json.dumps(message, ensure_ascii=False)
        assert not _INSIDES.search(text)
        for secret in private:
            assert secret not in text


def check_errors(heard: Sequence[Json]) -> None:
    """Every error is a sentence; a failure says why and what to do, twice."""
    for error in (message["error"] for message in heard if "error" in message):
        assert error["message"].endswith(_SENTENCE_ENDS), error
        assert "\n" not in error["message"]
        if error["code"] == -32803:
            assert error["data"]["cause"]
            assert error["data"]["remedy"] in error["message"]


def check_progress(heard: Sequence[Json]) -> None:
    """Progress of one token begins, ends, and nothing comes after its end; a token may
    be used again."""
    kinds: dict[str | int, str] = defaultdict(str)
    for message in heard:
        if message.get("method") == "$/progress":
            params = message["params"]
            kinds[params["token"]] += params["value"]["kind"] + " "
    for seen in kinds.values():
        assert re.fullmatch(r"(begin (report )*end )+", seen)


def check_silence(talk: Talk) -> None:
    """Nothing but answers comes after the answer to `shutdown`."""
    ends = {n for n, said in talk.asked.items() if said["method"] == "shutdown"}
    ids = [None if "method" in m else m["id"] for m in talk.heard]
    after = next((n for n, each in enumerate(ids) if each in ends), len(ids))
    assert all(each is not None for each in ids[after:])


def check_sessions(heard: Sequence[Json]) -> None:
    """A preview begins, is painted in order without a gap, and ends, once each; a
    session's name may be used again."""
    steps = defaultdict(list)
    for message in heard:
        method = message.get("method", "")
        if method.startswith("redline/edit/"):
            steps[message["params"]["sessionId"]].append(
                (method.removeprefix("redline/edit/"), message["params"])
            )
    for seen in steps.values():
        names = " ".join(name for name, _ in seen)
        assert re.fullmatch(r"(began( hunks)* ended ?)+", names)
        numbers = [params["seq"] for name, params in seen if name == "hunks"]
        per_session = [part.split().count("hunks") for part in names.split("ended")]
        assert numbers == [n + 1 for count in per_session for n in range(count)]
