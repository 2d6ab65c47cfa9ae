"""Fixes are applied where their lines are now, if they pass with the current text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from tests.assist.anchors import n_anchors_of
from tests.assist.conftest import EditHarness, FakeTiers
from tests.assist.fake_editor import URI, refuse
from tests.assist.in_process import InThisProcess
from tests.assist.review.answering_model import AnsweringModel

from redline.assist.edit.document.applier import Applier
from redline.assist.review.job.job_tools import JobTools
from redline.assist.review.shown.apply_fix import FixApplier
from redline.assist.review.shown.shown_findings import ShownFindings
from redline.errors import (
    CallerError,
    EditNotLandedError,
    OutdatedError,
    UnknownReviewError,
)
from redline.findings.finding import Finding, FindingState, Fix
from redline.findings.review import Review, ReviewRequest
from redline.findings.scope import WholeFiles
from redline.settings.tree import Settings
from redline.supervisor import Supervisor
from redline.text.position import Position, Range
from redline.text.region import TextEdit

TEXT = "def last(names):\n    return names[len(names)]\n"
FIXED = TEXT.replace("len(names)", "-1")
REVIEW = Review(
    id="r1", request=ReviewRequest(target=WholeFiles(uris=(URI,))), created_at=0.0
)
FINDING = Finding(
    id="f1",
    review_id="r1",
    file="app.py",
    uri=URI,
    fingerprint="f1",
    first_line=1,
    end_line=2,
    quote="    return names[len(names)]",
    severity="high",
    category="correctness",
    title="One too high",
    explanation="It is.",
    fix=Fix(new_text="    return names[-1]"),
)


class Workshop:
    """A document with a finding, and a fix applier."""

    def __init__(self) -> None:
        self.harness = EditHarness()
        self.workspace = self.harness.workspace
        self.editor = self.harness.editor
        self.fast = AnsweringModel(label="fast", answer=lambda prompt: "")
        self.shown = ShownFindings(self.workspace, self, lambda uri: None)
        self.on_disk: list[TextEdit] = []
        self.takes_files = True
        self._supervisor = Supervisor()
        settings = Settings()
        self.fix_applier = FixApplier(
            workspace=self.workspace,
            edits=self.harness.edits,
            shown=self.shown,
            tools=JobTools(
                tiers=FakeTiers(self.fast),
                settings=lambda: settings,
                documents=self.workspace.snapshots,
                cache_key="key",
                now=lambda: 0.0,
                random=lambda: 0.0,
                parser=InThisProcess(),
            ),
            applier=Applier(
                replace(
                    self.harness.services, editor=self.editor, settings=lambda: settings
                ),
                self._supervisor,
            ),
            apply_to_file=self._apply_to_file,
        )

    async def set_state(self, finding: Finding, state: FindingState) -> Finding:
        return msgspec.structs.replace(finding, state=state)

    async def store_place(self, finding: Finding) -> None:
        """Store nothing: no file is renamed here."""

    def show(self, text: str = TEXT, finding: Finding = FINDING) -> None:
        """Open the document and show the finding in it."""
        self.editor.open(text)
        self.shown.load([finding])

    @property
    def text(self) -> str:
        return self.editor.documents[URI].text

    async def aclose(self) -> None:
        await self.shown.aclose()
        await self._supervisor.aclose()
        await self.harness.check_nothing_left()
        for document in self.workspace.documents:
            assert n_anchors_of(document) == 0

    async def _apply_to_file(
        self, uri: str, lines: Sequence[str], edit: TextEdit
    ) -> bool:
        self.on_disk.append(edit)
        return self.takes_files


@pytest.fixture
async def workshop() -> AsyncIterator[Workshop]:
    """A workshop that is closed after the test."""
    workshop = Workshop()
    yield workshop
    await workshop.aclose()


async def test_a_fix_is_one_edit_where_the_lines_are(workshop: Workshop) -> None:
    """The finding is fixed without asking a model."""
    workshop.show("import os\n\n\n" + TEXT)
    await workshop.fix_applier.apply("f1")
    assert workshop.text.endswith("def last(names):\n    return names[-1]\n")
    assert len(workshop.editor.asked) == 1
    assert workshop.shown.shown("f1").state == "fixed"
    assert workshop.fast.prompts == []


async def test_lines_with_new_indentation_and_line_ends(workshop: Workshop) -> None:
    """The fix takes over the current ones."""
    indented = (
        "class A:\r\n    def last(names):\r\n        return names[len(names)]\r\n"
    )
    workshop.show(indented)
    await workshop.fix_applier.apply("f1")
    assert workshop.text == indented.replace("len(names)", "-1")


async def test_a_fix_that_does_not_pass_any_more_is_made_anew(
    workshop: Workshop,
) -> None:
    """By the fast tier, which receives the problems."""
    workshop.show(
        finding=msgspec.structs.replace(
            FINDING, fix=Fix(new_text="    return names[-1")
        )
    )
    workshop.fast.answer = lambda prompt: "    return names[-1] if names else None\n"
    await workshop.fix_applier.apply("f1")
    assert workshop.text.endswith("    return names[-1] if names else None\n")
    assert len(workshop.fast.prompts) == 1


async def test_a_fix_that_never_passes_is_refused(workshop: Workshop) -> None:
    workshop.show(
        finding=msgspec.structs.replace(
            FINDING, fix=Fix(new_text="    return names[-1")
        )
    )
    workshop.fast.answer = lambda prompt: "    return names[\n"
    with pytest.raises(OutdatedError, match="no longer passes"):
        await workshop.fix_applier.apply("f1")
    assert workshop.text == TEXT
    assert workshop.shown.shown("f1").state == "open"


async def test_lines_that_are_gone_are_not_fixed(workshop: Workshop) -> None:
    workshop.show("def first(names):\n    return names[0]\n")
    with pytest.raises(OutdatedError, match="are gone"):
        await workshop.fix_applier.apply("f1")
    assert workshop.editor.asked == []


async def test_a_finding_without_a_fix(workshop: Workshop) -> None:
    workshop.show(finding=msgspec.structs.replace(FINDING, fix=None))
    with pytest.raises(CallerError, match="no fix"):
        await workshop.fix_applier.apply("f1")
    with pytest.raises(UnknownReviewError):
        await workshop.fix_applier.apply("f2")


async def test_an_editor_that_refuses(workshop: Workshop) -> None:
    workshop.show()
    workshop.editor.take_edit = refuse
    with pytest.raises(EditNotLandedError):
        await workshop.fix_applier.apply("f1")
    assert workshop.shown.shown("f1").state == "open"


async def test_several_are_fixed_one_after_the_other(workshop: Workshop) -> None:
    """The second fix is for a text with the first in it; failures have a reason."""
    other = msgspec.structs.replace(
        FINDING,
        id="f2",
        fingerprint="f2",
        first_line=0,
        quote="def last(names):",
        fix=Fix(new_text="def last(names: list[str]) -> str:"),
    )
    workshop.show()
    workshop.shown.load([other])
    again = msgspec.structs.replace(FINDING, id="f3", fingerprint="f3")
    workshop.shown.load([again])
    fixed, refused = await workshop.fix_applier.fix_all(["f1", "f2", "f3"])
    assert fixed == ["f1", "f2"]
    assert workshop.text == (
        "def last(names: list[str]) -> str:\n    return names[-1]\n"
    )
    assert list(refused) == ["f3"]
    assert "are gone" in refused["f3"]


async def test_an_offered_fix(workshop: Workshop) -> None:
    """Its title is the progress; the finding is fixed once it is accepted, and open
    again after an undo."""
    workshop.harness.preview()
    workshop.show()
    asked = await workshop.fix_applier.offer("f1")
    assert (await asked.outcome()).outcome == "offered"
    assert workshop.editor.progress[0].message == "Fix: One too high"
    assert workshop.editor.shown(asked.session.id) == FIXED
    assert workshop.text == TEXT
    await workshop.shown.settle(URI)
    assert workshop.shown.shown("f1").state == "open"
    await workshop.harness.edits.accept(asked.session, None)
    await workshop.shown.settle(URI)
    assert workshop.text == FIXED
    assert workshop.shown.shown("f1").state == "fixed"
    at = FIXED.index("-1")
    workshop.editor.replace(at, at + 2, "len(names)")
    await workshop.shown.settle(URI)
    assert workshop.shown.shown("f1").state == "open"


async def test_a_rejected_fix(workshop: Workshop) -> None:
    """The finding stays; the fix can be brought back and accepted after all."""
    workshop.harness.preview()
    workshop.show()
    asked = await workshop.fix_applier.offer("f1")
    await asked.outcome()
    workshop.harness.edits.reject(asked.session.id, None)
    await workshop.shown.settle(URI)
    assert (workshop.text, workshop.shown.shown("f1").state) == (TEXT, "open")
    back = await workshop.harness.bring_back()
    await back.result()
    await workshop.harness.accept(back.session.id, None)
    await workshop.shown.settle(URI)
    assert (workshop.text, workshop.shown.shown("f1").state) == (FIXED, "fixed")


async def test_a_fix_is_stopped_while_it_is_checked(workshop: Workshop) -> None:
    """Nothing is offered, and the finding stays."""
    workshop.harness.preview()
    workshop.show()
    asked = await workshop.fix_applier.offer("f1")
    assert workshop.harness.edits.stop() == [asked.session.id]
    assert (await asked.outcome()).outcome == "stopped"
    assert (workshop.text, workshop.shown.shown("f1").state) == (TEXT, "open")


async def test_an_offer_of_a_fix_that_never_passes(workshop: Workshop) -> None:
    """The session ends with the reason."""
    workshop.harness.preview()
    workshop.show(
        finding=msgspec.structs.replace(
            FINDING, fix=Fix(new_text="    return names[-1")
        )
    )
    workshop.fast.answer = lambda prompt: "    return names[\n"
    asked = await workshop.fix_applier.offer("f1")
    with pytest.raises(OutdatedError, match="no longer passes"):
        await asked.outcome()
    assert (workshop.text, workshop.shown.shown("f1").state) == (TEXT, "open")


async def test_a_file_that_is_not_open(workshop: Workshop, tmp_path: Path) -> None:
    """The text on disk counts, with its own line ends."""
    file = tmp_path / "app.py"
    file.write_bytes(b"# new\r\n" + TEXT.replace("\n", "\r\n").encode().rstrip())
    finding = msgspec.structs.replace(FINDING, uri=file.as_uri())
    workshop.shown.load([finding])
    await workshop.fix_applier.apply("f1")
    (edit,) = workshop.on_disk
    assert edit.range == Range(Position(2, 0), Position(2, 28))
    assert edit.new_text == "    return names[-1]"
    workshop.takes_files = False
    workshop.shown.finding_gone(REVIEW, "f1")
    workshop.shown.load([finding])
    with pytest.raises(EditNotLandedError):
        await workshop.fix_applier.apply("f1")
    file.unlink()
    with pytest.raises(OutdatedError, match="can no longer be read"):
        await workshop.fix_applier.apply("f1")
