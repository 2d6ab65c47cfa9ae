"""How random inputs are tested everywhere, what garbage collection looks at, and that
no test sees an API key of the machine.

A busy machine must not fail a property: no example has a time limit, and a slow
generator is no error. Speed is measured in `benchmarks/`.

`make test` tries the same few inputs on every run, so that a change is judged by what
it changed. `make test-random` tries four times as many, others each time. A failure
prints how to run it again, and nothing is stored: a repeated test tries other inputs.
"""

from __future__ import annotations

import gc
import os

from hypothesis import HealthCheck, settings
from tests.runs import IS_RANDOM, n_runs

from redline.settings.providers import PROVIDERS

# Keys of the machine would choose other models; child processes inherit this, too.
for _provider in PROVIDERS:
    for _name in _provider.env:
        os.environ.pop(_name, None)

settings.register_profile(
    "redline",
    max_examples=n_runs(30),
    deadline=None,
    derandomize=not IS_RANDOM,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("redline")


def pytest_xdist_auto_num_workers() -> int:
    """Run two processes per core: most of the time, a test waits for a server.

    With more, collecting all tests in each process costs more than is gained.
    """
    has_affinity = hasattr(os, "sched_getaffinity")
    return 2 * (len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1)


def pytest_collection() -> None:
    """Collect no garbage meanwhile.

    Each process collects all tests, nearly all of which stay: looking through them
    again and again takes a fifth of that time.
    """
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave the collected tests out of garbage collection.

    Tests collect garbage to see what was not closed. Thousands of collected tests make
    that take longer than the test itself.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
