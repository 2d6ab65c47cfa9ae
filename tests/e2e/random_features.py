"""A random user of everything beside edits, while edits run.

Completions, next edits, code actions, offers that are brought back, renamed files and
changed settings come between the actions of `random_user`, and what must hold there
must hold here as well.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from tests.e2e.editor_document import Json
from tests.e2e.random_model import rewritten
from tests.e2e.random_user import WEIGHTS, RandomUser, Session, actions_of
from tests.e2e.redline_session import Redline
from tests.e2e.wire_editor import CAPABILITIES

_WEIGHTS = {
    "bring_back": 5,
    "bring_own": 7,
    "edit_and_go_on": 9,
    "request_next_edit": 6,
    "rename_word": 9,
    "take_next_edit": 10,
    "request_inline": 8,
    "take_inline": 8,
    "request_completion": 3,
    "request_code_actions": 4,
    "run_code_action": 5,
    "request": 8,
    "configure": 9,
    "rename_file": 1,
    "cancel": 4,
    "prepare": 2,
    "save": 1,
}

FEATURE_ACTIONS = actions_of({**WEIGHTS, **_WEIGHTS})
"""As `random_user.ACTIONS`."""

FEATURE_CAPABILITIES: Json = {
    **CAPABILITIES,
    "textDocument": {
        **CAPABILITIES["textDocument"],
        "inlineCompletion": {"dynamicRegistration": True},
        "codeLens": {},
    },
    "experimental": {
        "redline": {
            **CAPABILITIES["experimental"]["redline"],
            "nextEdit": True,
            "prompt": True,
        }
    },
}

COMPLETE = {"enabled": True, "per_minute": 600, "calm": "eager"}
"""The section `complete` of the user's settings."""

_WORDS = ("total", "rows", "value", "compute")

_N_RECENT = 8
"""How many of the last requests a user may cancel."""


