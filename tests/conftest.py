"""How random inputs are tested everywhere.

A busy machine must not fail a property: no example has a time limit, and a slow
generator is no error. Speed is measured in `benchmarks/`.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "redline",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("redline")
