"""The settings tree: every setting, its type, default, unit and meaning.

Values only: `load.py` reads files and merges sources. The `Meta` description of each
field is the only place that documents it: the reference page and the editors' settings
pages are generated from it. Seconds end in `_s`, sizes in their unit.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta, field

from redline.settings.actions import ActionSettings
from redline.settings.check_settings import ChecksSettings
from redline.settings.completion import CompletionSettings, NextEditSettings
from redline.settings.edit_settings import EditSettings
from redline.settings.plan_settings import PlanSettings
from redline.settings.review_settings import ReviewSettings
from redline.settings.table_base import SettingsTable
from redline.settings.test_run_settings import TestRunSettings

Api = Literal[
    "responses-socket",
    "responses-http",
    "chat-completions",
    "anthropic",
    "gemini",
    "ollama",
    "fim",
]
"""The wire formats that `redline.models` supports."""

TierName = Literal["fast", "standard", "deep", "draft", "vision"]
"""The roles that a configured model can fill."""


class KeySource(SettingsTable, frozen=True, kw_only=True):
    """Where an API key is read from: exactly one of the fields is set."""

    env: Annotated[str | None, Meta(description="Name of an environment variable.")] = (
        None
    )
    command: Annotated[
        tuple[str, ...] | None,
        Meta(description="A command, as words; its first line of output is the key."),
    ] = None
    keyring: Annotated[
        str | None,
        Meta(description="A name in the system keyring, under the service `redline`."),
    ] = None

    def __post_init__(self) -> None:
        """Refuse none or several sources at once."""
        if sum(s is not None for s in (self.env, self.command, self.keyring)) != 1:
            raise ValueError("name exactly one of env, command and keyring")


class ModelSettings(SettingsTable, frozen=True, kw_only=True):
    """One model: its endpoint, its protocol, and its abilities."""

    provider: Annotated[
        str | None,
        Meta(
            description="The provider, such as `anthropic` or `ollama`: `api`, `url`, "
            "`key` and the limits then need not be given. See [providers](providers.md)"
            " for the names."
        ),
    ] = None
    api: Annotated[
        Api,
        Meta(
            description="The wire format of the endpoint; not needed with `provider`. "
            "`chat-completions` is what most servers speak, `anthropic` is the "
            "Messages API, `gemini` is Gemini's own, `ollama` is Ollama's own, `fim` "
            "fills in the middle for completions."
        ),
    ]
    url: Annotated[
        str,
        Meta(
            description="The endpoint itself; not needed with `provider`. Such as "
            "`wss://host/v1/responses`, "
            "`https://api.anthropic.com/v1/messages` or "
            "`http://127.0.0.1:8080/infill`; for `gemini` and `ollama` the base, "
            "such as "
            "`https://generativelanguage.googleapis.com/v1beta` and "
            "`http://127.0.0.1:11434`. Plain `ws://` and `http://` are for loopback "
            "only."
        ),
    ]
    name: Annotated[str, Meta(description="The model's name at the provider.")]
    key: Annotated[
        KeySource | None,
        Meta(
            description="The place of its API key: `{ env = … }`, `{ command = […] "
            "}` or `{ keyring = … }`. Absent: the usual variable of its "
            "`provider`, if `url` is the provider's own; else no key is sent."
        ),
    ] = None
    context_tokens: Annotated[
        int, Meta(ge=1_000, description="Size of the context window, in tokens.")
    ] = 128_000
    max_output_tokens: Annotated[
        int, Meta(ge=16, description="Most tokens one generation may write.")
    ] = 16_000
    effort: Annotated[
        str | None,
        Meta(
            description="Reasoning effort, as the provider names it; absent: its own."
        ),
    ] = None
    service_tier: Annotated[
        str | None,
        Meta(description="The provider's service tier, such as `ultrafast`."),
    ] = None
    steer: Annotated[
        bool | None,
        Meta(
            description="Whether a running generation can be steered; absent: true for "
            "models and hosts known to offer it, and where the server announces it."
        ),
    ] = None
    background: Annotated[
        bool | None,
        Meta(
            description="Whether reviews, plans and debugs ask the provider to work in "
            "the background and to store request and answer until they are fetched, so "
            "that a review survives a restart; absent: true for hosts known to offer "
            "it, and with `responses-http` for others that confirm it when first asked."
        ),
    ] = None
    vision: Annotated[
        bool | None,
        Meta(
            description="Whether the model reads images, which can be attached to an "
            "instruction; absent: true for models known to read them."
        ),
    ] = None
    task_data: Annotated[
        bool,
        Meta(
            description="Whether the task is also sent as data, which `redline gateway "
            "--engine rules` works on. For servers on this machine only."
        ),
    ] = False
    sockets: Annotated[
        int, Meta(ge=1, le=16, description="Warm sockets to keep open.")
    ] = 2
    max_age_s: Annotated[
        float,
        Meta(
            ge=1,
            description="Age at which a socket is replaced, between generations; must "
            "be below the server's own limit.",
        ),
    ] = 3_300.0
    ca_file: Annotated[
        str | None,
        Meta(description="A PEM file with the certificate authorities to trust."),
    ] = None
    proxy: Annotated[
        str | None,
        Meta(
            description="Proxy address; absent: from `HTTPS_PROXY`, `ALL_PROXY` and "
            "`NO_PROXY`; empty: none."
        ),
    ] = None


class TierSettings(SettingsTable, frozen=True, kw_only=True):
    """Which configured model fills which tier; an empty one uses its neighbour."""

    fast: Annotated[
        str | None, Meta(description="Model for edits and completions.")
    ] = None
    standard: Annotated[
        str | None, Meta(description="Model for harder edits and for repairs.")
    ] = None
    deep: Annotated[str | None, Meta(description="Reasoning model for reviews.")] = None
    draft: Annotated[
        str | None,
        Meta(description="Cheap model that drafts for the standard tier to review."),
    ] = None
    vision: Annotated[
        str | None,
        Meta(
            description="Model that describes attached images in words for a tier "
            "whose model does not read images."
        ),
    ] = None


MAX_WAIT_S = 86_400
"""A day: a stranger's `redline.toml` may set limits, and must not set none."""


