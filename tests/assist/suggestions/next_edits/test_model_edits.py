"""Next edits by a model: when it is asked, what it is shown, what is offered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.assist.fake_model import FakeGeneration, FakeModel
from tests.assist.in_process import InThisProcess
from tests.assist.suggestions.next_edits.next_edit_services import (
    OneModel,
    next_edits_of,
)
from tests.assist.virtual_time import VirtualTimeLoop

from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.timely_rules import TimelyRules
from redline.assist.suggestions.next_edits.next_edits import SETTLE_S
from redline.assist.suggestions.next_edits.offered import OfferedEdit
from redline.assist.suggestions.next_edits.request_writer import NextEditWriter
from redline.completion.decode import CURSOR
from redline.errors import RateLimitedError
from redline.models.interface import Usage
from redline.settings.completion import NextEditSettings
from redline.text.document import ContentChange
from redline.text.position import Position, Range

CART = """def cost(rows, rate):
    total = 0
    for row in rows:
        total += row.price
    return total


def main():
    print(cost([]))
"""
ADDED = "        total += row.price * rate"
FOLLOWS = "H\n@@ cart.py\n-    print(cost([]))\n+    print(cost([], 1))\n"


class Desk:
    """An open file in a workspace, and a model that the test speaks for."""

    def __init__(
        self,
        folder: Path,
        text: str = CART,
        *,
        name: str = "cart.py",
        has_model: bool = True,
    ) -> None:
        self.folder = folder
        self.settings = NextEditSettings()
        self.changed: list[str] = []
        self.is_completing = False
        self.model = FakeModel(prices=(1.0, 10.0))
        self.models = OneModel(self.model if has_model else None)
        self.workspace = Workspace()
        self.workspace.change_roots(added=[folder.as_uri()], removed=())
        self.next_edits = next_edits_of(
            self.workspace,
            lambda: self.settings,
            parser=InThisProcess(),
            models=self.models,
            on_change=self.changed.append,
            is_completing=lambda uri, line: self.is_completing,
        )
        self.uri = (folder / name).as_uri()
        self.versions: dict[str, int] = {}
        self.open(name, text)

    def open(self, name: str, text: str) -> str:
        """Open a file in the editor; return its URI."""
        uri = (self.folder / name).as_uri()
        self.versions[uri] = 1
        self.workspace.open(uri, "python", 1, text)
        return uri

    def type(self, old: str, new: str, uri: str = "") -> None:
        """Replace a text that occurs once: delete it, and type the new one."""
        uri = uri or self.uri
        text = self.workspace.document(uri).snapshot().text
        offset = text.index(old)
        before = text[:offset]
        line, column = before.count("\n"), len(before.rpartition("\n")[2])
        start = Position(line, column)
        self.change(uri, Range(start, Position(line, column + len(old))), "")
        for number, key in enumerate(new):
            at = Position(line, column + number)
            self.change(uri, Range(at, at), key)

    def change(self, uri: str, where: Range, text: str) -> None:
        """Change a document at once."""
        self.versions[uri] += 1
        change = ContentChange(range=where, text=text)
        self.workspace.change(uri, self.versions[uri], [change])

    def ask(self, *, is_invoked: bool = False) -> OfferedEdit | None:
        """Request the next edit as an editor does when the change has settled."""
        return self.next_edits.next_edit(
            self.uri, None, is_settled=True, is_invoked=is_invoked
        )

    async def answered(self, reply: str, n: int = 0) -> list[tuple[str, str, str]]:
        """Answer a request, and return what is offered: file, old and new text."""
        (await self.model.generation(n)).reply(reply)
        await self.next_edits.found()
        return self.offers()

    def offers(self) -> list[tuple[str, str, str]]:
        """Return what is offered: file, old and new text."""
        return [
            (self.workspace.relative_path(file.document.uri), one.old, one.text)
            for file in self.next_edits.all_edits(self.uri)
            for one in file.edits
        ]

    async def replied(self, reply: str) -> list[tuple[str, str, str]]:
        """Let the added factor settle, answer, and return what is offered."""
        self.type("row.price", "row.price * rate")
        self.ask()
        return await self.answered(reply)


Work = Callable[[Desk], Awaitable[None]]


def run(folder: Path, work: Work, text: str = CART, *, name: str = "cart.py") -> None:
    """Run a test in virtual time."""

    async def awaited() -> None:
        desk = Desk(folder, text, name=name)
        await work(desk)
        await desk.next_edits.aclose()
        assert desk.model.n_running == 0

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(awaited())


OFFERED = [("cart.py", "", ", 1")]


def test_it_is_asked_when_the_user_pauses(tmp_path: Path) -> None:
    """Once for a text; what it answers is offered, and the client asks again."""

    async def work(desk: Desk) -> None:
        desk.type("row.price", "row.price * rate")
        assert desk.model.generations == []
        await asyncio.sleep(2 * SETTLE_S)
        desk.ask()
        assert len(desk.model.generations) == 1
        assert await desk.answered(FOLLOWS) == OFFERED
        assert desk.changed == [desk.uri]
        offered = desk.ask()
        assert offered is not None
        assert (offered.edit.rule, offered.n_left) == ("model", 0)
        assert len(desk.model.generations) == 1

    run(tmp_path, work)


def test_what_it_is_shown(tmp_path: Path) -> None:
    """What the user changed, the places of a replaced name, and the cursor."""

    async def work(desk: Desk) -> None:
        filler = "x = 1\n" * 60
        other = desk.open("main.py", f"{filler}z = 1\nprint(rate_of(2))\n")
        desk.type("z", "y", uri=other)
        desk.type("row.price", "row.price * rate")
        desk.ask()
        prompt = (await desk.model.generation()).prompt
        changed = (
            "main.py\noriginal:\nx = 1\nz = 1\nupdated:\nx = 1\ny = 1\n\n"
            "cart.py\noriginal:\n    for row in rows:\n        total += row.price\n"
            f"updated:\n    for row in rows:\n{ADDED}\n"
        )
        assert changed in prompt
        assert "Related place, main.py from line 58:" in prompt
        assert f"{ADDED}{CURSOR}\n    return total\n" in prompt

    run(tmp_path, work)


def test_the_rules_come_first(tmp_path: Path) -> None:
    """What they find needs no model."""

    async def work(desk: Desk) -> None:
        desk.type("rate):", "factor):")
        desk.type("row.price", "row.price * factor")
        desk.type("total = 0", "whole = 0")
        desk.ask()
        await asyncio.sleep(1)
        assert [old for _, old, _ in desk.offers()] == ["total", "total"]
        assert desk.model.generations == []

    run(tmp_path, work)


def test_patches_follow_one_another(tmp_path: Path) -> None:
    """Accepting the last one asks for what follows from it, at once."""
    reply = (
        "M\n@@ cart.py\n-    return total\n+    return round(total)\n"
        "@@ cart.py\n-    print(cost([]))\n+    print(cost([], 1))\n"
    )

    async def work(desk: Desk) -> None:
        offers = await desk.replied(reply)
        assert [new for _, _, new in offers] == ["round(total)", ", 1"]
        for n_left in (1, 0):
            offered = desk.ask()
            assert offered is not None
            assert offered.n_left == n_left
            assert len(desk.model.generations) == 1
            desk.change(desk.uri, offered.edit.range, offered.edit.text)
        assert desk.next_edits.counter.total.accepted == 2
        desk.ask()
        prompt = (await desk.model.generation(1)).prompt
        assert "updated (accepted suggestion):" in prompt
        assert await desk.answered("N", 1) == []
        await asyncio.sleep(1)
        desk.ask()
        assert len(desk.model.generations) == 2

    run(tmp_path, work)


def test_in_another_open_file(tmp_path: Path) -> None:
    """It is offered after those at hand; undo withdraws it."""
    reply = (
        "H\n@@ main.py\n-print(cost([]))\n+print(cost([], 2))\n"
        "@@ cart.py\n-    return total\n+    return -total\n"
    )

    async def work(desk: Desk) -> None:
        main = desk.open("main.py", "from cart import cost\n\nprint(cost([]))\n")
        desk.type("rate):", "rate=2):")
        desk.ask()
        offers = await desk.answered(reply)
        assert offers == [("cart.py", "", "-"), ("main.py", "", ", 2")]
        desk.type("rate=2):", "rate):")
        assert desk.offers() == []
        assert desk.next_edits.all_edits(main) == []

    run(tmp_path, work)


@pytest.mark.parametrize("way", ["type", "type in another file", "close"])
def test_a_key_stops_it(tmp_path: Path, way: str) -> None:
    """Nothing that it writes afterwards is offered."""

    async def work(desk: Desk) -> None:
        # It is shown, since it calls the function that was changed.
        main = desk.open("main.py", "from cart import cost\n\nprint(cost([]))\n")
        desk.type("rate):", "rate=2):")
        desk.ask()
        generation = await desk.model.generation()
        if way == "type":
            desk.type("rate=2", "rate=3")
        elif way == "type in another file":
            desk.type("print", "exit", uri=main)
        else:
            desk.workspace.close(desk.uri)
            assert await desk.answered(FOLLOWS) == []
            return
        assert generation.is_stopped
        assert await desk.answered(FOLLOWS) == []

    run(tmp_path, work)


def test_a_change_that_it_does_not_see(tmp_path: Path) -> None:
    """Such as of a file of settings, which the editor writes itself."""

    async def work(desk: Desk) -> None:
        other = desk.open("other.py", "x = 1\n")
        desk.type("row.price", "row.price * rate")
        desk.ask()
        await desk.model.generation()
        desk.type("x", "y", uri=other)
        assert await desk.answered(FOLLOWS) == OFFERED

    run(tmp_path, work)


NOTHING = {
    "no edit": "N\n",
    "a guess": FOLLOWS.replace("H", "L", 1),
    "not understood": "Sure! You could also change main().",
    "not in sight": "H\n@@ cart.py\n-    return totals\n+    return 1\n",
    "other blanks": "H\n@@ cart.py\n-  return total\n+  return 1\n",
    "another file": FOLLOWS.replace("cart.py", "other.py"),
    "no change": "H\n@@ cart.py\n-    return total\n+    return total\n",
    "blanks": "H\n@@ cart.py\n-    return total\n+    return  total\n",
    "undoes what was typed": f"H\n@@ cart.py\n-{ADDED}\n+        total += row.price\n",
    "changes what was typed": (
        f"H\n@@ cart.py\n-{ADDED}\n+        total += row.price * tax\n"
    ),
    "worse syntax": "H\n@@ cart.py\n-    return total\n+    return (total\n",
    "an import of nothing": (
        "H\n@@ cart.py\n-    return total\n"
        "+    from .gone import f\n+    return f(total)\n"
    ),
    "elided": "H\n@@ cart.py\n-    return total\n+    # ... rest of the code\n",
    "a key": (
        "H\n@@ cart.py\n-    return total\n"
        '+    return call("sk-live-4f9aD83kLmQ2vX7tR1wZ")\n'
    ),
    "a repeated line": ("H\n@@ cart.py\n     return total\n+    return total\n"),
    "too many lines": ("H\n@@ cart.py\n     return total\n" + "+    x = 1\n" * 13),
}


@pytest.mark.parametrize("reply", NOTHING.values(), ids=NOTHING.keys())
def test_what_is_not_offered(tmp_path: Path, reply: str) -> None:
    """Neither is a patch that comes after it."""

    async def work(desk: Desk) -> None:
        rest = FOLLOWS.removeprefix("H\n") if reply.startswith("H") else ""
        assert await desk.replied(reply + rest) == []

    run(tmp_path, work)


def rewriting(desk: Desk) -> FakeModel:
    """Replace the model of a desk by one that rewrites lines."""
    desk.model.api, desk.model.name = "fim", "sweep-next-edit-1.5b"
    return desk.model


def test_a_model_that_rewrites(tmp_path: Path) -> None:
    """It is shown its own form, and what it writes otherwise is offered."""

    async def work(desk: Desk) -> None:
        model = rewriting(desk)
        changed = CART.replace("row.price", "row.price * rate")
        reply = changed.replace("cost([])", "cost([], 1)")
        assert await desk.replied(reply) == OFFERED
        raw = model.generations[0].request.prompt.raw
        assert raw is not None
        assert raw.text.endswith("<|file_sep|>updated/cart.py\n")
        before, _, now = raw.text.partition("<|file_sep|>current/cart.py\n")
        assert "total += row.price\n" in before.partition("original/cart.py")[2]
        assert "total += row.price * rate\n" in now
        # No counts of tokens are reported: the raw prompt is what was sent.
        assert desk.next_edits.counter.total.input_tokens == len(raw.text) // 4

    run(tmp_path, work)


def test_how_sure_a_model_is_that_rewrites(tmp_path: Path) -> None:
    """It does not say, so it is not sure enough for `low`."""

    async def work(desk: Desk) -> None:
        rewriting(desk)
        desk.settings = NextEditSettings(eagerness="low")
        changed = CART.replace("row.price", "row.price * rate")
        assert await desk.replied(changed.replace("cost([])", "cost([], 1)")) == []

    run(tmp_path, work)


@pytest.mark.parametrize(
    "reply",
    [
        # The end is missing; the user's own change is undone; the text is the same.
        "def cost(rows, rate):\n    total = 0\n",
        CART,
        CART.replace("row.price", "row.price * rate"),
        CART.replace("row.price", "row.price * rate") + "x = (\n",
    ],
)
def test_a_rewrite_that_is_not_offered(tmp_path: Path, reply: str) -> None:
    async def work(desk: Desk) -> None:
        rewriting(desk)
        assert await desk.replied(reply) == []

    run(tmp_path, work)


def test_a_mark_of_the_model_that_rewrites(tmp_path: Path) -> None:
    """A file that holds it is not sent."""

    async def work(desk: Desk) -> None:
        rewriting(desk)
        desk.type("row.price", "row.price * rate")
        desk.ask()
        assert not desk.model.generations

    run(tmp_path, work, CART.replace("main()", "main(x='<|file_sep|>')"))


def test_what_is_removed_stays_so(tmp_path: Path) -> None:
    """The model does not bring it back, however it writes it."""
    back = "H\n@@ cart.py\n-    return total\n+    check(rows)\n+    return total\n"

    async def work(desk: Desk) -> None:
        desk.change(desk.uri, Range(Position(4, 0), Position(5, 0)), "")
        desk.ask()
        assert await desk.answered(back) == []

    run(tmp_path, work, CART.replace("    return", "    check(rows)\n    return"))


def test_a_removed_line_stays_so(tmp_path: Path) -> None:
    """Also if it begins like the line below it, so that other characters are gone."""
    back = "H\n@@ cart.py\n-    total += 1\n+    total += 2\n+    total += 1\n"

    async def work(desk: Desk) -> None:
        desk.change(desk.uri, Range(Position(2, 0), Position(3, 0)), "")
        desk.ask()
        assert await desk.answered(back) == []

    text = CART.replace("    for", "    total += 2\n    total += 1\n    for")
    run(tmp_path, work, text)


def test_an_accepted_suggestion_may_be_changed_again(tmp_path: Path) -> None:
    """It is not the user's own text."""
    again = "H\n@@ cart.py\n-    print(cost([], 1))\n+    print(cost([], rate=1))\n"

    async def work(desk: Desk) -> None:
        assert await desk.replied(FOLLOWS) == OFFERED
        offered = desk.ask()
        assert offered is not None
        desk.change(desk.uri, offered.edit.range, offered.edit.text)
        desk.ask()
        assert await desk.answered(again, 1) == [("cart.py", "", "rate=")]

    run(tmp_path, work)


