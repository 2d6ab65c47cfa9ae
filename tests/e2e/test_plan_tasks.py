"""Changes of small Python projects: right plans are ready and pass the tests once they
are applied; nearly right and wrong ones are held.

Those in TypeScript and Go are in tests/outside, which brings Node and Go.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.e2e.plan_tasks import check_outcomes, run_tasks

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]


async def test_python(tmp_path: Path) -> None:
    """With the tests that each plan names, run by unittest."""
    check_outcomes(await run_tasks("python", tmp_path), n_tasks=8)
