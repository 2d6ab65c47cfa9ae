"""The ranges of an edit, between the wire and the use case."""

from __future__ import annotations

from redline.assist.actions.action import EditWork, RangeWork
from redline.errors import InvalidArgumentsError
from redline.lsp.edit import edit_messages
from redline.lsp.protocol.messages import optional_text_range, our_range, wire_range
from redline.text.document import Snapshot


def edit_work(arguments: edit_messages.EditArguments, snapshot: Snapshot) -> EditWork:
    """Return what the arguments of an edit ask for.

    Raises:
        InvalidArgumentsError: If they have no range, or both forms of it.
    """
    if (arguments.range is None) == (not arguments.ranges):
        raise InvalidArgumentsError(
            "An edit takes a `range`, or `ranges` with at least one."
        )
    if arguments.ranges and arguments.from_comment is not None:
        raise InvalidArgumentsError(
            "With `ranges`, `fromComment` belongs to the range that has the comment."
        )
    ranges = tuple(
        RangeWork(
            range=snapshot.range_from_client(our_range(each.range)),
            instruction=each.instruction,
            from_comment=optional_text_range(snapshot, each.from_comment),
        )
        for each in arguments.ranges
    )
    return EditWork(
        range=optional_text_range(snapshot, arguments.range) or ranges[0].range,
        ranges=ranges,
        instruction=arguments.instruction,
        kind=arguments.kind,
        tier=arguments.tier,
        model=arguments.model,
        from_comment=optional_text_range(snapshot, arguments.from_comment),
    )


def edit_arguments(
    work: EditWork, snapshot: Snapshot, *, title: str
) -> edit_messages.EditArguments:
    """Return the arguments that ask for an edit; the inverse of `edit_work`."""
    comment = work.from_comment
    return edit_messages.EditArguments(
        uri=snapshot.uri,
        range=None if work.ranges else wire_range(snapshot, work.range),
        ranges=tuple(
            edit_messages.EditRange(
                range=wire_range(snapshot, each.range),
                instruction=each.instruction,
                from_comment=None
                if each.from_comment is None
                else wire_range(snapshot, each.from_comment),
            )
            for each in work.ranges
        ),
        instruction=work.instruction,
        kind=work.kind,
        tier=work.tier,
        model=work.model,
        from_comment=None if comment is None else wire_range(snapshot, comment),
        title=title,
    )