def test_the_word_at_the_cursor_stays(tmp_path: Path) -> None:
    """An edit may finish it, and not drop it."""

    async def work(desk: Desk) -> None:
        desk.type("    return total", "    pri")
        desk.ask()
        drops = "H\n@@ cart.py\n-    pri\n+    return total\n"
        assert await desk.answered(drops) == []
        desk.type("    pri", "    prin")
        desk.ask()
        ends = "H\n@@ cart.py\n-    prin\n+    print(total)\n"
        assert await desk.answered(ends, 1) == [("cart.py", "prin", "print(total)")]

    run(tmp_path, work)


def test_a_rejected_edit_is_not_offered_again(tmp_path: Path) -> None:
    """After the pause that follows a rejection the model is asked, but not for that."""

    async def work(desk: Desk) -> None:
        await desk.replied(FOLLOWS)
        offered = desk.ask()
        assert offered is not None
        desk.next_edits.dismissed(offered.id, "rejected")
        desk.type("rows, rate", "rows, rate=1")
        assert desk.ask() is None
        assert len(desk.model.generations) == 1
        await asyncio.sleep(6)
        desk.ask()
        assert await desk.answered(FOLLOWS, 1) == []

    run(tmp_path, work)


def test_a_cut_answer(tmp_path: Path) -> None:
    """Its last patch is dropped."""

    async def work(desk: Desk) -> None:
        desk.type("row.price", "row.price * rate")
        desk.ask()
        generation = await desk.model.generation()
        generation.write(FOLLOWS + "@@ cart.py\n-    return total\n")
        generation.finish("length")
        await desk.next_edits.found()
        assert desk.offers() == OFFERED

    run(tmp_path, work)


