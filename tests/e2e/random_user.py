"""A user who does anything at any time, and an editor that believes nothing.

The user acts at random, but knows what must hold: what is applied is what was shown and
accepted, and nothing that the user typed is lost, see `check` and `take_edit`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from tests.e2e.editor_document import EditorDocument, Json
from tests.e2e.random_model import ALOUD, MARK, RandomModel
from tests.e2e.wire_editor import APPLY_EDIT, WireEditor

Change = tuple[str, str]
"""The old text of an edit's range, and the new."""

EXPECTED_ERRORS = (-32803, -32602, -32800, -32801)
"""Failed, wrong now, cancelled, outdated; nothing fails inside."""

WEIGHTS = {
    "let_write": 30,
    "type": 10,
    "undo_last": 4,
    "edit": 8,
    "type_instruction": 5,
    "redirect": 5,
    "accept": 8,
    "reject": 5,
    "next_candidate": 3,
    "stop": 4,
    "take_back": 3,
    "answer_edit": 6,
    "look_away": 2,
    "reload": 1,
    "reopen": 1,
}
"""How likely each action is; the dullest first."""


def actions_of(weights: Mapping[str, int]) -> tuple[str, ...]:
    """Every action as often as its weight says."""
    return tuple(name for name, weight in weights.items() for _ in range(weight))


ACTIONS = actions_of(WEIGHTS)
"""What a user may do."""

_N_LOOKS = 1000
"""How often to ask before the last state must have been sent: longer than a paint."""

SETTLED = "settled"


@dataclass
class Session:
    """An edit as its user knows it."""

    id: str
    shows_first: bool
    """Whether what is applied must have been on the screen."""
    requests: list[int] = field(default_factory=list)
    instructions: list[str] = field(default_factory=list)
    is_draft: bool = False
    hunks: dict[int, Json] = field(default_factory=dict)
    """What is on the screen, by id."""
    changes: dict[int, Change] = field(default_factory=dict)
    """The same as texts."""
    gone: set[int] = field(default_factory=set)
    accepted: list[Change] = field(default_factory=list)
    """What was on the screen when its ids were accepted."""
    accepts_all: bool = False
    has_ended: bool = False


