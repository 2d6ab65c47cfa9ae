"""Checks a model's key, path and name at its server without generating text.

For `redline doctor`. Three questions are free: the list of models next to the endpoint,
one model of it, and a request without input, which providers refuse before they
generate. If a server accepts it, the connection is closed at the first byte.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from redline.errors import (
    AuthenticationError,
    ModelError,
    ModelRejectedError,
    QuotaExhaustedError,
)
from redline.models.failures import failure_error, is_unknown_model
from redline.models.formats.http_request import HttpRequest
from redline.models.formats.wire_format import OfferedModel, WireFormat
from redline.models.http.http_failure import read_http_failure
from redline.models.interface import Probe
from redline.printable import printable

if TYPE_CHECKING:
    from redline.models.http.http_client import HttpClient, HttpReply

ANSWER = "an answer, which would cost tokens"
"""What an examination never tests."""

_MAX_SHOWN = 5
"""How many listed names an error about an unlisted name shows."""

_KEY_STATUSES = (401, 403)

_NO_LIST_STATUSES = (404, 405, 429)
"""Answers that say nothing about the key."""

_MAX_REFUSAL_CHARS = 200


_NO_LIST = "the model's name, as there is no list of models"

UNKNOWN_NAME = Probe(reachable=True, untried=(_NO_LIST, ANSWER))


class Examination:
    """Sends the requests about one model."""

    def __init__(
        self,
        client: HttpClient,
        headers: Mapping[str, str],
        wire: WireFormat,
        *,
        title: str,
        name: str,
    ) -> None:
        self._client = client
        self._headers = headers
        self._wire = wire
        self._title = title
        self._name = name

    async def examine(self, *, has_posts: bool) -> Probe:
        """Ask.

        Args:
            has_posts: Whether the endpoint itself is tested; false if a socket was
                opened, which shows that key and path are right.

        Raises:
            ModelError: If the server cannot be reached, or the connection breaks.

        Returns:
            The first problem, if any, and else the time of the first answer, including
            the connection.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        listing = self._wire.list_models()
        models = await self._send(listing) if listing else None
        answered_s = loop.time() - began
        error = self._refused_key(models) if has_posts and models else None
        untried: tuple[str, ...] = (ANSWER,)
        trial = self._wire.trial() if has_posts else None
        if error is None and trial is not None:
            reply = await self._send(trial)
            answered_s = answered_s or loop.time() - began
            error = self._judge_post(reply) or self._refused_both(models, reply)
            if reply.status == 429 or reply.status >= 500:
                untried = (f"the endpoint, which answered {reply.status}", *untried)
        if error is None:
            offered = self._offered(models)
            names = [model.name for model in offered]
            if listing and names and self._name not in names:
                error = await self._judge_name(names)
            elif not names:
                untried = (_NO_LIST, *untried)
        return Probe(
            reachable=True,
            handshake_s=None if error else answered_s,
            error=error,
            untried=untried,
        )

    async def near_names(self) -> str:
        """Return the names that the server lists, the nearest first; empty: none.

        Raises:
            ModelError: If the server cannot be reached, or the connection breaks.
        """
        listing = self._wire.list_models()
        offered = self._offered(await self._send(listing)) if listing else ()
        return show_near(self._name, [model.name for model in offered])

    def _offered(self, reply: HttpReply | None) -> Sequence[OfferedModel]:
        if reply is None or reply.status >= 300:
            return ()
        return self._wire.read_models(reply.body)

    def _refused_key(self, reply: HttpReply) -> ModelError | None:
        # A 403 may concern the list alone: some keys have no access to it.
        return self._error(reply) if reply.status == 401 else None

    def _refused_both(
        self, listing: HttpReply | None, trial: HttpReply
    ) -> ModelError | None:
        """Judge a refusal that cannot be of the trial, since the list got the same.

        LiteLLM's proxy refuses an unknown key so, with status 400.
        """
        if listing is None or listing.status in _NO_LIST_STATUSES:
            return None
        if not 400 <= listing.status == trial.status < 500:
            return None
        refusals = [
            read_http_failure(reply.status, reply.body, reply.headers).message
            for reply in (listing, trial)
        ]
        if refusals[0] != refusals[1]:
            return None
        return AuthenticationError(
            f"The server of model {self._title} refuses every request alike (status "
            f"{trial.status}): {printable(refusals[0])[:_MAX_REFUSAL_CHARS]}",
            model=self._title,
            status=trial.status,
            remedy="Check the key that the model's `key` names; some servers refuse "
            "unknown keys in this way.",
        )

    def _judge_post(self, reply: HttpReply) -> ModelError | None:
        if reply.status < 400:
            return self._web_page(reply)
        error = self._error(reply)
        is_known = isinstance(error, QuotaExhaustedError) or self._is_unknown(reply)
        if is_known or reply.status in _KEY_STATUSES:
            return error
        if reply.status in (404, 405):
            return ModelRejectedError(
                f"The server of model {self._title} has nothing at the path of its url "
                f"(status {reply.status}).",
                model=self._title,
                status=reply.status,
                remedy="Correct the model's `url`: it is the endpoint "
                "itself, such as https://api.openai.com/v1/responses.",
            )
        return None

    def _web_page(self, reply: HttpReply) -> ModelError | None:
        headers = {name.lower(): value for name, value in reply.headers.items()}
        if not headers.get("content-type", "").startswith("text/html"):
            return None
        return ModelRejectedError(
            f"The server of model {self._title} answers with a web page, as proxies "
            "and login pages do.",
            model=self._title,
            status=reply.status,
            remedy="Correct the model's `url`, or sign in there.",
        )

    async def _judge_name(self, names: list[str]) -> ModelError | None:
        """Ask for a model that is not in the list: its name may be an alias."""
        request = self._wire.show()
        reply = None if request is None else await self._send(request)
        if reply is not None and reply.status < 300:
            return None
        return ModelRejectedError(
            f"The server of model {self._title} does not list {self._name}; it lists "
            f"{show_near(self._name, names)}.",
            model=self._title,
            status=None if reply is None else reply.status,
            remedy="Correct the model's `name`.",
        )

    def _is_unknown(self, reply: HttpReply) -> bool:
        failure = read_http_failure(reply.status, reply.body, reply.headers)
        return reply.status >= 400 and is_unknown_model(failure, name=self._name)

    def _error(self, reply: HttpReply) -> ModelError:
        failure = read_http_failure(reply.status, reply.body, reply.headers)
        return failure_error(failure, model=self._title)

    async def _send(self, request: HttpRequest) -> HttpReply:
        return await self._client.ask(request, self._headers)


def show_near(name: str, names: Sequence[str]) -> str:
    """Write a few of several names, those that are like a name first."""
    # Imported late: only a mistake needs it.
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=_MAX_SHOWN, cutoff=0.4)
    shown = list(dict.fromkeys([*near, *names]))
    more = ", …" if len(shown) > _MAX_SHOWN else ""
    return ", ".join(shown[:_MAX_SHOWN]) + more