def test_eagerness(tmp_path: Path) -> None:
    """Every guess, if the user wants it so."""

    async def work(desk: Desk) -> None:
        desk.settings = NextEditSettings(eagerness="high")
        assert await desk.replied(FOLLOWS.replace("H", "L", 1)) == OFFERED

    run(tmp_path, work)


# When nothing is sent.


@pytest.mark.parametrize("name", [".env", "private/a.py"])
def test_secret_and_ignored_files(tmp_path: Path, name: str) -> None:
    """Not even when the user asks."""
    (tmp_path / ".redlineignore").write_text("private/\n")

    async def work(desk: Desk) -> None:
        desk.type("row.price", "row.price * rate")
        desk.ask(is_invoked=True)
        await desk.next_edits.found()
        assert desk.model.generations == []

    run(tmp_path, work, name=name)


def test_ignored_files_are_not_shown_beside_others(tmp_path: Path) -> None:
    """Neither their edits nor their lines."""
    (tmp_path / ".redlineignore").write_text("private.py\n")

    async def work(desk: Desk) -> None:
        private = desk.open("private.py", "secret_plan(row.price)\n")
        desk.type("secret_plan", "hidden_plan", uri=private)
        desk.type("row.price", "row.price * rate")
        desk.ask()
        prompt = (await desk.model.generation()).prompt
        assert "plan" not in prompt

    run(tmp_path, work)


