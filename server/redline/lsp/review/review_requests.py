"""The commands of deep reviews: convert arguments, call the use case, convert back."""

from __future__ import annotations

from contextlib import suppress

from redline.assist.editor.workspace import Workspace
from redline.assist.review.reviews import Reviews
from redline.assist.review.shown.apply_fix import FixApplier
from redline.assist.review.shown.shown_findings import ShownFindings
from redline.errors import InvalidArgumentsError, StoreError
from redline.findings.review import Review, ReviewRequest
from redline.findings.scope import (
    Selection,
    Since,
    SinceReview,
    Staged,
    Target,
    WholeFiles,
    WorkingTree,
    base_and_head,
)
from redline.lsp.edit.edit_commands import run_edit
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import LspRange
from redline.lsp.review import review_messages
from redline.lsp.review.finding_messages import finding_info, review_status
from redline.lsp.review.review_reports import ReviewReports
from redline.text.uri import check_path_length, path_in

_MAX_LINE = 2**31 - 1
"""LSP's largest number; some clients send a larger one for the end of a document."""


class ReviewRequests:
    """Runs the review commands of one editor."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        reviews: Reviews,
        shown: ShownFindings,
        reports: ReviewReports,
        fix_applier: FixApplier,
        has_preview: bool,
    ) -> None:
        self._workspace = workspace
        self._reviews = reviews
        self._shown = shown
        self._reports = reports
        self._fix_applier = fix_applier
        self._has_preview = has_preview

    async def deep_review(
        self, arguments: review_messages.DeepReviewArguments
    ) -> review_messages.DeepReviewResult:
        """Start a review; answer with its id once it is stored."""
        target = self._target(arguments)
        request = ReviewRequest(
            target=target,
            roots=self._own_first(target),
            is_forced=arguments.force,
            max_cost=arguments.max_cost,
        )
        review_id = await self._reviews.start(request)
        return review_messages.DeepReviewResult(review_id=review_id)

    async def review_saved(self, uri: str) -> str:
        """Start the review of what a save of a file has changed; returns its id.

        Raises:
            InvalidArgumentsError: If the file is in no folder of the workspace.
            StoreError: If it cannot be stored now.
        """
        root = self._root(uri)
        target = SinceReview(root=root, paths=(path_in(uri, root) or "",))
        request = ReviewRequest(
            target=target, roots=self._own_first(target), origin="save"
        )
        return await self._reviews.start(request)

    async def list(
        self, arguments: review_messages.ReviewsArguments
    ) -> review_messages.ReviewList:
        """Return reviews and their findings in any state; settles findings first."""
        await self._shown.settle_all()
        # If the store cannot be read, the last known states are returned.
        with suppress(StoreError):
            await self._reviews.refresh()
        review_id = arguments.review_id
        if review_id is None:
            listed = filter(_is_listed, self._reviews.reviews())
            reviews = sorted(listed, key=lambda one: one.created_at)
        else:
            reviews = [self._reviews.review(review_id)]
        return review_messages.ReviewList(
            reviews=tuple(map(review_status, reviews)),
            findings=tuple(map(finding_info, self._shown.views(review_id))),
        )

    async def cancel(
        self, arguments: review_messages.ReviewArguments
    ) -> review_messages.CancelReviewResult:
        """Cancel a review; answer whether it had not ended before."""
        self._reviews.review(arguments.review_id)
        is_ended = await self._reviews.cancel(arguments.review_id)
        return review_messages.CancelReviewResult(cancelled=is_ended)

    async def open_report(
        self, arguments: review_messages.OpenReportArguments
    ) -> review_messages.OpenReportResult:
        _one_of(names.OPEN_REPORT, arguments.review_id, arguments.finding_id)
        return await self._reports.open(
            review_id=arguments.review_id, finding_id=arguments.finding_id
        )

    async def dismiss(
        self, arguments: review_messages.DismissArguments
    ) -> review_messages.DismissResult:
        """Dismiss a finding in this and later reviews."""
        finding = self._shown.shown(arguments.finding_id).finding
        await self._reviews.dismiss(finding, arguments.reason)
        return review_messages.DismissResult(finding_id=arguments.finding_id)

    async def apply_fix(
        self, arguments: review_messages.ApplyFixArguments
    ) -> review_messages.ApplyFixResult:
        """Apply or offer one fix, or apply all fixes of a review."""
        _one_of(names.APPLY_FIX, arguments.review_id, arguments.finding_id)
        is_offered = arguments.apply == "preview" and self._has_preview
        if is_offered and arguments.finding_id is None:
            raise InvalidArgumentsError("A preview is of one finding at a time.")
        if arguments.finding_id is not None:
            self._shown.shown(arguments.finding_id)
            if is_offered:
                asked = await self._fix_applier.offer(arguments.finding_id)
                return review_messages.ApplyFixResult(
                    applied=(), refused=(), offered=await run_edit(asked)
                )
            await self._fix_applier.apply(arguments.finding_id)
            return review_messages.ApplyFixResult(
                applied=(arguments.finding_id,), refused=()
            )
        review_id = arguments.review_id or ""
        self._reviews.review(review_id)
        await self._shown.settle_all()
        fixed, refused = await self._fix_applier.fix_all(
            [
                view.finding.id
                for view in self._shown.of_review(review_id)
                if view.finding.fix is not None
            ]
        )
        return review_messages.ApplyFixResult(
            applied=tuple(fixed),
            refused=tuple(
                review_messages.FixRefusal(finding_id=finding_id, message=message)
                for finding_id, message in refused.items()
            ),
        )

    def _target(self, arguments: review_messages.DeepReviewArguments) -> Target:
        uri, change = arguments.uri, arguments.change
        if uri is not None:
            check_path_length(uri)
        if change is not None:
            if arguments.range is not None:
                raise InvalidArgumentsError(
                    f"{names.DEEP_REVIEW} takes a range or a change, not both."
                )
            return _change(change, self._root(uri))
        if uri is None:
            raise InvalidArgumentsError(
                f"{names.DEEP_REVIEW} takes a uri, a change, or both."
            )
        if arguments.range is None:
            return WholeFiles(uris=(uri,))
        first, end = _lines(arguments.range)
        return Selection(uri=uri, first_line=first, end_line=end)

    def _own_first(self, target: Target) -> tuple[str, ...]:
        """Return the workspace folders; the one that the target is in comes first."""
        match target:
            case Selection(uri=uri):
                own = self._workspace.root_of(uri)
            case WholeFiles(uris=uris):
                own = self._workspace.root_of(uris[0])
            case _:
                own = target.root
        roots = self._workspace.roots
        if own not in roots:
            return roots
        return (own, *(root for root in roots if root != own))

    def _root(self, uri: str | None) -> str:
        """Return the workspace folder of a file, or the first one without a file."""
        roots = self._workspace.roots
        if uri is None and roots:
            return roots[0]
        if uri is None:
            raise InvalidArgumentsError(
                "No folder is open in this editor, so there is no change to review."
            )
        if (root := self._workspace.root_of(uri)) is not None:
            return root
        raise InvalidArgumentsError("The uri is in no folder of this workspace.")


def _is_listed(review: Review) -> bool:
    """Whether a review is of interest: one on save only if it has findings, or runs."""
    return bool(not review.request.is_live or review.n_findings or not review.has_ended)


def _change(change: str, root: str) -> Target:
    if change == "workingTree":
        return WorkingTree(root=root)
    if change == "staged":
        return Staged(root=root)
    if change == "sinceReview":
        return SinceReview(root=root)
    base, head = base_and_head(change)
    if not base or ".." not in change:
        raise InvalidArgumentsError(
            "A change is workingTree, staged, sinceReview, or a base and two dots, "
            "such as main.."
        )
    return Since(root=root, base=base, head=head)


def _lines(where: LspRange) -> tuple[int, int]:
    """Widen a range to whole lines; a last line with no character in it is left out."""
    first, last = sorted((where.start, where.end), key=lambda at: at.line)
    is_before = last.character == 0 and last.line > first.line
    end = last.line + (not is_before)
    return min(first.line, _MAX_LINE), min(end, _MAX_LINE)


def _one_of(command: str, review_id: str | None, finding_id: str | None) -> None:
    if (review_id is None) == (finding_id is None):
        raise InvalidArgumentsError(f"{command} takes a reviewId or a findingId.")
