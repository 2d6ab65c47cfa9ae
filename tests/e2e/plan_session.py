"""An editor, a server and scripted models in a small shop: what plans are tested on."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from tests.e2e.editor_document import Json
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import CAPABILITIES

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

PRICE = '''"""Prices."""


class Price:
    def __init__(self, cents: int) -> None:
        self.cents = cents
'''
CART = '''"""Carts."""

from shop.price import Price


class Cart:
    def __init__(self, prices: list[Price]) -> None:
        self.prices = prices

    def total(self) -> int:
        return sum(one.cents for one in self.prices)
'''
FILES = {"shop/__init__.py": "", "shop/price.py": PRICE, "shop/cart.py": CART}

NEW_PRICE = """class Price:
    def __init__(self, cents: int) -> None:
        self.cents = cents

    def doubled(self, times: int = 1) -> int:
        return self.cents * 2**times
"""
NEW_TOTAL = """    def total(self) -> int:
        return sum(one.doubled() for one in self.prices)
"""
DOUBLED_PRICE = PRICE[: PRICE.index("class")] + NEW_PRICE
DOUBLED_CART = CART.replace("one.cents for", "one.doubled() for")
"""The texts of both files after a plan whose steps all succeeded."""

NOTES = "# Notes\n\nPrices are doubled.\n"

WAITS = frozenset({"planned", "ready", "held"})
ENDS = frozenset({"applied", "rejected", "cancelled", "failed"})

INSTRUCTION = "Double the prices of a cart."


def step(**fields: object) -> Json:
    """Return a step of a planner's answer."""
    return {
        "id": "s1", "file": "shop/price.py", "do": "edit", "where": {"symbol": None},
        "quote": None, "to": None, "instruction": "", "reads": [], "gives": [],
        "uses": [], "after": [], **fields,
    }  # fmt: skip


STEPS = [
    step(
        where={"symbol": "Price"},
        quote="class Price:",
        instruction="Add the method doubled.",
        gives=["Price.doubled"],
    ),
    step(
        id="s2",
        file="shop/cart.py",
        where={"symbol": "Cart.total"},
        quote="    def total(self) -> int:",
        instruction="Sum the doubled prices.",
        reads=["shop/price.py"],
        uses=["Price.doubled"],
    ),
]


def plan_answer(steps: list[Json] | None = None, **fields: object) -> str:
    """Return a planner's answer."""
    return json.dumps(
        {
            "summary": "Prices double.",
            "assumptions": ["All prices."],
            "questions": [],
            "contracts": [
                {
                    "name": "Price.doubled",
                    "file": "shop/price.py",
                    "signature": "def doubled(self, times: int = 1) -> int",
                    "raises": [],
                }
            ],
            "steps": STEPS if steps is None else steps,
            "tests": [],
            **fields,
        }
    )


def plan_script(
    plan: str | None = None,
    *,
    replies: Mapping[str, str] | None = None,
    findings: str = '{"findings": []}',
    more: tuple[ScriptRule, ...] = (),
) -> Script:
    """Return what the models say.

    Args:
        plan: The planner's answer.
        replies: Replies by a part of a step's instruction.
        findings: The answer of the review.
        more: Rules that come first.
    """
    said = {
        "Add the method doubled": NEW_PRICE,
        "Sum the doubled prices": NEW_TOTAL,
        "Write notes": NOTES,
        **(replies or {}),
    }
    return Script(
        rules=(
            *more,
            ScriptRule(
                when=When(schema="redline_plan"),
                reply=ScriptReply(text=plan or plan_answer(), chunk_chars=200),
            ),
            ScriptRule(
                when=When(schema="redline_findings"),
                reply=ScriptReply(text=findings, chunk_chars=200),
            ),
            *(
                ScriptRule(when=When(instruction=words), reply=ScriptReply(text=text))
                for words, text in said.items()
            ),
        )
    )


def planning(**workspace_edit: object) -> Json:
    """Capabilities of an editor with lists of plans and tests, and a preview."""
    capabilities: Json = {section: {**each} for section, each in CAPABILITIES.items()}
    capabilities["workspace"]["workspaceEdit"] = {
        "documentChanges": True,
        "resourceOperations": ["create", "rename", "delete"],
        "changeAnnotationSupport": {"groupsOnLabel": True},
        "metadataSupport": True,
        **workspace_edit,
    }
    shown = {"preview": True, "status": True, "plan": True, "tests": True}
    capabilities["experimental"] = {"redline": shown}
    return capabilities


