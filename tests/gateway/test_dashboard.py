"""The dashboard for Grafana shows metrics that the gateway has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any  # The dashboard is JSON of any shape.

from redline.gateway.metrics import Metrics

FILE = Path(__file__).parents[2] / "publishing" / "deploy" / "grafana-dashboard.json"

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "team-gateway.md"

OF_PROMETHEUS = {"job", "le"}
"""Labels that every scrape has, or every histogram."""


def labels_of_metrics() -> dict[str, set[str]]:
    """Return the labels of each name that the gateway serves, once something counts."""
    metrics = Metrics()
    for family in metrics.families:
        family.add(1, *("x" for _ in family.labels))
    for histogram in metrics.histograms:
        histogram.observe(1.0, *("x" for _ in histogram.labels))
    served: dict[str, set[str]] = {}
    for line in metrics.text().splitlines():
        if not line.startswith("#"):
            name = re.split(r"[ {]", line)[0]
            served.setdefault(name, set()).update(re.findall(r'(\w+)="', line))
    return served


def expressions() -> list[str]:
    """Return what the panels and the variables ask for."""
    dashboard: Any = json.loads(FILE.read_text(encoding="utf-8"))
    panels = [each["expr"] for one in dashboard["panels"] for each in one["targets"]]
    variables = [
        one["query"]["query"]
        for one in dashboard["templating"]["list"]
        if one["type"] == "query"
    ]
    return panels + variables


def test_it_names_only_what_exists() -> None:
    served = labels_of_metrics()
    for expression in expressions():
        (name,) = set(re.findall(r"redline_gateway_\w+", expression))
        assert name in served, expression
        grouped = ", ".join(re.findall(r"by \(([^)]*)\)", expression))
        labels = set(re.findall(r"\w+", grouped))
        labels |= set(re.findall(r"(\w+)=~?\"", expression))
        assert labels <= served[name] | OF_PROMETHEUS, expression


def test_it_shows_every_metric_that_the_page_lists() -> None:
    listed = set(re.findall(r"^\| `(redline_gateway_\w+)", PAGE.read_text(), re.M))
    shown = set(re.findall(r"redline_gateway_\w+", " ".join(expressions())))
    assert {name.removesuffix("_bucket") for name in shown} == listed
    served = {re.sub(r"_(bucket|sum|count)$", "", name) for name in labels_of_metrics()}
    assert served == listed