def test_secrets_are_hidden_and_put_back(tmp_path: Path) -> None:
    """The model sees a placeholder, and its answer means the value."""
    key = "sk-proj-4f9aK2mQ8xZ7LwP3sT6vB1nR5yC0d"

    async def work(desk: Desk) -> None:
        desk.type("row.price", "row.price * rate")
        desk.ask()
        generation = await desk.model.generation()
        assert key not in generation.prompt
        assert "REDLINE_SECRET_000000" in generation.prompt
        line = '    call("REDLINE_SECRET_000000")'
        reply = f"H\n@@ cart.py\n-{line}\n+{line.replace(')', ', rate)')}\n"
        assert await desk.answered(reply) == [("cart.py", "", ", rate")]

    text = CART.replace("    return total", f'    call("{key}")\n    return total')
    run(tmp_path, work, text)


@pytest.mark.parametrize("model", ["m", "zeta-2"])
def test_a_secret_in_the_name_of_a_file_is_hidden(tmp_path: Path, model: str) -> None:
    """Of the file with the cursor, and of the file of another change."""
    key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

    async def work(desk: Desk) -> None:
        desk.model.name = model
        other = desk.open(f"{key}.py", "total = row.price\n")
        desk.type("row.price", "row.price * rate", uri=other)
        desk.type("row.price", "row.price * rate")
        desk.ask()
        prompt = (await desk.model.generation()).prompt
        assert "REDLINE_SECRET_000000.py" in prompt
        assert key not in prompt

    run(tmp_path, work)