def plan_settings(
    model: ScriptedModel, store: Path | None = None, /, **more: object
) -> Json:
    """Settings with a model for each tier, and a store that outlives the server if a
    file is given."""
    names = ("deep", "standard", "fast")
    url = model.url.replace("ws://", "http://")
    return {
        "models": {
            name: {
                "api": "responses-http",
                "url": url,
                "name": name,
                "key": {"env": "E2E_KEY"},
            }
            for name in names
        },
        "tiers": {name: name for name in names},
        "store": {} if store is None else {"file": str(store)},
        "review": {"scouts": 0, "refute": False, "fixes": False},
        **more,
    }


class Planning:
    """What a test does in the shop."""

    def __init__(self, redline: Redline, folder: Path) -> None:
        self.redline = redline
        self.editor = redline.editor
        self.folder = folder

    def uri(self, path: str) -> str:
        """Return the URI of a file of the shop."""
        return (self.folder / path).as_uri()

    def open(self, *paths: str) -> None:
        """Open files as they are on disk."""
        for path in paths:
            text = (self.folder / path).read_text(encoding="utf-8")
            self.editor.open(self.uri(path), text)

    async def plan(self, **arguments: object) -> str:
        """Start a plan about the cart; return its id."""
        given = {"uri": self.uri("shop/cart.py"), "instruction": INSTRUCTION}
        started = await self.editor.run_now("redline.plan", given | arguments)
        assert started["state"] == "queued"
        plan_id: str = started["planId"]
        return plan_id

    async def run(self, plan_id: str, **arguments: object) -> Json:
        """Run a plan, and wait until it waits for the user or has ended."""
        after = len(self.editor.heard)
        await self.editor.run_now("redline.runPlan", {"planId": plan_id, **arguments})
        return await self.settled(plan_id, after=after)

    async def settled(self, plan_id: str, *, after: int = 0) -> Json:
        """Wait until a plan waits for the user or has ended; return how it is."""
        return await self.until(
            plan_id, lambda one: one["state"] in WAITS | ENDS, after=after
        )

    async def until(
        self, plan_id: str, is_so: Callable[[Json], object], *, after: int = 0
    ) -> Json:
        """Wait for a message about a plan."""

        def is_it(message: Json) -> bool:
            if message.get("method") != "redline/plan":
                return False
            params = message["params"]
            return params["planId"] == plan_id and bool(is_so(params))

        message = await self.editor.hear(is_it, after=after)
        params: Json = message["params"]
        return params

    async def state(self, plan_id: str) -> Json:
        """Ask how a plan is."""
        state: Json = await self.editor.run_now(
            "redline.planState", {"planId": plan_id}
        )
        return state

    async def lenses_of(self, uri: str) -> list[Json]:
        """Return the commands of the lenses of an open document."""
        asked = {"textDocument": {"uri": uri}}
        request = self.editor.ask("textDocument/codeLens", asked)
        return [one["command"] for one in await self.editor.result(request)]

    async def apply(self, plan_id: str, **arguments: Any) -> Json:
        """Apply a plan."""
        given = {"planId": plan_id, **arguments}
        applied: Json = await self.editor.run_now("redline.applyPlan", given)
        return applied

    def applied_edit(self) -> Json:
        """Return the last edit that the server asked for."""
        *_, request = [
            one for one in self.editor.heard
            if one.get("method") == "workspace/applyEdit"
        ]  # fmt: skip
        params: Json = request["params"]
        return params


def write_shop(folder: Path) -> None:
    """Write the files of the shop."""
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


async def start_planning(
    start: Callable[..., Awaitable[Redline]],
    folder: Path,
    model: ScriptedModel,
    capabilities: Any = None,
    **settings: object,
) -> Planning:
    """Start a server in a project, with a store beside it that outlives the server."""
    store = folder.parent / "kept" / "plans.sqlite3"
    redline = await start(
        options=plan_settings(model, store, **settings),
        capabilities=capabilities or planning(),
        workspaceFolders=[{"uri": folder.as_uri(), "name": folder.name}],
    )
    redline.says_paths = True
    return Planning(redline, folder)
