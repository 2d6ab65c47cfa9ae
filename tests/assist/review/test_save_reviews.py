"""Reviews on save: what they read, what ends them, and their budgets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.assist.conftest import FakeTiers
from tests.assist.review.answering_model import claim, findings, verdict
from tests.assist.review.git_project import GitProject
from tests.assist.review.test_reviews import WAIT_S, ReviewHarness

from redline.assist.editor.workspace import Workspace
from redline.assist.review.change.saved import MAX_HUNKS, saved_scope, widened
from redline.assist.review.related.outlines import SourceText, read_outline
from redline.assist.review.save_reviews import SaveReviews
from redline.findings.review import Review, ReviewRequest
from redline.findings.scope import ReviewedFile, ReviewScope, SinceReview
from redline.syntax.language import Language
from redline.text.document import ContentChange
from redline.text.layout import is_same_code

CODE = (
    "def share(total, n):\n    return total\n\n\ndef first(names):\n    return names\n"
)
DIVIDES = CODE.replace("return total", "return total / n")
FIRST = DIVIDES.replace("return names", "return names[0]")


class Saver:
    """An editor with one file, whose saves are reviewed."""

    def __init__(self, harness: ReviewHarness) -> None:
        self.harness = harness
        self.project = GitProject(harness.folder)
        harness.file.write_text(CODE)
        self.project.commit()
        harness.configure(on_save="hunks")
        harness.standard.answer = answers(
            claim("return total / n", "It divides by zero"),
            claim("return names[0]", "It may be empty"),
        )
        self.workspace = Workspace()
        self.workspace.change_roots(added=[harness.folder.as_uri()], removed=())
        self.uri = harness.file.as_uri()
        self.workspace.open(self.uri, "python", 1, CODE)
        self.said: list[str] = []
        self.started: list[str] = []
        self.news = asyncio.Event()
        self.go_on = asyncio.Event()
        """Until it is set, a review that was stored has no id for its save."""
        self.go_on.set()
        self.pause_s = 0.0
        self.saves = self.new_saves()

    def new_saves(self) -> SaveReviews:
        """Start them over, as another server does."""
        tiers = FakeTiers(self.harness.deep)
        tiers.models = {"standard": self.harness.standard}
        return SaveReviews(
            workspace=self.workspace,
            reviews=self.harness.reviews,
            tiers=tiers,
            settings=lambda: self.harness.settings.review,
            start=self.start,
            say=self.said.append,
            now=lambda: self.harness.now,
            pause_s=self.pause_s,
        )

    async def start(self, uri: str) -> str:
        """Start the review of a save."""
        root = self.harness.folder.as_uri()
        request = ReviewRequest(
            target=SinceReview(root=root, paths=("a.py",)), roots=(root,), origin="save"
        )
        self.started.append(await self.harness.reviews.start(request))
        self.news.set()
        await self.go_on.wait()
        return self.started[-1]

    def type(self, text: str) -> None:
        """Replace the text in the editor."""
        document = self.workspace.document(self.uri)
        self.workspace.change(
            self.uri, document.version + 1, [ContentChange(range=None, text=text)]
        )

    def save(self, text: str) -> None:
        """Write the file with another text."""
        if self.workspace.document(self.uri).snapshot().text != text:
            self.type(text)
        self.harness.file.write_text(text)
        self.news.clear()
        self.saves.saved(self.uri)

    async def begun(self) -> str:
        """Wait until a review has begun; return its id."""
        async with asyncio.timeout(WAIT_S):
            await self.news.wait()
        return self.started[-1]

    async def idle(self) -> None:
        """Let everything run that can."""
        for _ in range(20):
            await asyncio.sleep(0)

    async def reviewed(self, text: str) -> Review:
        """Save, and wait for the end of the review."""
        self.save(text)
        return await self.harness.end(await self.begun())


def answers(*claims: dict[str, object]) -> Callable[[str], str]:
    """A model that reports findings, and refutes none of them."""

    def answer(prompt: str) -> str:
        return verdict("upheld") if "verdict" in prompt else findings(*claims)

    return answer


@pytest.fixture
async def saver(tmp_path: Path) -> AsyncIterator[Saver]:
    harness = ReviewHarness(tmp_path)
    saver = Saver(harness)
    yield saver
    await saver.saves.aclose()
    await harness.aclose()


async def test_a_save_is_reviewed_once(saver: Saver) -> None:
    """Only what it has changed, by the standard tier; no fix, no scout."""
    first = await saver.reviewed(DIVIDES)
    assert first.scope == "what was saved in a.py"
    assert (first.state, first.n_findings, first.n_dropped) == ("done", 1, 1)
    assert saver.harness.screen.titles == ["It divides by zero"]
    second = await saver.reviewed(FIRST)
    assert second.n_findings == 1
    assert saver.harness.screen.titles == ["It divides by zero", "It may be empty"]
    assert saver.harness.deep.prompts == []
    assert saver.harness.fast.prompts == []
    n_asked = len(saver.harness.standard.prompts)
    saver.save(FIRST)
    saver.saves = saver.new_saves()
    # After a restart, by what is stored.
    third = await saver.reviewed(FIRST)
    assert third.message == "Nothing has changed since the last review."
    assert len(saver.harness.standard.prompts) == n_asked


async def test_the_definition_around_a_change_is_reviewed(saver: Saver) -> None:
    """A change may break another line of its function, and no other function."""
    saver.harness.standard.answer = answers(
        claim("def share(total, n):", "Its callers pass no number"),
        claim("def first(names):", "It is not sorted"),
    )
    await saver.reviewed(DIVIDES)
    assert saver.harness.screen.titles == ["Its callers pass no number"]


async def test_low_findings_are_dropped(saver: Saver) -> None:
    """They are in the report, with the reason."""
    saver.harness.standard.answer = answers(
        claim("return total / n", "It is unclear", severity="low")
    )
    review = await saver.reviewed(DIVIDES)
    assert (review.n_findings, review.n_dropped) == (0, 1)
    (dropped,) = (await saver.harness.reviews.reviewed(review.id)).dropped
    assert dropped.reason == "minor"


async def test_guarded_code_is_reviewed_by_the_deep_tier(saver: Saver) -> None:
    """As an edit of it would be."""
    saver.harness.deep.answer = lambda prompt: findings()
    await saver.reviewed(
        CODE + "\n\ndef login(user, password):\n    return check_password(password)\n"
    )
    assert len(saver.harness.deep.prompts) == 1


async def test_the_next_save_cancels_the_review(saver: Saver) -> None:
    """Its own review is of both changes."""
    saver.harness.standard.answer = lambda prompt: None  # It waits.
    saver.save(DIVIDES)
    first = await saver.begun()
    saver.harness.standard.answer = answers(claim("return total / n"))
    second = await saver.reviewed(FIRST)
    assert (await saver.harness.end(first)).state == "cancelled"
    assert (second.state, second.n_findings) == ("done", 1)


async def test_typing_in_the_lines_cancels_the_review(saver: Saver) -> None:
    """And typing elsewhere does not."""
    await saver.harness.reviews.resume([saver.harness.folder.as_uri()])
    saver.harness.standard.answer = lambda prompt: None  # It waits.
    saver.save(DIVIDES)
    review_id = await saver.begun()
    async with asyncio.timeout(WAIT_S):
        await saver.harness.standard.generation()
    saver.type("# more\n" + DIVIDES)
    assert not saver.harness.reviews.review(review_id).has_ended
    saver.type(DIVIDES.replace("total / n", "total // n"))
    assert (await saver.harness.end(review_id)).state == "cancelled"


async def test_a_key_after_a_save_begins_none(saver: Saver) -> None:
    """The next save is for both."""
    saver.save(DIVIDES)
    saver.type(FIRST)
    review = await saver.reviewed(FIRST)
    assert saver.started == [review.id]
    assert review.n_findings == 2


async def test_a_key_while_a_review_starts_cancels_it(saver: Saver) -> None:
    """It is stored by then."""
    saver.go_on.clear()
    saver.harness.standard.answer = lambda prompt: None  # It waits.
    saver.save(DIVIDES)
    review_id = await saver.begun()
    saver.type(FIRST)
    saver.go_on.set()
    assert (await saver.harness.end(review_id)).state == "cancelled"


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"live_per_hour": 1}, "1 in the last hour (`review.live_per_hour`)"),
        ({"live_cost_per_day": 0.01}, "in a day (`review.live_cost_per_day`)"),
    ],
)
async def test_budgets(saver: Saver, limits: dict[str, object], words: str) -> None:
    """The user is told once; what was not reviewed is reviewed later."""
    saver.harness.configure(on_save="hunks", **limits)
    saver.harness.standard.prices = (100.0, 100.0)
    await saver.reviewed(DIVIDES)
    for text in (FIRST, FIRST + "\n# more\n"):
        saver.save(text)
        await saver.idle()
    assert len(saver.started) == 1
    (said,) = saver.said
    assert words in said
    saver.harness.now += 100_000
    later = await saver.reviewed(FIRST)
    assert later.n_findings == 1


async def test_nothing_is_reviewed_unless_it_is_on(saver: Saver) -> None:
    """The default is off."""
    saver.harness.configure(on_save="off")
    saver.save(DIVIDES)
    await saver.idle()
    assert saver.started == []


def scope_of(text: str, *spans: tuple[int, int]) -> ReviewScope:
    return ReviewScope(
        target=SinceReview(root="file:///p", paths=("a.py",)),
        title="all",
        files=(
            ReviewedFile(
                path="a.py", uri="file:///p/a.py", language="python", text=text,
                spans=spans,
            ),
        ),
    )  # fmt: skip


def test_a_change_is_widened_to_the_smallest_definition() -> None:
    """Unless that is long; code outside of definitions stays as it is."""
    lines = [
        *("import a", "class A:", "    def f(self):", "        x = 1"),
        *("        y = 2", "    def g(self):", "        z = 3", "b = 4"),
    ]
    text = "\n".join([*lines, "def long():", *["    c = 5"] * 200, ""])
    definitions = read_outline(
        SourceText(text=text, language=Language.PYTHON)
    ).definitions
    (file,) = scope_of(text, (0, 1), (4, 5), (50, 51)).files
    assert widened(file, definitions).spans == ((0, 1), (2, 5), (50, 51))
    (file,) = scope_of(text, (3, 6), (7, 8)).files
    assert widened(file, definitions).spans == ((1, 8),)


def test_a_save_has_few_hunks_and_no_generated_file() -> None:
    """The rest is left to the next save; a rule leaves out what is generated."""
    spans = [(2 * n, 2 * n + 1) for n in range(MAX_HUNKS + 2)]
    scope, later = saved_scope(scope_of("x\n" * 40, *spans))
    assert list(scope.files[0].spans) == spans[:MAX_HUNKS]
    assert later == {"file:///p/a.py": tuple(spans[MAX_HUNKS:])}
    text = "# Code generated by a tool.\n# DO NOT EDIT.\nx = 1\n"
    scope, _ = saved_scope(scope_of(text, (0, 3)))
    assert scope.files == ()
    (left_out,) = scope.left_out
    assert (left_out.reason, left_out.by_rule) == ("it is generated", True)


@pytest.mark.parametrize(
    ("one", "other", "language", "is_same"),
    [
        ("a\nb\n", "a\n\nb  \n", "python", True),
        ("a\r\nb\r\n", "a\nb", "python", True),
        ("lock()\nwrite()\n", "write()\nlock()\n", "python", False),
        ("if a:\n  b\n", "if a:\n    b\n", "python", False),
        ("if (a) {\n  b\n}\n", "if (a) {\n\tb\n\n}\n", "c", True),
        ("// a\nb();\n", "// a b();\n", "c", False),
        ('x = "a  b";\n', 'x = "a b";\n', "c", False),
        ("a b\n", "ab\n", "c", False),
        ("a\n", "a\na\n", "c", False),
    ],
)
def test_the_layout_alone_is_no_change(
    one: str, other: str, language: str, is_same: bool
) -> None:
    """Blank lines, indentation and line ends; code that may act otherwise is new."""
    assert is_same_code(one, other, language) is is_same
