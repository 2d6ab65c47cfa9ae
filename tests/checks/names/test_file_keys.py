"""Keys, instructions and options of Dockerfiles, YAML, manifests and makefiles."""

from __future__ import annotations

import pytest
from tests.checks.names.conftest import Reported

DOCKER = "FROM node:20 AS build\nRUN make\n\nFROM nginx\n{}\n"
COMPOSE = "services:\n  web:\n    image: nginx\n{}\nvolumes:\n  data:\n"
CI = ".github/workflows/ci.yml"
WORKFLOW = (
    "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: make\n{}\n"
)
PYPROJECT = '[project]\nname = "a"\n{}\n\n[tool.a]\nb = 1\n'
CARGO = '[package]\nname = "a"\n{}\n\n[[bin]]\nname = "a"\n'
MAKE = "A := 1\n{}\nall:\n\techo $(A)\n"


def of_line(reported: Reported, path: str, form: str, line: str) -> list[str]:
    """Return what is reported of a line that is added to a file."""
    before, after = form.format(""), form.format(line)
    return reported(path, before, after, rule="phantom-member")


@pytest.mark.parametrize(
    ("path", "form", "line", "name"),
    [
        ("Dockerfile", DOCKER, "COPY --from=builder /a /b", "builder"),
        (
            "Dockerfile",
            DOCKER,
            "COPY --from=build --permissions=1 /a /b",
            "permissions",
        ),
        ("Dockerfile", DOCKER, "RESTART always", "RESTART"),
        ("compose.yaml", COMPOSE, "    wait_for: [db]", "wait_for"),
        ("docker-compose.yml", COMPOSE, "    env_vars:\n      A: 1", "env_vars"),
        (CI, WORKFLOW, "        retries: 3", "retries"),
        (CI, WORKFLOW, "      - when: always()\n        run: b", "when"),
        (CI, WORKFLOW, "    retries: 3", "retries"),
        ("pyproject.toml", PYPROJECT, 'author = "b"', "author"),
        ("Cargo.toml", CARGO, 'min-rust = "1.60"', "min-rust"),
        ("Makefile", MAKE, "B := $(lowercase $(A))", "lowercase"),
    ],
)
def test_what_a_file_does_not_have_is_reported(
    reported: Reported, path: str, form: str, line: str, name: str
) -> None:
    [message] = of_line(reported, path, form, line)
    assert name in message


@pytest.mark.parametrize(
    ("path", "form", "line"),
    [
        ("Dockerfile", DOCKER, "COPY --from=build --chown=a --link /a /b"),
        ("Dockerfile", DOCKER, "COPY --from=0 /a /b"),
        ("Dockerfile", DOCKER, "COPY --from=busybox /bin/sh /bin/sh"),
        ("Dockerfile", DOCKER, "COPY --from=golang:1.22 /a /b"),
        ("Dockerfile", DOCKER, "RUN apk add --no-cache git \\\n  && A --b c"),
        ("Dockerfile", DOCKER, "ENTRYPOINT a --level=3 --force b"),
        ("Dockerfile", DOCKER, "RUN a \\\nRESTART b"),
        (
            "compose.yaml",
            COMPOSE,
            "    restart: always\n    labels:\n      wait_for: a",
        ),
        ("compose.yaml", COMPOSE, "    command: |\n      wait_for: a"),
        ("compose.yaml", COMPOSE, "    x-own: 1\n  other:\n    build: ."),
        ("values.yaml", COMPOSE, "    wait_for: [db]"),
        (
            CI,
            WORKFLOW,
            "        timeout-minutes: 5\n        with:\n          retries: 1",
        ),
        (CI, WORKFLOW, "      - run: |\n          when: a\n        if: always()"),
        (CI, WORKFLOW, "    strategy:\n      matrix:\n        retries: [1]"),
        (CI, WORKFLOW, "  other:\n    uses: ./a.yml\n    secrets: inherit"),
        ("pyproject.toml", PYPROJECT, 'urls.Home = "b"\ndynamic = ["version"]'),
        ("pyproject.toml", PYPROJECT, '[tool.b]\nauthor = "b"'),
        ("Cargo.toml", CARGO, "edition.workspace = true\n[lib]\npath = 'a'"),
        ("Makefile", MAKE, "B := $(filter-out a,$(sort $(A)))"),
        ("Makefile", MAKE, "B := $(A:.c=.o)\nc:\n\techo $$(lowercase a) ${{d}}"),
    ],
)
def test_what_it_has_is_not(
    reported: Reported, path: str, form: str, line: str
) -> None:
    assert of_line(reported, path, form, line) == []


def test_what_the_file_had_is_left_alone(reported: Reported) -> None:
    before = COMPOSE.format("    wait_for: [db]\n  other:\n    image: a")
    after = before.replace("image: a", "image: a\n    wait_for: [web]")
    assert reported("compose.yaml", before, after, rule="phantom-member") == []
