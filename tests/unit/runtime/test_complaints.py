"""Warnings about a peer: how often each is given, and what becomes of the others."""

from __future__ import annotations

import logging

import pytest
from mcp_wire.runtime.complaints import Complaints


def said(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    found = [record.getMessage() for record in caplog.records if record.levelno == level]
    caplog.clear()
    return found


@pytest.fixture(autouse=True)
def at_debug(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)


def test_one_in_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    complaints = Complaints()
    for second in range(0, 180, 20):
        complaints.warn(second, "number %d", second)
    assert said(caplog, logging.WARNING) == [
        "number 0",
        "number 60, after 2 more",
        "number 120, after 2 more",
    ]


def test_the_others_are_there_for_debugging(caplog: pytest.LogCaptureFixture) -> None:
    complaints = Complaints()
    for number in range(3):
        complaints.warn(0, "number %d", number)
    assert said(caplog, logging.DEBUG) == ["number 1", "number 2"]


def test_each_kind_has_its_own_minute(caplog: pytest.LogCaptureFixture) -> None:
    complaints = Complaints()
    complaints.warn(0, "one %d", 1)
    complaints.warn(59, "other %d", 1)
    complaints.warn(60, "one %d", 2)
    complaints.warn(60, "other %d", 2)
    assert said(caplog, logging.WARNING) == ["one 1", "other 1", "one 2"]


def test_nothing_is_counted_twice(caplog: pytest.LogCaptureFixture) -> None:
    complaints = Complaints()
    for second in (0, 1, 60, 120):
        complaints.warn(second, "no")
    assert said(caplog, logging.WARNING) == ["no", "no, after 1 more", "no"]