def test_a_file_that_holds_the_mark_of_the_cursor(tmp_path: Path) -> None:
    """It is not sent: the mark would be in it twice."""

    async def work(desk: Desk) -> None:
        desk.type("row.price", "row.price * rate")
        desk.ask()
        await desk.next_edits.found()
        assert desk.model.generations == []

    run(tmp_path, work, f"{CART}# {CURSOR}\n")


def test_a_part_of_a_key_is_not_sent(tmp_path: Path) -> None:
    """Though the window shows only lines of it that look like any text."""
    body = "".join(f"{'A1b2C3d4' * 8}\n" for _ in range(40))
    pem = f"-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\n"

    async def work(desk: Desk) -> None:
        desk.change(desk.uri, Range(Position(25, 0), Position(25, 2)), "zz")
        desk.ask()
        await desk.next_edits.found()
        assert desk.model.generations == []

    run(tmp_path, work, f'KEY = """\n{pem}"""\n')


@pytest.mark.parametrize(("line", "character"), [(1, 12), (2, 0), (2, 4), (3, 1)])
def test_a_value_whose_name_is_on_another_line_is_hidden(
    tmp_path: Path, line: int, character: int
) -> None:
    """Also if the cursor is between the two."""

    async def work(desk: Desk) -> None:
        desk.type("x = 1", "y = 1")
        at = Position(line, character)
        desk.next_edits.next_edit(desk.uri, at, is_settled=True, is_invoked=True)
        prompt = (await desk.model.generation()).prompt
        assert "hunter2abc" not in prompt
        assert "REDLINE_SECRET_000000" in prompt

    text = 'import x\npassword = (\n    "hunter2abc"\n)\n\nx = 1\n'
    run(tmp_path, work, text)


