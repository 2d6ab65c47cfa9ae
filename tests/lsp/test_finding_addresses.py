"""Where the places of findings in a report lead."""

from __future__ import annotations

import pytest

from redline.findings.finding import Finding
from redline.lsp.review.finding_addresses import address_in, file_address

ROOT = "file:///home/a%20b"


def finding(uri: str) -> Finding:
    return Finding(
        id="f1",
        review_id="r1",
        file="x.py",
        uri=uri,
        fingerprint="0",
        first_line=3,
        end_line=5,
        quote="",
        severity="low",
        category="time",
        title="",
        explanation="",
    )


@pytest.mark.parametrize(
    ("uri", "in_a_file", "in_the_folder"),
    [
        ("file:///home/a%20b/c.py", "file:///home/a%20b/c.py#L4", "/c.py#L4"),
        (
            "file:///home/a%20b/d/e) [f](command:x).py",
            "file:///home/a%20b/d/e%29%20%5Bf%5D%28command:x%29.py#L4",
            "/d/e%29%20%5Bf%5D%28command%3Ax%29.py#L4",
        ),
        ("file:///home/a%20b/%FF.py", "file:///home/a%20b/%FF.py#L4", "/%FF.py#L4"),
        ("file:///home/other/c.py", "file:///home/other/c.py#L4", ""),
        ("untitled:new", "", ""),
        ("command:x", "", ""),
        ("", "", ""),
    ],
)
def test_a_place_leads_to_its_line(
    uri: str, in_a_file: str, in_the_folder: str
) -> None:
    """Nothing in the name of a file ends the link; what is no file has none."""
    assert file_address(finding(uri)) == in_a_file
    assert address_in(ROOT)(finding(uri)) == in_the_folder


def test_without_a_folder_there_are_no_links_of_documents() -> None:
    assert address_in("")(finding("file:///home/a.py")) == ""
