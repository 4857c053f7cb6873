"""Events are dealt with one at a time, in their order, and leave time for everything else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from mcp_wire.runtime.events import Failed, Progressed, Ready
from mcp_wire.runtime.reactions import Reactions

from .pipes import run


def numbered(number: int) -> Progressed:
    return Progressed(None, number, None, None)


def progress_to(reaction: Callable[[int], None]) -> Reactions:
    return Reactions({Progressed: lambda event: reaction(int(event.progress))})


async def caught_up(reactions: Reactions) -> None:
    while reactions.waiting:
        await asyncio.sleep(0)


def test_what_comes_of_a_reaction_waits_until_it_has_returned() -> None:
    seen: list[Any] = []

    def reaction(number: int) -> None:
        seen.append(f"begin {number}")
        if number < 3:
            reactions.react([numbered(number + 1)])
        seen.append(f"end {number}")

    async def main() -> None:
        nonlocal reactions
        reactions = progress_to(reaction)
        reactions.react([numbered(1)])

    reactions: Reactions
    run(main())
    assert seen == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]


def test_a_hundred_thousand_in_a_row_neither_recurse_nor_keep_the_loop() -> None:
    seen: list[int] = []
    turns = 0

    def reaction(number: int) -> None:
        seen.append(number)
        if number < 100_000:
            reactions.react([numbered(number + 1)])

    async def main() -> None:
        nonlocal reactions, turns
        reactions = progress_to(reaction)
        reactions.react([numbered(1)])
        while reactions.waiting:
            turns += 1
            await asyncio.sleep(0)

    reactions: Reactions
    run(main())
    assert seen == [*range(1, 100_001)]
    assert turns > 500


def test_events_that_come_while_others_wait_are_dealt_with_after_them() -> None:
    async def main() -> None:
        seen: list[int] = []
        reactions = progress_to(seen.append)
        reactions.react([numbered(number) for number in range(250)])
        assert len(seen) < 250
        reactions.react([numbered(250)])
        await caught_up(reactions)
        assert seen == [*range(251)]

    run(main())


def test_what_a_reaction_raises_keeps_nothing_from_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def reaction(number: int) -> None:
        seen.append(number)
        if number == 1:
            reactions.react([numbered(3)])
            raise ValueError("of the reaction")

    async def main() -> None:
        nonlocal reactions
        reactions = progress_to(reaction)
        reactions.react([numbered(1), numbered(2)])

    reactions: Reactions
    seen: list[int] = []
    run(main())
    assert seen == [1, 2, 3]
    assert "of the reaction" in caplog.text
    assert "Progressed" in caplog.text


def test_an_exit_in_a_reaction_is_raised_and_the_rest_is_dealt_with_later() -> None:
    async def main() -> None:
        def reaction(number: int) -> None:
            seen.append(number)
            if number == 1:
                raise SystemExit

        seen: list[int] = []
        reactions = progress_to(reaction)
        with pytest.raises(SystemExit):
            reactions.react([numbered(1), numbered(2)])
        await caught_up(reactions)
        assert seen == [1, 2]

    run(main())


def test_events_without_a_reaction_are_passed_over() -> None:
    async def main() -> None:
        seen: list[int] = []
        reactions = progress_to(seen.append)
        reactions.react([Ready(), numbered(1), Failed(None, ValueError())])  # type: ignore[arg-type]
        assert seen == [1]

    run(main())
