"""Predictions from the file's own tokens."""

from __future__ import annotations

import pytest

from redline.completion.predictor import predict

LINE = "self._endpoint.register(Handler, timeout_s=1.0)"


@pytest.mark.parametrize(
    ("left", "lines", "expected"),
    [
        ("    self._endpoint.register(", [LINE, LINE], "Handler, timeout_s=1.0)"),
        ("    self._endpoint.register(", [LINE], ""),
        ("    self._endpoint.register(", [LINE, LINE.replace("Handler", "Other")], ""),
        (
            "    self._endpoint.register(",
            [LINE, LINE.replace("1.0", "2.0")],
            "Handler, timeout_s=",
        ),
        ("register(", [LINE, LINE], ""),
        ("    self._endpoint.regi", [LINE, LINE], ""),
    ],
)
def test_predictions(left: str, lines: list[str], expected: str) -> None:
    """Only what has followed at least twice, and always, is predicted."""
    assert predict(left, lines) == expected
