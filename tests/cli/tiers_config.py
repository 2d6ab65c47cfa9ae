"""Settings whose tiers are three models of one gateway."""

from __future__ import annotations

from pathlib import Path

TOKEN_VARIABLE = "REDLINE_TEST_TOKEN"


def config_of_tiers(folder: Path, url: str, *, name: str | None = None) -> str:
    """Write the settings file, and return its path.

    Args:
        folder: Where to write it.
        url: The gateway's.
        name: What each model is called there; None: as its tier.
    """
    lines = []
    for label in ("fast", "standard", "deep"):
        lines += [
            f"[models.{label}]",
            'api = "responses-http"',
            f'url = "{url}"',
            f'name = "{name or label}"',
            f'key = {{ env = "{TOKEN_VARIABLE}" }}',
        ]
    lines += ["[tiers]", *(f'{n} = "{n}"' for n in ("fast", "standard", "deep"))]
    lines += ["[routing]", "second_opinions = 0"]
    lines += ["[review]", "retries = 0"]
    file = folder / "models.toml"
    file.write_text("\n".join(lines) + "\n")
    return str(file)
