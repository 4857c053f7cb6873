"""What handlers hand over of the wrong type: none of it reaches the other side."""

from __future__ import annotations

from enum import IntEnum
from types import ModuleType
from typing import Any

import pytest
from mcp_wire import RpcError

from .wire import MODULES, OLDEST, TASKS, Recorder, call_tool, parsed, run, text_result, version_id

INFINITY = float("inf")
NAN = float("nan")


@pytest.fixture(params=MODULES.values(), ids=version_id)
def mcp(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


def served(mcp: ModuleType, call: Any, **options: Any) -> Any:
    class Handler:
        call_tool = staticmethod(call)

    return mcp.Dispatcher(Handler(), **options)


def error(mcp: ModuleType, raised: BaseException) -> Any:
    """The error that a caller gets of what a handler raises."""

    async def call(params: Any, ctx: Any) -> Any:
        raise raised

    return parsed(run(served(mcp, call).dispatch(call_tool(mcp))))["error"]


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "message", "logged"),
    [
        ("x", "m", "$.error.code: expected an integer, found string 'x'"),
        (True, "m", "$.error.code: expected an integer, found true"),
        (1.5, "m", "$.error.code: expected an integer, found number 1.5"),
        (1.0, "m", "$.error.code: expected an integer, found number 1.0"),
        (None, "m", "$.error.code: expected an integer, found null"),
        (1, 2, "$.error.message: expected a string, found integer 2"),
        (1, None, "$.error.message: expected a string, found null"),
        (1, ["m"], "$.error.message: expected a string, found array of 1 item"),
        (10**5000, "m", "expected a JSON value, found integer of"),
    ],
    ids=lambda value: f"{value!r:.20}" if not isinstance(value, int) else f"{value:x}"[:20],
)
def test_error_that_json_rpc_does_not_allow(
    mcp: ModuleType, code: Any, message: Any, logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert error(mcp, RpcError(code, message)) == {"code": -32603, "message": "Internal error"}
    assert logged in caplog.text


class Code(IntEnum):
    BUSY = -32000


class Sentence(str):
    pass


@pytest.mark.parametrize(
    ("code", "message"), [(Code.BUSY, "m"), (0, ""), (-(2**70), "\ud800"), (1, Sentence("m"))]
)
def test_error_that_it_allows(mcp: ModuleType, code: Any, message: Any) -> None:
    assert error(mcp, RpcError(code, message)) == {"code": int(code), "message": str(message)}


# --- progress and logs --------------------------------------------------------------------------


async def progress(ctx: Any, *given: Any) -> None:
    await ctx.progress(*given)


async def log(ctx: Any, *given: Any) -> None:
    await ctx.log(*given)


@pytest.mark.parametrize("meta", [{}, {"progressToken": 1}])
@pytest.mark.parametrize(
    ("report", "given", "expected"),
    [
        (progress, (True,), TypeError("progress: expected a number, found true")),
        (progress, ("1",), TypeError("progress: expected a number, found string '1'")),
        (progress, (None,), TypeError("progress: expected a number, found null")),
        (progress, (1, "x"), TypeError("total: expected a number, found string 'x'")),
        (progress, (1, False), TypeError("total: expected a number, found false")),
        (progress, (1, 2, 3), TypeError("message: expected a string, found integer 3")),
        (progress, (NAN,), ValueError("progress: expected a finite number, found number nan")),
        (
            progress,
            (-INFINITY,),
            ValueError("progress: expected a finite number, found number -inf"),
        ),
        (progress, (1, INFINITY), ValueError("total: expected a finite number, found number inf")),
        (
            progress,
            (10**400,),
            ValueError("progress: expected a finite number, found integer of 1329 bits"),
        ),
        (
            progress,
            (1, 10**400),
            ValueError("total: expected a finite number, found integer of 1329 bits"),
        ),
        (log, ("error", "x", 3), TypeError("logger: expected a string, found integer 3")),
        (log, ("error", "x", b"n"), TypeError("logger: expected a string, found an instance of")),
        (log, (3, "x"), ValueError("level: expected one of debug, ")),
        (log, (["info"], "x"), ValueError("level: expected one of debug, ")),
    ],
)
def test_reports_of_the_wrong_type(
    mcp: ModuleType, report: Any, given: Any, expected: Exception, meta: Any
) -> None:
    raised: list[Exception] = []

    async def call(params: Any, ctx: Any) -> Any:
        try:
            await report(ctx, *given)
        except Exception as found:
            raised.append(found)
        await ctx.progress(0.5)
        return text_result(mcp)

    send = Recorder()
    dispatcher = served(mcp, call, send=send)
    assert "result" in parsed(run(dispatcher.dispatch(call_tool(mcp, meta=meta))))
    (found,) = raised
    assert type(found) is type(expected)
    assert str(found).startswith(str(expected))
    # What was refused has left no trace: half of it still counts as a rise from nothing.
    assert [params["progress"] for params in send.params] == ([0.5] if meta else [])


def test_progress_of_every_kind_of_number() -> None:
    async def call(params: Any, ctx: Any) -> Any:
        for value in (-(2**70), -1, -0.5, 0, Code.BUSY + 32001, 2**70, 1.7e308):
            await ctx.progress(value, value)
        return text_result(TASKS)

    send = Recorder()
    message = call_tool(TASKS, meta={"progressToken": 1})
    assert "result" in parsed(run(served(TASKS, call, send=send).dispatch(message)))
    assert len(send.messages) == 7
    for sent in send.messages:
        TASKS.decode_message(sent)


def test_the_oldest_version_sends_no_message_of_progress() -> None:
    async def call(params: Any, ctx: Any) -> Any:
        await ctx.progress(1, message="half")
        return text_result(OLDEST)

    send = Recorder()
    message = call_tool(OLDEST, meta={"progressToken": 1})
    assert "result" in parsed(run(served(OLDEST, call, send=send).dispatch(message)))
    assert send.params == [{"progressToken": 1, "progress": 1}]