def test_an_entry_far_below_the_line_that_makes_it_secret(tmp_path: Path) -> None:
    """Neither the window nor the last change shows it."""
    entries = [f"  entry{number}: paddle{number}-otter" for number in range(400)]

    async def work(desk: Desk) -> None:
        desk.type("paddle395", "lantern395")
        at = Position(399, 0)
        desk.next_edits.next_edit(desk.uri, at, is_settled=True, is_invoked=True)
        prompt = (await desk.model.generation()).prompt
        assert "REDLINE_SECRET_000000" in prompt
        assert "paddle" not in prompt
        assert "lantern" not in prompt

    text = "\n".join(["kind: Secret", "stringData:", *entries, ""])
    run(tmp_path, work, text, name="deploy.yaml")


@pytest.mark.parametrize("is_rewriting", [False, True])
def test_entries_whose_head_was_removed(tmp_path: Path, *, is_rewriting: bool) -> None:
    """What the text was before says that they are secret."""
    entries = [f"  entry{number}: paddle{number}-otter" for number in range(400)]

    async def work(desk: Desk) -> None:
        if is_rewriting:
            rewriting(desk)
        desk.type("entry395", "item395")
        desk.change(desk.uri, Range(Position(0, 0), Position(2, 0)), "")
        at = Position(399, 0)
        desk.next_edits.next_edit(desk.uri, at, is_settled=True, is_invoked=True)
        prompt = (await desk.model.generation()).request.prompt
        text = prompt.raw.text if prompt.raw else prompt.chat_messages[0].text
        assert "REDLINE_SECRET_0000" in text
        assert "paddle" not in text

    text = "\n".join(["kind: Secret", "stringData:", *entries, ""])
    run(tmp_path, work, text, name="deploy.yaml")


def test_a_cursor_in_an_entry_far_below_its_head(tmp_path: Path) -> None:
    """Neither half of the value is sent."""
    entries = [f"  entry{number}: paddle{number}-otter" for number in range(400)]

    async def work(desk: Desk) -> None:
        desk.type("entry395", "item395")
        at = Position(390, len(entries[388]) - 3)
        desk.next_edits.next_edit(desk.uri, at, is_settled=True, is_invoked=True)
        await desk.next_edits.found()
        assert desk.model.generations == []

    text = "\n".join(["kind: Secret", "stringData:", *entries, ""])
    run(tmp_path, work, text, name="deploy.yaml")


def test_not_while_a_completion_is_shown(tmp_path: Path) -> None:
    """Unless the user asks; afterwards it is asked for the same text."""

    async def work(desk: Desk) -> None:
        desk.is_completing = True
        desk.type("row.price", "row.price * rate")
        desk.ask()
        assert desk.model.generations == []
        desk.is_completing = False
        desk.ask()
        assert await desk.answered("N") == []
        desk.ask(is_invoked=True)
        assert await desk.answered(FOLLOWS, 1) == OFFERED

    run(tmp_path, work)


def test_a_long_line_is_not_sent(tmp_path: Path) -> None:
    """A file of one line of a megabyte is no code that someone writes."""

    async def work(desk: Desk) -> None:
        desk.change(desk.uri, Range(Position(0, 0), Position(0, 0)), "y")
        desk.ask(is_invoked=True)
        await desk.next_edits.found()
        assert desk.model.generations == []

    run(tmp_path, work, "x=1;" * 250_000)


def test_not_before_the_settings_are_known(tmp_path: Path) -> None:
    """A text is not taken as seen by a model before a request was sent."""

    async def work(desk: Desk) -> None:
        desk.models.is_ready = False
        desk.type("row.price", "row.price * rate")
        desk.ask()
        await desk.next_edits.found()
        assert desk.model.generations == []
        desk.models.is_ready = True
        desk.next_edits.settings_known()
        assert await desk.answered(FOLLOWS) == OFFERED
        desk.next_edits.settings_known()
        await desk.next_edits.found()
        assert len(desk.model.generations) == 1

    run(tmp_path, work)


