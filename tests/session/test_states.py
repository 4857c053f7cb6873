"""The table of transitions: every state is come to, and nothing else can happen in one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import mcp_wire
import pytest
from mcp_wire.runtime.core import Core
from mcp_wire.runtime.states import OVER, RECEIVE, SEND, TRANSITIONS, Occurrence, State
from mcp_wire.versions import FACTS

from .peers import LATEST, SIDES, Side


def reached(role: Side, start: State) -> set[State]:
    found: set[State] = set()
    new = {start}
    while new:
        found |= new
        new = {after for state in new for after in TRANSITIONS[role][state].values()} - found
    return found


@pytest.mark.parametrize("role", SIDES)
def test_every_state_of_a_side_is_come_to(role: Side) -> None:
    states = set(TRANSITIONS[role])
    starts = [State.NEW, State.STATELESS] if role == "server" else [State.NEW]
    assert set().union(*(reached(role, start) for start in starts)) == states
    assert states == set(RECEIVE[role]) == set(SEND[role])


@pytest.mark.parametrize("role", SIDES)
def test_the_end_may_come_at_any_time_and_is_final(role: Side) -> None:
    for state, after in TRANSITIONS[role].items():
        if state in OVER:
            assert set(after.values()) <= {State.CLOSED}
        else:
            assert (after["ended"], after["aborted"]) == OVER


@pytest.mark.parametrize(
    ("role", "what"),
    [("server", "initialized"), ("server", "agreed"), ("client", "agreed"), ("client", "answered")],
)
def test_what_cannot_happen_in_a_state_does_not(role: Side, what: Occurrence) -> None:
    core = Core(role, FACTS[LATEST], State.NEW)
    with pytest.raises(KeyError, match=what):
        core.happened(what)
    assert core.state is State.NEW


def test_a_connection_has_no_part_in_any_io() -> None:
    program = (
        "import sys, mcp_wire.runtime.connection\n"
        "print({'asyncio', 'selectors', 'socket', 'subprocess'} & {*sys.modules})"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(mcp_wire.__file__).parents[1])}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