class RandomFeatureUser(RandomUser):
    """One user of everything.

    Args:
        redline: The server and its editor.
        own: The settings that are valid at the beginning and at the end.
        more: The arguments of `RandomUser` after the editor.
    """

    def __init__(self, redline: Redline, own: Json, *more: Any) -> None:
        self._redline = redline
        self._own = own
        self._asked: dict[str, list[tuple[int, Json]]] = {}
        """Requests by method, with the document's version and the position."""
        super().__init__(redline.editor, *more)

    async def finish(self) -> None:
        """Return to the own settings, and finish as other users do."""
        self._editor.may_read.set()
        self._model.set_free()
        ((name, model),) = self._own["models"].items()
        self._say("returns to the own settings")
        again = f"{name}-again"
        own = {**self._own, "models": {again: {**model, "name": again}}}
        await self._redline.use({**own, "tiers": {"fast": again}}, name=again)
        await super().finish()

    # Edits that others begin, and edits at once.

    def _begin(self, params: Json) -> None:
        """Know a session of a code action, which has a name of the server's."""
        name = params["sessionId"]
        if name not in self._sessions:
            self._sessions[name] = Session(name, shows_first=False)
        super()._begin(params)

    def _sessions_of(self, label: str) -> list[Session]:
        """The sessions of a label; that of a code action is its title."""
        named = super()._sessions_of(label)
        return named or [s for s in self._sessions.values() if not s.shows_first]

    def _bring_back(self) -> None:
        # The offer may be any of those before, which were made for other instructions.
        earlier = [i for s in self._sessions.values() for i in s.instructions]
        session = self._new_session(shows_first=True)
        session.instructions += earlier
        self._run_bring_back(session)

    def _bring_own(self) -> None:
        """Bring back an offer that the editor has stored."""
        lines = self.document.text.splitlines(keepends=True)
        start = self._rng.randint(0, len(lines))
        end = self._rng.randint(start, min(len(lines), start + 12))
        numbers = itertools.count()
        before = "".join(lines[start:end]).replace("\r\n", "\n")
        instruction = next(self._names)
        offer = {
            "range": {"start": self._line(lines, start), "end": self._line(lines, end)},
            "newText": rewritten(before, self._rng, lambda: f"own {next(numbers)}\n"),
            "instruction": instruction,
        }
        session = self._new_session(shows_first=True)
        session.instructions.append(instruction)
        self._run_bring_back(session, offer=offer)

    def _run_bring_back(self, session: Session, **offer: Json) -> None:
        request = self._run(
            "redline.bringBack",
            token=f"progress of {session.id}",
            uri=self._uri,
            sessionId=session.id,
            **offer,
        )
        session.requests.append(request)

    def _line(self, lines: list[str], line: int) -> Json:
        return self.document.position(sum(map(len, lines[:line])))

    def _edit_and_go_on(self) -> None:
        """Begin an edit, and do something else to it in the same moment."""
        session = self._new_session(shows_first=True)
        self._ask(session, "redline.edit", next(self._names), apply="preview")
        name = {"sessionId": session.id}
        match self._rng.choice(["stop", "redirect", "accept", "other", "user"]):
            case "stop":
                self._run("redline.stop", **name)
            case "redirect":
                for _ in range(self._rng.randint(1, 3)):
                    self._redirect_session(session)
                if self._rng.random() < 0.5:
                    self._run("redline.stop", **name)
            case "accept":
                self._decide(session, "accept", None)
                self._run("redline.takeBack", **name)
            case "other":
                command = self._rng.choice(["redline.reject", "redline.nextCandidate"])
                self._run(command, **name)
            case "user":
                self._rng.choice([self._reopen, self._type, self._cancel])()

    # Next edits.

    def _rename_word(self) -> None:
        """Rename a definition, which the other uses follow by next edits."""
        text = self.document.text
        word = self._rng.choice(_WORDS)
        places = [at for at in range(len(text)) if text.startswith(word, at)]
        defined = [
            at for at in places if text[:at].rpartition("\n")[2].strip() in ("", "def")
        ]
        if not places:
            return
        at = self._rng.choice(defined or places)
        name = word + self._rng.choice(["_x", "2", "", "_new_name"])
        self._replace(at, at + len(word), name)
        if self._rng.random() < 0.7:
            self._ask_next_edit(self.document.position(at))

    def _request_next_edit(self) -> None:
        self._ask_next_edit(self._some_position())

    def _ask_next_edit(self, position: Json) -> None:
        reasons = ["idle", "accepted", "saved", "moved", "diagnostics", "manual"]
        context = {
            "triggerKind": self._rng.choice([1, 2]),
            "reason": self._rng.choice(reasons),
        }
        self._ask_at("redline/nextEdit", position, context=context)

    def _take_next_edit(self) -> None:
        """Take or dismiss a next edit of the text as it is."""
        for edit in self._result("redline/nextEdit").get("edits", []):
            document = edit["textDocument"]
            if (document["uri"], document["version"]) != (
                self._uri,
                self.document.version,
            ):
                continue
            match self._rng.choice(["show", "take", "take", "dismiss", "lie"]):
                case "show":
                    self._notify("redline/nextEdit/shown", id=edit["id"])
                case "take":
                    self._take_text(edit["range"], edit["text"])
                    self._run("redline.nextEditAccepted", id=edit["id"])
                case "dismiss":
                    reason = self._rng.choice(["rejected", "ignored", "typed"])
                    self._notify(
                        "redline/nextEdit/dismissed", id=edit["id"], reason=reason
                    )
                case "lie":
                    self._run("redline.nextEditAccepted", id=edit["id"])
            return

    # Completions.

    def _request_inline(self) -> None:
        position = self._some_position()
        context: Json = {"triggerKind": self._rng.choice([1, 2])}
        if self._rng.random() < 0.15:
            where = {"start": position, "end": position}
            context["selectedCompletionInfo"] = {"range": where, "text": "tot"}
        self._ask_at("textDocument/inlineCompletion", position, context=context)

    def _take_inline(self) -> None:
        """Take a suggestion for the text as it is: one line, around the cursor."""
        method = "textDocument/inlineCompletion"
        for item in self._result(method).get("items", []):
            where, position = item["range"], self._asked[method][-1][1]["position"]
            start, end = where["start"], where["end"]
            assert start["line"] == end["line"] == position["line"]
            assert start["character"] <= position["character"] <= end["character"]
            self._take_text(where, item["insertText"])
            return

    def _request_completion(self) -> None:
        self._ask_at("textDocument/completion", self._some_position())

    # Code actions, and whatever else an editor sends.

    def _request_code_actions(self) -> None:
        self._ask_in(
            "textDocument/codeAction",
            range=self._some_range(),
            context={"diagnostics": []},
        )

    def _run_code_action(self) -> None:
        if not (actions := self._result("textDocument/codeAction")):
            return
        action = self._rng.choice(actions)
        command = action.get("command", {})
        if "data" in action:
            self._send_request("codeAction/resolve", action)
        # The others need a review, or ask the user something.
        elif command.get("command") == "redline.explain":
            self._send_request("workspace/executeCommand", command)

    def _request(self) -> None:
        session = self._some_session(ended=True)
        match self._rng.choice(
            ["target", "explain", "prompt", "stats", "reviews", "lenses", "state", "id"]
        ):
            case "target":
                position = self._some_position()
                self._run("redline.editTarget", uri=self._uri, position=position)
            case "explain":
                self._run("redline.explain", uri=self._uri, range=self._some_range())
            case "prompt":
                self._run("redline.lastPrompt")
            case "stats":
                self._run("redline.stats")
            case "reviews":
                self._run("redline.reviews")
            case "lenses":
                self._ask_in("textDocument/codeLens")
            case "state" if session:
                self._run("redline.editState", sessionId=session.id)
            case _:
                self._run("redline.nextEditAccepted", id="n999")

    def _cancel(self) -> None:
        if self._requests:
            request = self._rng.choice(self._requests[-_N_RECENT:])
            self._say(f"cancels {request}")
            self._editor.cancel(request)

    def _prepare(self) -> None:
        params = {"uri": self._uri, "range": self._some_range()}
        self._editor.notify("redline/edit/prepare", params)

    def _save(self) -> None:
        document = {"textDocument": {"uri": self._uri}}
        self._editor.notify("textDocument/didSave", document)

    def _rename_file(self) -> None:
        """Open the same text by another name; the model knows both."""
        text, version, before = self.document.text, self.document.version, self._uri
        self._uri = before.replace(".py", "r.py")
        self._say(f"renames the file to {self._uri}")
        self._undo.clear()
        self._editor.close_document(before)
        authors = self._model.authors
        authors[_path(self._uri)] = authors[_path(before)]
        files = {"files": [{"oldUri": before, "newUri": self._uri}]}
        if self._rng.random() < 0.5:
            self._editor.notify("workspace/didRenameFiles", files)
        self._editor.open(self._uri, text, version=version + 1)
        self._note_text()

    def _configure(self) -> None:
        """Change one to three settings, good or bad."""
        settings = copy.deepcopy(self._own)
        for change in self._rng.sample(_CHANGES, self._rng.randint(1, 3)):
            change(settings, self._rng)
        self._say(f"changes the settings to {settings}")
        self._editor.settings = settings
        self._editor.notify("workspace/didChangeConfiguration", {"settings": None})

    # Small things.

    def _take(self, request: Json, how: str) -> None:
        part = request["params"]["edit"]["documentChanges"][0]
        if part["textDocument"]["uri"] != self._uri:
            self._say("refuses an edit of a file that is closed")
            self._editor.reply(request, {"applied": False})
        else:
            super()._take(request, how)

    def _ask_at(self, method: str, position: Json, **more: object) -> None:
        self._ask_in(method, position=position, **more)

    def _ask_in(self, method: str, **params: object) -> None:
        document: Json = {"uri": self._uri}
        if method == "redline/nextEdit":
            document["version"] = self.document.version
        sent = {"textDocument": document, **params}
        request = self._send_request(method, sent)
        asked = {**sent, "version": self.document.version, "uri": self._uri}
        self._asked.setdefault(method, []).append((request, asked))

    def _send_request(self, method: str, params: Json) -> int:
        request = self._editor.ask(method, params)
        self._say(f"{method} {params} as {request}")
        self._requests.append(request)
        return request

    def _notify(self, method: str, **params: object) -> None:
        self._say(f"{method} {params}")
        self._editor.notify(method, params)

    def _result(self, method: str) -> Any:
        """The result of the last request, if it is for the text as it is."""
        for request, asked in self._asked.get(method, [])[-1:]:
            here = (asked["uri"], asked["version"])
            for message in self._editor.heard:
                if "method" in message or message.get("id") != request:
                    continue
                if here == (self._uri, self.document.version):
                    return message.get("result") or {}
        return {}

    def _take_text(self, where: Json, text: str) -> None:
        document = self.document
        start, end = document.offset(where["start"]), document.offset(where["end"])
        self._replace(start, end, text)

    def _some_position(self) -> Json:
        position: Json = self._some_range()["start"]
        return position

    def _new_text(self) -> str:
        """Code with names to rename, and lines of every width."""
        rng = self._rng
        lines = []
        for n in range(60):
            line = f"    value_{n} = total + compute(rows, value)  # line {n}"
            if n % 12 == 0:
                line = f"def compute_{n}(rows, total):"
            if n % 12 == 1:
                line = "    value = 0"
            lines.append(line + rng.choice(["", "", "  # ä", "  # 𝄞"]))
        end = rng.choice(["\n", "\n", "\r\n"])
        return end.join(lines) + rng.choice(["", end])