@pytest.mark.parametrize("is_typing", [False, True])
def test_settings_that_change_while_it_writes(
    tmp_path: Path, *, is_typing: bool
) -> None:
    """It is asked again, unless the user types: then as after any change."""

    async def work(desk: Desk) -> None:
        desk.type("row.price", "row.price * rate")
        desk.ask()
        generation = await desk.model.generation()
        desk.models.is_ready = False
        desk.next_edits.model.expect_settings()
        assert generation.is_stopped
        if is_typing:
            desk.type("total = 0", "total = 1")
        desk.models.is_ready = True
        desk.next_edits.settings_known()
        if is_typing:
            await desk.next_edits.found()
            assert len(desk.model.generations) == 1
            desk.ask()
        assert await desk.answered(FOLLOWS, 1) == OFFERED

    run(tmp_path, work)


def test_what_is_stopped_at_once_is_not_sent(tmp_path: Path) -> None:
    """As when the settings change."""

    async def work(desk: Desk) -> None:
        desk.type("row.price", "row.price * rate")
        desk.ask()
        desk.next_edits.model.stop()
        await desk.next_edits.found()
        assert desk.model.generations == []

    run(tmp_path, work)


def test_not_after_undo(tmp_path: Path) -> None:
    """A change that was taken back leads to nothing."""

    async def work(desk: Desk) -> None:
        where = Range(Position(4, 11), Position(4, 16))
        desk.change(desk.uri, where, "whole")
        desk.change(desk.uri, where, "total")
        desk.ask()
        await desk.next_edits.found()
        assert desk.model.generations == []

    run(tmp_path, work)


def test_without_a_model(tmp_path: Path) -> None:
    """The rules work as before, also if the user asks."""

    async def work() -> None:
        desk = Desk(tmp_path, has_model=False)
        desk.type("row.price", "row.price * rate")
        assert desk.ask(is_invoked=True) is None
        desk.type("total = 0", "whole = 0")
        assert desk.ask() is not None
        await desk.next_edits.aclose()

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(work())


def test_the_limits(tmp_path: Path) -> None:
    """Of requests a minute, of dollars a day, and after a refusal by rate."""

    async def ask(desk: Desk, number: int) -> FakeGeneration | None:
        n_before = len(desk.model.generations)
        desk.type("# end", f"# {number}\n# end")
        desk.ask()
        if desk.next_edits.counter.total.requests == n_before:
            return None
        return await desk.model.generation(n_before)

    def pause(desk: Desk) -> str:
        return desk.next_edits.model.pause

    async def work(desk: Desk) -> None:
        desk.settings = NextEditSettings(per_minute=2)
        for number in range(3):
            generation = await ask(desk, number)
            assert (generation is None) is (number == 2)
            if generation is not None:
                generation.write("N")
                usage = Usage(input_n_tokens=1_000, output_n_tokens=100)
                generation.finish(usage=usage)
                await desk.next_edits.found()
        assert pause(desk) == "minute"
        assert desk.next_edits.model.usd_today == pytest.approx(2 * 0.002)
        await asyncio.sleep(61)
        desk.settings = replace(desk.settings, usd_per_day=0.004)
        assert await ask(desk, 3) is None
        assert pause(desk) == "day"
        desk.settings = NextEditSettings()
        generation = await ask(desk, 4)
        assert generation is not None
        generation.fail(RateLimitedError("slow down"))
        await desk.next_edits.found()
        assert pause(desk) == "failures"
        assert await ask(desk, 5) is None

    run(tmp_path, work, f"{CART}# end\n")


def test_no_part_of_a_secret_is_in_a_long_problem() -> None:
    """It is cut before secrets are searched."""
    token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    workspace = Workspace()
    workspace.open("file:///project/a.py", "python", 1, "x = 1\ny = 2\n")
    writer = NextEditWriter(
        workspace,
        "key",
        TimelyRules(),
        recent_edits=lambda: (),
        is_accepted=lambda edit: False,
        problems=lambda document, lines: [(0, f"{'a ' * 145}{token}")],
    )
    document = workspace.document("file:///project/a.py")
    written = writer.write(document, Position(1, 0), ())
    assert written is not None
    assert "a a a" in repr(written.request.prompt)
    assert token[:4] not in repr(written.request.prompt)
