"""Names of CSS, Dockerfiles and workflows that nothing sets."""

from __future__ import annotations

import pytest
from tests.checks.names.conftest import Reported

DOCKER = "FROM node:20 AS build\nRUN make\n\nFROM nginx\n{}\n"
STYLES = ":root {{\n  --accent: red;\n}}\n\na {{\n  color: {};\n}}\n"


def of_stage(reported: Reported, line: str) -> list[str]:
    before, after = DOCKER.format(""), DOCKER.format(line)
    return reported("Dockerfile", before, after, rule="phantom-member")


def of_color(
    reported: Reported, old: str, new: str, files: dict[str, str]
) -> list[str]:
    before, after = STYLES.format(old), STYLES.format(new)
    return reported("a.css", before, after, rule="undefined-name", files=files)


def test_a_stage_that_no_line_names_is_reported(reported: Reported) -> None:
    found = of_stage(reported, "COPY --from=builder /a /b")
    assert found == ["No stage is named `builder`."]


@pytest.mark.parametrize(
    "line",
    [
        "COPY --from=build --chown=a --link /a /b",
        "COPY --from=0 /a /b",
        "COPY --from=busybox /bin/sh /bin/sh",
        "COPY --from=golang:1.22 /a /b",
    ],
)
def test_stages_and_images_are_not(reported: Reported, line: str) -> None:
    assert of_stage(reported, line) == []


def test_a_property_that_nothing_sets_is_reported(reported: Reported) -> None:
    found = of_color(reported, "red", "var(--ink)", {})
    assert found == ["Nothing sets `--ink`."]


@pytest.mark.parametrize(
    ("old", "new", "files"),
    [
        ("red", "var(--accent)", {}),
        ("red", "var(--ink, blue)", {}),
        ("var(--ink)", "rgb(from var(--ink) r g b)", {}),
        ("red", "var(--ink)", {"b.scss": ":root {\n  --ink: blue;\n}\n"}),
    ],
)
def test_other_properties_are_not(
    reported: Reported, old: str, new: str, files: dict[str, str]
) -> None:
    assert of_color(reported, old, new, files) == []


WORKFLOW = (
    "on: push\njobs:\n  build:\n    runs-on: x\n    steps:\n      - run: make\n"
    "  publish:\n    {}\n    steps:\n      - run: ship\n"
)


@pytest.mark.parametrize(
    ("needs", "names"),
    [
        ("needs: test", ["test"]),
        ("needs: [build, test]  # Both.", ["test"]),
        ("needs:\n      - build\n      - lint", ["lint"]),
        ("needs: build", []),
        ("needs:\n      - build", []),
        ("if: needs.test.result == 'success'", []),
        ("needs: ${{ matrix.job }}", []),
    ],
)
def test_jobs_that_a_workflow_needs(
    reported: Reported, needs: str, names: list[str]
) -> None:
    before, after = WORKFLOW.format("needs: build"), WORKFLOW.format(needs)
    path, rule = ".github/workflows/a.yml", "undefined-name"
    expected = [f"The workflow has no job `{name}`." for name in names]
    assert reported(path, before, after, rule=rule) == expected
    assert reported("compose.yml", before, after, rule=rule) == []