Change = Callable[[Json, Random], None]
"""Changes settings, well or badly."""


def _section(section: str, **drawn: Sequence[object]) -> Change:
    """Set members of a section to one of some values each."""

    def change(settings: Json, rng: Random) -> None:
        values = {name: rng.choice(values) for name, values in drawn.items()}
        settings[section] = {**settings.get(section, {}), **values}

    return change


def _model(**drawn: Sequence[object]) -> Change:
    """Set members of the model to one of some values each."""

    def change(settings: Json, rng: Random) -> None:
        for model in settings["models"].values():
            model |= {name: rng.choice(values) for name, values in drawn.items()}

    return change


def _fill(*tiers: str) -> Change:
    """Use the model for these tiers, and for no other."""

    def change(settings: Json, rng: Random) -> None:
        for name in settings["models"]:
            settings["tiers"] = dict.fromkeys(tiers, name)

    return change


def _without_models(settings: Json, rng: Random) -> None:
    settings |= {"models": {}, "tiers": {}}


_CHANGES: tuple[Change, ...] = (
    _without_models,
    _fill("deep"),
    _fill("fast", "standard", "deep", "draft"),
    _model(key=[{"env": "E2E_WRONG_KEY"}, {"env": "E2E_ABSENT_KEY"}]),
    _model(sockets=[1, 2, 4]),
    _model(steer=[True, False]),
    _model(url=["ws://127.0.0.1:9/v1/responses"]),
    _section("edit", on_stop=["keep", "drop"], on_typing=["stop", "replan"]),
    _section("edit", candidates=[1, 2, 4]),
    _section("edit", paints_per_s=[0, 5, 200]),
    _section("edit", apply=["banana"]),
    _section("edit", context_tokens=[0, 100, 5000], rewrite_lines=[1, 20]),
    _section("limits", landing_s=[0.05, 0.2, 1]),
    _section("limits", first_delta_s=[0.05, 10], stall_s=[0.05, 20]),
    _section("complete", enabled=[True, False], calm=["eager", "normal", "manual"]),
    _section("complete", per_minute=[0, 600]),
    _section("next_edit", enabled=[False]),
    _section("actions", precompute=[True], precompute_per_minute=[60]),
)


def _path(uri: str) -> str:
    return uri.rpartition("/")[2]