class LimitSettings(SettingsTable, frozen=True, kw_only=True):
    """Time limits."""

    connect_s: Annotated[
        float, Meta(gt=0, le=MAX_WAIT_S, description="Longest connection set-up.")
    ] = 10.0
    first_delta_s: Annotated[
        float,
        Meta(
            gt=0,
            le=MAX_WAIT_S,
            description="Longest wait for a generation's first delta.",
        ),
    ] = 10.0
    stall_s: Annotated[
        float,
        Meta(gt=0, le=MAX_WAIT_S, description="Longest silence between two deltas."),
    ] = 20.0
    generation_s: Annotated[
        float,
        Meta(
            gt=0,
            le=MAX_WAIT_S,
            description="Longest generation of an edit or an explanation, from start "
            "to end; `review.timeout_s` limits those of reviews.",
        ),
    ] = 600.0
    steer_s: Annotated[
        float,
        Meta(
            gt=0,
            le=MAX_WAIT_S,
            description="Longest wait for a model's server to accept a new instruction "
            "for a running generation; then another one is started.",
        ),
    ] = 0.3
    landing_s: Annotated[
        float,
        Meta(
            gt=0,
            le=MAX_WAIT_S,
            description="Longest wait for the editor to show an applied edit.",
        ),
    ] = 5.0


class BoundarySettings(SettingsTable, frozen=True, kw_only=True):
    """Patterns of a boundary: regular expressions that ignore case; `^` and `$` match
    at the borders of lines and paths."""

    paths: Annotated[
        tuple[str, ...], Meta(description="Searched for in the file's path.")
    ] = ()
    code: Annotated[
        tuple[str, ...], Meta(description="Searched for in the range.")
    ] = ()
    instruction: Annotated[
        tuple[str, ...], Meta(description="Searched for in the instruction.")
    ] = ()

    def __post_init__(self) -> None:
        """Refuse an invalid regular expression."""
        for pattern in (*self.paths, *self.code, *self.instruction):
            try:
                re.compile(pattern, re.IGNORECASE)
            except re.error as error:
                raise ValueError(f"not a regular expression: {error.msg}") from error


