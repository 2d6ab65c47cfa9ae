"""Changes of small projects in TypeScript, run by Node itself, and in Go: right plans
are ready and pass the tests once they are applied; others are held."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.e2e.plan_tasks import Language, check_outcomes, run_tasks
from tests.outside.programs import program


@pytest.mark.timeout(600)  # Go compiles its standard library first.
@pytest.mark.parametrize("language", ["typescript", "go"])
async def test_plans(
    language: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the tests that each plan names."""
    go = Path(program("go", "go")).parent
    monkeypatch.setenv("PATH", str(go), prepend=":")
    check_outcomes(await run_tasks(language, tmp_path), n_tasks=6)
