"""The answers of one plan that providers store, until they are deleted there.

No answer of a plan is resumed: after a restart the model is asked again. So the id of
each is stored as unwanted as soon as it is known, before the end of the work that reads
it. What the end of the work does not delete is deleted by the next start: if the plan
was at work, by the server that goes on with it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from redline.assist.review.job.model_client import AnswerMark
from redline.assist.review.job.unwanted_answers import UnwantedAnswers, unwanted_answers
from redline.errors import StoreError
from redline.store.review_store import ReviewStore

logger = logging.getLogger(__name__)


class PlanAnswers:
    """Stores the ids of the answers of one plan, and deletes the answers."""

    def __init__(
        self, plan_id: str, store: ReviewStore, unwanted: UnwantedAnswers
    ) -> None:
        self._plan_id = plan_id
        self._store = store
        self.unwanted = unwanted

    async def note(self, mark: AnswerMark) -> None:
        """Store the id of an answer that is being read."""
        try:
            await self._store.write(*unwanted_answers(self._plan_id, (mark,)))
        except StoreError as error:
            logger.warning("the id of an answer could not be stored: %s", error)

    def delete(
        self, marks: Iterable[AnswerMark], *, ended: AnswerMark | None = None
    ) -> None:
        """Begin to delete answers.

        Args:
            marks: Of the answers to one question.
            ended: The one that was read to its end; None: none was.
        """
        self.unwanted.delete_soon(
            unwanted_answers(
                self._plan_id,
                marks,
                ended=None if ended is None else ended.response_id,
            )
        )