class RoutingSettings(SettingsTable, frozen=True, kw_only=True):
    """Which tier gets a task: its complexity in [0, 1], and what is never fast."""

    fast_below: Annotated[
        float, Meta(ge=0, le=1, description="Scores up to this go to the fast tier.")
    ] = 0.4
    standard_below: Annotated[
        float,
        Meta(ge=0, le=1, description="Scores up to this go to the standard tier."),
    ] = 0.7
    boundaries: Annotated[
        dict[str, BoundarySettings],
        Meta(
            description="Further tasks that the fast tier never does alone, by name: "
            "`{ paths = […], code = […], instruction = […] }`, regular expressions. An "
            "entry with the name of a built-in boundary adds to it."
        ),
    ] = field(default_factory=dict)
    draft: Annotated[
        Literal["off", "small", "always"],
        Meta(
            description="When the model of the tier `draft` writes first, for the "
            "standard tier to review: never, for ranges of at most 40 lines, or for "
            "every task that goes to the standard tier by itself."
        ),
    ] = "always"
    second_opinions: Annotated[
        int,
        Meta(
            ge=0,
            description="While an edit is written whose tier you did not name, the "
            "fast tier's model is asked which tier it needs: at most this many times "
            "a minute. 0: never.",
        ),
    ] = 30
    boundaries_off: Annotated[
        tuple[str, ...],
        Meta(description="Names of boundaries to switch off."),
    ] = ()
    adapt_days: Annotated[
        int,
        Meta(
            ge=0,
            le=365,
            description="Routing follows, within bounds, how your edits of so many "
            "last days turned out, as your usage file counts them. 0: it does not.",
        ),
    ] = 90
    adapt_from: Annotated[
        str,
        Meta(
            pattern=r"^(?:20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))?$",
            description="Only edits from this day on count for that, such as "
            "`2026-11-24`; set it to today to begin again.",
        ),
    ] = ""


class LogSettings(SettingsTable, frozen=True, kw_only=True):
    """The log file; it never holds document text, prompts or keys."""

    level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="Least severe messages that are written."),
    ] = "info"
    file: Annotated[
        str | None,
        Meta(description="Path of the log file; absent: in the user's log folder."),
    ] = None


class StoreSettings(SettingsTable, frozen=True, kw_only=True):
    """What is stored between runs: usage, which holds no text, reviews, whose findings
    quote the lines that they are about, and plans with the files that they read and
    change."""

    enabled: Annotated[
        bool,
        Meta(
            description="Whether usage and reviews are stored at all, in a file on "
            "this machine; without it a review ends with the server."
        ),
    ] = True
    file: Annotated[
        str | None,
        Meta(
            description="Path of the SQLite file, shared by all editors; absent: in "
            "the user's data folder."
        ),
    ] = None
    keep_days: Annotated[
        int, Meta(ge=1, description="Days after which usage and reviews are forgotten.")
    ] = 365


class PythonSettings(SettingsTable, frozen=True, kw_only=True):
    """How Python code is checked."""

    environment: Annotated[
        str | None,
        Meta(
            description="The environment whose packages can be imported: its folder, "
            "or the interpreter in it; absent: found as editors do. It is only "
            "read, never run."
        ),
    ] = None


class TrustSettings(SettingsTable, frozen=True, kw_only=True):
    """Whose settings are trusted."""

    workspaces: Annotated[
        tuple[str, ...],
        Meta(
            description="Folders whose own `redline.toml` may also set models, keys "
            "and tiers; each entry includes the folders in it. Absolute, or beginning "
            "with `~`. Only the user's own file may set this."
        ),
    ] = ()


class Settings(SettingsTable, frozen=True, kw_only=True):
    """The whole tree."""

    models: Annotated[
        dict[str, ModelSettings],
        Meta(description="Configured models, by the name that tiers refer to."),
    ] = field(default_factory=dict)
    tiers: TierSettings = TierSettings()
    edit: EditSettings = EditSettings()
    complete: CompletionSettings = CompletionSettings()
    next_edit: NextEditSettings = NextEditSettings()
    limits: LimitSettings = LimitSettings()
    checks: ChecksSettings = ChecksSettings()
    routing: RoutingSettings = RoutingSettings()
    actions: ActionSettings = ActionSettings()
    review: ReviewSettings = ReviewSettings()
    plan: PlanSettings = PlanSettings()
    test: TestRunSettings = TestRunSettings()
    log: LogSettings = LogSettings()
    store: StoreSettings = StoreSettings()
    python: PythonSettings = PythonSettings()
    trust: TrustSettings = TrustSettings()
