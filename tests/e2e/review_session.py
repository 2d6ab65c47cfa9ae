"""An editor, a server and three scripted models in a workspace with seeded faults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from tests.assist.review.seeded_workspace import STOCK, script
from tests.e2e.editor_document import Json
from tests.e2e.redline_session import UNCHECKED, Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import CAPABILITIES

from redline.gateway.engines.script import Script

ENDS = ("done", "cancelled", "failed")

INDEX = "The index is always one too high"
TITLES = {
    "Two threads take the same goods",
    INDEX,
    "The default list is shared by all calls",
}
"""Of the findings that stand."""

INDEX_LINE = "    return names[len(names)]"
FIXED_LINE = "    return names[-1]"


def reviewing(**more: Any) -> Json:
    """Capabilities of an editor with a list of reviews.

    Args:
        more: Further members, section by section.
    """
    capabilities: Json = {section: {**each} for section, each in CAPABILITIES.items()}
    for section, members in more.items():
        capabilities[section] = {**capabilities[section], **members}
    shown = {"preview": True, "status": True, "reviews": True}
    capabilities["experimental"] = {"redline": shown}
    return capabilities


def seeded_script() -> Script:
    """What the models say of the seeded workspace."""
    return msgspec.convert(script(), Script)


def settings_of(
    model: ScriptedModel, store: Path | None = None, **review: object
) -> Json:
    """Settings with a model for each tier, and a store that outlives the server if a
    file is given."""
    url = model.url.replace("ws://", "http://")
    names = ("deep", "standard", "fast")
    models = {
        name: {
            "api": "responses-http",
            "url": url,
            "name": name,
            "key": {"env": "E2E_KEY"},
            "background": True,
        }
        for name in names
    }
    return {
        "models": models,
        "tiers": {name: name for name in names},
        "store": {} if store is None else {"file": str(store)},
        "checks": {**UNCHECKED, "off": []},
        "review": {"scouts": 0, **review},
    }


class Reviewing:
    """What a test does in such a workspace."""

    def __init__(self, redline: Redline, folder: Path) -> None:
        self.redline = redline
        self.editor = redline.editor
        self.folder = folder
        self.file = folder / "stock.py"
        self.uri = self.file.as_uri()

    def open(self) -> None:
        """Open the file with the faults."""
        self.editor.open(self.uri, STOCK)

    async def review(self, **arguments: object) -> str:
        """Start a review, of the file by default; return its id."""
        started = await self.editor.run_now(
            "redline.deepReview", arguments or {"uri": self.uri}
        )
        review_id: str = started["reviewId"]
        return review_id

    async def ended(self, review_id: str, *, after: int = 0) -> Json:
        """Wait until a review has ended; returns how."""

        def is_end(message: Json) -> bool:
            if message.get("method") != "redline/review":
                return False
            params = message["params"]
            return params["reviewId"] == review_id and params["state"] in ENDS

        message = await self.editor.hear(is_end, after=after)
        params: Json = message["params"]
        return params

    async def reviewed(self) -> str:
        """Open the file and review it to the end; returns the review's id."""
        self.open()
        review_id = await self.review()
        assert (await self.ended(review_id))["state"] == "done"
        await self.shown(TITLES)
        # What came last, such as fixes, is a moment later on show.
        await self.editor.run_now("redline.reviews", {})
        return review_id

    async def published(
        self, is_so: Callable[[list[Json]], object], *, uri: str | None = None
    ) -> list[Json]:
        """Wait until a file's diagnostics are as they should be; returns them."""
        wanted = uri or self.uri

        def diagnostics(message: Json) -> list[Json] | None:
            if message.get("method") != "textDocument/publishDiagnostics":
                return None
            params = message["params"]
            return params["diagnostics"] if params["uri"] == wanted else None

        said = [each for m in self.editor.heard if (each := diagnostics(m)) is not None]
        if said and is_so(said[-1]):
            return said[-1]

        def is_it(message: Json) -> bool:
            found = diagnostics(message)
            return found is not None and bool(is_so(found))

        message = await self.editor.hear(is_it, after=len(self.editor.heard))
        found: list[Json] = message["params"]["diagnostics"]
        return found

    async def shown(self, titles: set[str]) -> list[Json]:
        """Wait until exactly these findings are shown; returns their diagnostics."""
        return await self.published(lambda found: titles_of(found) == titles)

    async def finding(self, title: str) -> Json:
        """Return all that is known of a finding in the file with the faults."""
        listed = await self.editor.run_now("redline.reviews", {})
        (found,) = [
            one
            for one in listed["findings"]
            if (one["title"], one["uri"]) == (title, self.uri)
        ]
        finding: Json = found
        return finding

    def line_of(self, content: str) -> int:
        """The number of a line of the open document."""
        return self.editor.text(self.uri).split("\n").index(content)


def titles_of(diagnostics: list[Json]) -> set[str]:
    """The first lines of diagnostics."""
    return {one["message"].split("\n")[0] for one in diagnostics}
