"""Two connections joined by a pipe that delays as it likes: no call is lost, mixed up or left."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from mcp_wire.runtime.connection import Connection
from mcp_wire.runtime.errors import ConnectionClosed, McpError, RpcError
from mcp_wire.runtime.events import (
    Answered,
    Closed,
    Event,
    Failed,
    Progressed,
    RequestCancelled,
    RequestReceived,
)
from mcp_wire.runtime.handshake import Introduction
from mcp_wire.runtime.limits import Limits

from .peers import INFO, MODERN, VERSIONS, Side, discovered, dumps, facts, initialized

SPOKEN = [*((version,) for version in VERSIONS), VERSIONS, ("2025-03-26", MODERN)]
"""What a side may speak: one version, all of them, or some of both eras."""

METHODS = ("tools/list", "acme/slow", "tasks/result", "ping")


class End:
    """One connection, what its handlers are busy with, and what became of its own calls."""

    def __init__(self, role: Side, versions: Sequence[str], limits: Limits) -> None:
        self.role = role
        self.versions = versions
        self.connection = Connection(
            role,
            facts(*versions),
            limits=limits,
            introduce=lambda _: Introduction(INFO, {}),
        )
        self.inbox: deque[bytes] = deque()
        self.running: list[Any] = []
        self.stopping: list[Any] = []
        self.ended: dict[str, list[Any]] = {}
        self.ids: dict[str, int] = {}
        self.given_up: set[str] = set()
        self.progressed: list[str] = []
        self.is_closed = False

    def act(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case RequestReceived(request):
                    assert request not in self.running
                    self.running.append(request)
                case RequestCancelled(request):
                    self.running.remove(request)
                    self.stopping.append(request)
                case Answered(owner, result):
                    self.ended[owner].append(result)
                case Failed(owner, error):
                    self.ended[owner].append(error)
                case Progressed(owner):
                    assert not self.ended[owner]
                    assert owner not in self.given_up
                    self.progressed.append(owner)
                case Closed():
                    assert not self.is_closed
                    self.is_closed = True
                case _:
                    pass


class TwoConnections(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.names = itertools.count()
        self.now = 0.0

    @initialize(
        spoken=st.tuples(st.sampled_from(SPOKEN), st.sampled_from(SPOKEN)),
        is_same=st.booleans(),
        slots=st.integers(1, 3),
        keepalive=st.sampled_from([None, 30.0]),
        begin=st.sampled_from(["before", "after", "after", "after"]),
    )
    def start(
        self,
        spoken: tuple[Sequence[str], Sequence[str]],
        is_same: bool,
        slots: int,
        keepalive: float | None,
        begin: str,
    ) -> None:
        mine, theirs = spoken
        limits = Limits(
            requests=slots,
            timeout=60,
            keepalive=keepalive,
            progress_restarts=True,
            total_timeout=3600,
        )
        self.ends = [
            End("client", mine, limits),
            End("server", mine if is_same else theirs, limits),
        ]
        for end in self.ends:
            end.connection.start(self.now)
        self.move()
        if begin == "after":
            self.settle()

    def move(self) -> None:
        for end, other in (self.ends, self.ends[::-1]):
            other.inbox.extend(end.connection.messages_to_send())

    # --- what may happen ------------------------------------------------------------------------

    @rule(side=st.integers(0, 1), method=st.sampled_from(METHODS), timeout=st.integers(1, 90))
    def call(self, side: int, method: str, timeout: int) -> None:
        end = self.ends[side]
        owner = f"call-{next(self.names)}"
        try:
            end.ids[owner] = end.connection.request(
                method,
                {"owner": owner},
                self.now,
                owner=owner,
                timeout=timeout,
                progress=method != "ping",
            )
        except ConnectionClosed:
            assert end.is_closed
        except ValueError:
            assert MODERN in end.versions
            assert method == "ping" or end.role == "server"
        else:
            end.ended[owner] = []
        self.move()

    @rule(side=st.integers(0, 1), count=st.integers(1, 5))
    def deliver(self, side: int, count: int) -> None:
        end = self.ends[side]
        for _ in range(min(count, len(end.inbox))):
            end.act(end.connection.receive(end.inbox.popleft(), self.now))
        self.move()

    @rule(side=st.integers(0, 1), which=st.integers(0, 9), fails=st.booleans())
    def answer(self, side: int, which: int, fails: bool) -> None:
        end = self.ends[side]
        if end.running:
            self.finish(end, end.running.pop(which % len(end.running)), fails)

    @rule(side=st.integers(0, 1))
    def stop(self, side: int) -> None:
        """A cancelled handler stops, and may even have an answer."""
        end = self.ends[side]
        if end.stopping:
            self.finish(end, end.stopping.pop(), False)

    def finish(self, end: End, request: Any, fails: bool) -> None:
        params = request.envelope.params
        result: dict[str, Any] = {"owner": params.get("owner")}
        if request.envelope.method == "initialize":
            # One that speaks no version with a handshake has no such method.
            result, fails = initialized(request.version), request.version == MODERN
        elif request.envelope.method == "server/discover":
            result, fails = discovered(*end.versions), False
        outcome = {"error": {"code": 7, "message": result.get("owner", "")}}
        message = {"jsonrpc": "2.0", "id": request.id, **(outcome if fails else {"result": result})}
        end.act(end.connection.respond(request, dumps(message), self.now))
        self.move()

    @rule(side=st.integers(0, 1), which=st.integers(0, 9), value=st.integers(0, 5))
    def progress(self, side: int, which: int, value: int) -> None:
        end = self.ends[side]
        tokens = [
            meta["progressToken"]
            for request in end.running
            if "progressToken" in (meta := request.envelope.params.get("_meta", {}))
        ]
        if tokens and not end.is_closed:
            params = {"progressToken": tokens[which % len(tokens)], "progress": value}
            end.connection.notify("notifications/progress", params, self.now)
            self.move()

    @rule(side=st.integers(0, 1), which=st.integers(0, 30))
    def give_up(self, side: int, which: int) -> None:
        end = self.ends[side]
        owners = [owner for owner, outcomes in end.ended.items() if not outcomes]
        if owners:
            owner = owners[which % len(owners)]
            end.connection.cancel(end.ids[owner], self.now)
            end.given_up.add(owner)
            self.move()

    @rule(seconds=st.sampled_from([0.5, 3.0, 20.0, 100.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds
        for end in self.ends:
            end.act(end.connection.tick(self.now))
        self.move()

    @rule(side=st.integers(0, 1), garbage=st.sampled_from([b"{", b"[]", b"{}", b'{"id":1}']))
    def disturb(self, side: int, garbage: bytes) -> None:
        self.ends[side].inbox.append(garbage)

    @precondition(lambda self: self.now > 50)
    @rule(side=st.integers(0, 1))
    def close(self, side: int) -> None:
        end, other = self.ends[side], self.ends[1 - side]
        end.act(end.connection.close(self.now))
        self.move()
        self.settle()
        other.act(other.connection.receive_end(self.now))
        self.move()

    # --- what always holds ----------------------------------------------------------------------

    @invariant()
    def every_call_ends_at_most_once_and_with_its_own(self) -> None:
        for end in getattr(self, "ends", ()):
            for owner, outcomes in end.ended.items():
                assert len(outcomes) <= (owner not in end.given_up)
                for outcome in outcomes:
                    if isinstance(outcome, RpcError) and outcome.code == 7:
                        assert outcome.message == owner
                    elif isinstance(outcome, dict):
                        assert outcome.get("owner", owner) == owner

    def settle(self) -> None:
        """Deliver and answer everything there is; who is left alone is told so."""
        self.rest()
        for end, other in (self.ends, self.ends[::-1]):
            if end.is_closed and not other.is_closed:
                other.act(other.connection.receive_end(self.now))
        self.move()
        self.rest()

    def rest(self) -> None:
        for _ in range(1000):
            if not any(end.inbox or end.running or end.stopping for end in self.ends):
                return
            for end in self.ends:
                while end.inbox:
                    end.act(end.connection.receive(end.inbox.popleft(), self.now))
                self.move()
                while end.running or end.stopping:
                    self.finish(end, (end.running or end.stopping).pop(), False)
        raise AssertionError("the two never come to rest")

    def teardown(self) -> None:
        if not hasattr(self, "ends"):
            return
        self.settle()
        for end in self.ends:
            end.act(end.connection.close(self.now))
        self.settle()
        for end in self.ends:
            for owner, outcomes in end.ended.items():
                assert len(outcomes) == (owner not in end.given_up), owner
                assert all(isinstance(outcome, dict | McpError) for outcome in outcomes)
            assert end.connection.open_calls == 0
            assert end.connection.unanswered == 0
            assert end.connection.waiting_bytes == 0
            assert len(end.connection._calls.tokens) == 0
            assert not end.connection._core._held
            assert end.connection._answering._arrivals._free == end.connection.limits.requests
            assert end.connection.next_deadline() is None
            assert end.is_closed


TestTwoConnections = TwoConnections.TestCase
TestTwoConnections.settings = settings(
    max_examples=100, stateful_step_count=40, deadline=None, print_blob=True
)