class RandomUser:
    """One user, one document, one seed."""

    def __init__(
        self,
        editor: WireEditor,
        model: RandomModel,
        uri: str,
        rng: Random,
        did: list[str],
    ) -> None:
        self.did = did
        """What was done, for the one who reads a failure."""
        self._editor = editor
        self._model = model
        self._uri = uri
        self._rng = rng
        self._names = (f"{uri.rpartition('/')[2]}#{n}" for n in itertools.count())
        self._marks: set[str] = set()
        self._texts: dict[int, str] = {}
        self._undo: list[str] = []
        self._sessions: dict[str, Session] = {}
        self._unanswered: list[Json] = []
        self._requests: list[int] = []
        self._n_heard = len(editor.heard)
        self._failure: AssertionError | None = None
        editor.open(uri, self._new_text())
        editor.take_edit = self._take_edit
        self._note_text()

    @property
    def document(self) -> EditorDocument:
        """The document as it is now."""
        return self._editor.documents[self._uri]

    async def act(self, action: str, rng: Random) -> None:
        """Do one of `ACTIONS`; what exactly is up to the random numbers."""
        self._rng = rng
        getattr(self, f"_{action}")()
        self._catch_up()
        if rng.random() < 0.6:
            await self._sync()

    async def finish(self) -> None:
        """Let everything come to its end, and check how it stands."""
        self._editor.may_read.set()
        if self._rng.random() < 0.3:
            self._run("redline.stop", uri=self._uri)
        self._model.set_free()
        while self._unanswered:
            self._answer_edit()
        self._takes = ["take"]
        await self._sync()
        for session in self._sessions.values():
            await self._compare_screen(session)
            if self._rng.random() < 0.5:
                self._decide(session, self._rng.choice(["accept", "reject"]), None)
        await self._sync()
        drafts = [s for s in self._sessions.values() if s.is_draft]
        for session in drafts:
            self._run("redline.stop", sessionId=session.id)
        for request in self._requests:
            self._say(f"waits for the answer to {request}")
            await self._editor.answer(request)
        # A stop may keep what is written as an offer, which the next one ends; and an
        # edit that the editor dropped is waited for.
        for _ in range(_N_LOOKS * 10):
            await self._editor.run_now("redline.stop", {"uri": self._uri})
            status = await self._editor.run_now("redline.status", {})
            if not status["sessions"]:
                break
        assert status["sessions"] == []
        self._catch_up()
        assert self._unanswered == []
        assert not any(session.hunks for session in self._sessions.values())
        await self._compare()

    async def _compare_screen(self, session: Session) -> None:
        """The editor's screen is, or soon will be, what the server believes it is."""
        for _ in range(_N_LOOKS):
            number = self._editor.run("redline.editState", {"sessionId": session.id})
            answer = await self._editor.answer(number)
            self._catch_up()
            painted = answer.get("result", {"hunks": []})["hunks"]
            if {hunk["id"]: hunk for hunk in painted} == session.hunks:
                return
        self._say(f"the server has painted {answer}, the editor {session.hunks}")
        raise AssertionError("the editor shows something else")

    async def _compare(self) -> None:
        """The server's document is the editor's: it shows it to the model whole."""
        editor, text = self._editor, self.document.text
        end = self.document.position(len(text))
        where = {"start": {"line": 0, "character": 0}, "end": end}
        await editor.answer(editor.edit(self._uri, where, ALOUD, apply="end"))
        assert self._model.read[ALOUD].rstrip("\n") == _with_lf(text).rstrip("\n")

    # What the user does.

    def _let_write(self) -> None:
        if writings := self._model.open_writings:
            n = self._rng.choice([1, 3, 10, 100])
            self._say(f"{n} pieces are written")
            self._rng.choice(writings).allow(n)

    def _type(self) -> None:
        rng, text = self._rng, self.document.text
        start = end = rng.randint(0, len(text))
        if rng.random() < 0.3:
            end = min(len(text), start + rng.randint(1, 40))
        mark = f"{MARK}{len(self._marks)}>"
        typed = rng.choice(["", mark, mark, f"{mark}\n", f"\n{mark}", f"\r\n{mark}"])
        self._marks.add(mark)
        self._replace(start, end, typed)

    def _undo_last(self) -> None:
        if not self._undo:
            return
        before, now = self._undo.pop(), self.document.text
        start = _n_common(before, now)
        end = _n_common(before[start:][::-1], now[start:][::-1])
        self._replace(start, len(now) - end, before[start : len(before) - end])
        self._undo.pop()

    def _replace(self, start: int, end: int, typed: str) -> None:
        """Replace a part of the text, by whole line ends."""
        text = self.document.text
        start -= _is_inside_crlf(text, start)
        end += _is_inside_crlf(text, end)
        where = {
            "start": self.document.position(start),
            "end": self.document.position(end),
        }
        self._say(f"types {typed!r} at {where}")
        self._undo.append(text)
        self._editor.type(self._uri, where, typed)
        self._note_text()

    def _edit(self) -> None:
        apply = self._rng.choice(["end", "stream", "preview", "preview"])
        more: Json = {"apply": apply}
        command = "redline.edit"
        if apply == "preview" and self._rng.random() < 0.4:
            more["candidates"] = self._rng.randint(1, 3)
            command = self._rng.choice([command, "redline.variations"])
        session = self._new_session(shows_first=apply == "preview")
        self._ask(session, command, next(self._names), **more)

    def _type_instruction(self) -> None:
        """A draft, another of the same, or the final instruction."""
        drafts = [s for s in self._sessions.values() if s.is_draft and not s.has_ended]
        if not drafts or self._rng.random() < 0.2:
            session = self._new_session(shows_first=True)
            session.is_draft = True
            self._ask(session, "redline.edit", next(self._names), draft=True)
            return
        session = self._rng.choice(drafts)
        is_same = self._rng.random() < 0.5
        instruction = session.instructions[-1] if is_same else next(self._names)
        session.is_draft = self._rng.random() < 0.5
        more: Json = {"draft": True} if session.is_draft else {"apply": "preview"}
        self._ask(session, "redline.edit", instruction, **more)

    def _ask(
        self, session: Session, command: str, instruction: str, **more: object
    ) -> None:
        session.instructions.append(instruction)
        request = self._run(
            command,
            token=f"progress of {instruction}/{len(self._requests)}",
            uri=self._uri,
            range=self._some_range(),
            instruction=instruction,
            sessionId=session.id,
            **more,
        )
        session.requests.append(request)

    def _redirect(self) -> None:
        if session := self._some_session():
            self._redirect_session(session)

    def _redirect_session(self, session: Session) -> None:
        instruction = next(self._names)
        session.instructions.append(instruction)
        session.is_draft = False
        self._run("redline.redirect", sessionId=session.id, instruction=instruction)

    def _accept(self) -> None:
        if session := self._some_session():
            self._decide(session, "accept", self._some_hunks(session))

    def _reject(self) -> None:
        if session := self._some_session():
            self._decide(session, "reject", self._some_hunks(session))

    def _decide(self, session: Session, what: str, hunks: list[int] | None) -> None:
        more: Json = {} if hunks is None else {"hunks": hunks}
        if what == "accept" and hunks is None:
            session.accepts_all = True
        if what == "accept" and hunks is not None:
            session.accepted += [session.changes[i] for i in hunks]
        self._run(f"redline.{what}", sessionId=session.id, **more)

    def _next_candidate(self) -> None:
        if session := self._some_session():
            self._run("redline.nextCandidate", sessionId=session.id)

    def _stop(self) -> None:
        session = self._some_session()
        if session is None:
            return
        match self._rng.choice(["session", "document", "all", "progress", "request"]):
            case "session":
                self._run("redline.stop", sessionId=session.id)
            case "document":
                self._run("redline.stop", uri=self._uri)
            case "all":
                self._run("redline.stop")
            case "progress":
                number = session.requests[0]
                token = self._editor.talk.asked[number]["params"]["workDoneToken"]
                self._say(f"cancels {token}")
                self._editor.notify("window/workDoneProgress/cancel", {"token": token})
            case "request":
                self._say(f"cancels the request {session.requests[-1]}")
                self._editor.cancel(session.requests[-1])

    def _take_back(self) -> None:
        if session := self._some_session(ended=True):
            self._run("redline.takeBack", sessionId=session.id)

    def _look_away(self) -> None:
        """The editor is busy: it reads nothing for a while."""
        self._say("the editor is busy")
        self._editor.may_read.clear()

    def _reload(self) -> None:
        """The file was changed on disk; most of it is as it was."""
        text = self.document.text.replace("line 1", "disk 1")
        self._say("reloads the file")
        self._undo.clear()
        self._editor.replace_all(self._uri, text)
        self._note_text()

    def _reopen(self) -> None:
        text, version = self.document.text, self.document.version
        self._say("closes the file and opens it again")
        self._undo.clear()
        self._editor.close_document(self._uri)
        self._editor.open(self._uri, text, version=version + 1)
        self._note_text()

    # How the editor takes edits.

    _takes = (
        ["take"] * 8 + ["answer first", "piecewise", "refuse", "fail"] + ["later"] * 4
    )

    def _take_edit(self, editor: WireEditor, request: Json) -> None:
        try:
            self._catch_up()
            self._answer_somehow(editor, request)
        except AssertionError as exc:
            # Here the editor's reader would fail, and the test only hang.
            self._failure = exc
            editor.reply(request, {"applied": False})

    def _answer_somehow(self, editor: WireEditor, request: Json) -> None:
        match self._rng.choice(self._takes):
            case "later":
                self._say("leaves an edit unanswered")
                self._unanswered.append(request)
            case "refuse":
                self._say("refuses an edit")
                editor.reply(request, {"applied": False, "failureReason": "read-only"})
            case "fail":
                self._say("fails at an edit")
                error = {"code": -32603, "message": "the plug-in has crashed"}
                editor.send({"id": request["id"], "error": error})
            case how:
                self._take(request, how)

    def _answer_edit(self) -> None:
        if self._unanswered:
            self._take(self._unanswered.pop(0), "take")

    def _take(self, request: Json, how: str) -> None:
        """Apply an edit, unless it is stale; notify the server; answer it."""
        part = request["params"]["edit"]["documentChanges"][0]
        version = part["textDocument"]["version"]
        if version != self.document.version:
            # Some say so of an edit that they have dropped.
            is_honest = self._rng.random() < 0.8
            self._say(f"drops an edit for version {version}, {is_honest=}")
            self._editor.reply(request, {"applied": not is_honest})
            return
        self._check_edit(request["params"]["label"], version, part["edits"])
        before, marks = self.document.text, self._marks_there()
        self._undo.append(before)
        changes = self.document.apply(part["edits"])
        self._say(f"takes an edit for version {version}, {how}: {changes}")
        assert marks <= self._marks_there(), "typed text is lost"
        if how == "answer first":
            self._editor.reply(request, {"applied": True})
        if how == "piecewise":
            self._tell_piecewise(version, before, changes)
        else:
            self._note_text()
            self._tell(self.document.version, changes)
        if how != "answer first":
            self._editor.reply(request, {"applied": True})

    def _tell_piecewise(self, version: int, text: str, changes: list[Json]) -> None:
        """Send each change alone: the versions between are texts as well."""
        typed = EditorDocument(self._uri, text, encoding=self._editor.encoding)
        typed.version = version
        for change in changes:
            typed.apply([{"range": change["range"], "newText": change["text"]}])
            self._texts[typed.version] = typed.text
            self._tell(typed.version, [change])
        assert typed.text == self.document.text
        self.document.version = typed.version

    def _tell(self, version: int, changes: list[Json]) -> None:
        self._editor.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self._uri, "version": version},
                "contentChanges": changes,
            },
        )

    def _check_edit(self, label: str, version: int, edits: Sequence[Json]) -> None:
        """What is applied was on the screen, and was accepted."""
        if label.startswith("Take back"):
            return
        sessions = self._sessions_of(label)
        assert sessions
        if not all(session.shows_first for session in sessions):
            return
        allowed: list[Change] = []
        for session in sessions:
            allowed += session.accepted
            if session.accepts_all:
                allowed += session.changes.values()
        for change in self._changes(version, edits):
            assert change in allowed, "what is applied was not shown and accepted"

    def _sessions_of(self, label: str) -> list[Session]:
        """The sessions that an applied edit may be of, by its label."""
        instruction = label.removeprefix("Redline: ")
        return [s for s in self._sessions.values() if instruction in s.instructions]

    # What the editor hears.

    def _catch_up(self) -> None:
        if self._failure is not None:
            raise self._failure
        for message in self._editor.heard[self._n_heard :]:
            self._n_heard += 1
            method, params = message.get("method"), message.get("params", {})
            if method is None:
                error = message.get("error")
                assert error is None or error["code"] in EXPECTED_ERRORS, error
                if message["id"] in self._requests:
                    self._say(f"heard: {message}")
            elif method == "redline/edit/began":
                self._begin(params)
            elif method == "redline/edit/hunks":
                self._paint(params)
            elif method == "redline/edit/ended":
                self._say(f"heard: ended {params}")
                session = self._sessions[params["sessionId"]]
                session.has_ended = True
                session.hunks.clear()
            elif method == APPLY_EDIT:
                self._say(f"heard: {params}")

    def _begin(self, params: Json) -> None:
        """A session begins; one that is over may have had the same name."""
        self._say(f"heard: {params}")
        session = self._sessions[params["sessionId"]]
        assert session.has_ended or not session.hunks
        session.has_ended = False
        session.hunks, session.changes, session.gone = {}, {}, set()

    def _paint(self, params: Json) -> None:
        self._say(f"heard: {params}")
        session = self._sessions[params["sessionId"]]
        assert not session.has_ended
        known = dict(session.changes)
        if params["full"]:
            session.gone |= set(session.hunks) - {
                hunk["id"] for hunk in params["hunks"]
            }
            session.hunks.clear()
        for gone in params["removed"]:
            session.hunks.pop(gone)
            session.gone.add(gone)
        changes = self._changes(params["version"], params["hunks"])
        for hunk, change in zip(params["hunks"], changes, strict=True):
            assert hunk["id"] not in session.gone, "an id is used again"
            if hunk["id"] in known:
                assert _is_continued(known[hunk["id"]], change), "it is another hunk"
            session.hunks[hunk["id"]] = hunk
            session.changes[hunk["id"]] = change
        session.changes = {i: session.changes[i] for i in session.hunks}

    def _changes(self, version: int, edits: Sequence[Json]) -> list[Change]:
        """Edits as texts; those of one version must be apart."""
        document = EditorDocument(
            self._uri, self._texts[version], encoding=self._editor.encoding
        )
        changes = []
        for edit in edits:
            start = document.offset(edit["range"]["start"])
            end = document.offset(edit["range"]["end"])
            changes.append((document.text[start:end], edit["newText"]))
        document.apply(edits)
        return changes

    # Small things.

    async def _sync(self) -> None:
        """Wait until the server has read all that was said."""
        self._editor.may_read.set()
        await self._editor.run_now("redline.status", {})
        self._catch_up()

    def _run(
        self, command: str, *, token: str | None = None, **arguments: object
    ) -> int:
        request = self._editor.run(command, arguments, token=token)
        self._say(f"{command} {arguments} as {request}")
        self._requests.append(request)
        return request

    def _new_session(self, *, shows_first: bool) -> Session:
        name = next(self._names)
        self._sessions[name] = Session(name, shows_first)
        return self._sessions[name]

    def _some_session(self, *, ended: bool = False) -> Session | None:
        known = [s for s in self._sessions.values() if ended or not s.has_ended]
        return self._rng.choice(known) if known else None

    def _some_hunks(self, session: Session) -> list[int] | None:
        """Some settled hunks; None: all there are and will be."""
        settled = [i for i, h in session.hunks.items() if h["state"] == SETTLED]
        if self._rng.random() < 0.3 or not settled:
            return None
        return self._rng.sample(settled, self._rng.randint(1, len(settled)))

    def _some_range(self) -> Json:
        rng, text = self._rng, self.document.text
        start = rng.randint(0, len(text))
        end = min(len(text), start + rng.choice([0, 100, 400, 1000]))
        start -= _is_inside_crlf(text, start)
        end += _is_inside_crlf(text, end)
        return {
            "start": self.document.position(start),
            "end": self.document.position(end),
        }

    def _new_text(self) -> str:
        rng = self._rng
        end = rng.choice(["\n", "\n", "\r\n"])
        lines = [f"line {n}{rng.choice(['', ' ä', ' 𝄞'])}" for n in range(60)]
        for _ in range(rng.randint(0, 4)):
            lines.insert(rng.randint(0, len(lines)), "")
        return end.join(lines) + rng.choice(["", end])

    def _marks_there(self) -> set[str]:
        return {mark for mark in self._marks if mark in self.document.text}

    def _note_text(self) -> None:
        self._texts[self.document.version] = self.document.text

    def _say(self, what: str) -> None:
        self.did.append(what)


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_continued(known: Change, change: Change) -> bool:
    """Whether a hunk only grew; new lines at a file's end lead with a line end."""
    return all(
        now.strip().startswith(then.strip())
        for then, now in zip(known, change, strict=True)
    )


def _is_inside_crlf(text: str, offset: int) -> bool:
    return text[max(0, offset - 1) : offset + 1] == "\r\n"


def _n_common(one: str, other: str) -> int:
    n_common = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        n_common += 1
    return n_common
