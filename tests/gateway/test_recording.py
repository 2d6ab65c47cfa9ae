"""A record of events: lines of JSON, for as long as they can be written."""

from __future__ import annotations

import errno
import json
import logging

import pytest

from redline.gateway.recording import Recorder, write_json_lines


def test_a_record_that_cannot_be_written_ends(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The gateway serves on, and says so once."""
    written: list[bytes] = []

    def write(line: bytes) -> None:
        if len(written) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(line)

    recorder = Recorder(write_json_lines(write))
    with caplog.at_level(logging.WARNING):
        for _ in range(4):
            recorder.note("opened", recorder.new_connection())
    assert [json.loads(line)["connection"] for line in written] == [1, 2]
    assert [record.getMessage() for record in caplog.records] == [
        "the record of events ends here: No space left on device"
    ]
