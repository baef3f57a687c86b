"""A compaction that only the provider can read stays at its place in every result, or the run is
refused."""

from __future__ import annotations

import pytest

from core.strategies.registry import COMPACTION_STRATEGIES
from core.transcript.compaction import FateKind, NoOpCode
from core.transcript.model import Message, MessageFlag, Opaque, Speaker, Text
from tests.core.strategies.strategy_running import run
from tests.support.builders import ai, call, exchange, human, talk, tool

ITEM = Opaque("compaction", {"type": "compaction", "encrypted_content": "gAAAA" * 50})
OPAQUE = Message(
    speaker=Speaker.HUMAN,
    blocks=(ITEM,),
    flags=MessageFlag.OPAQUE | MessageFlag.RECORDED_SUMMARY,
)
WORK = tuple(
    message
    for number in range(20)
    for message in (
        *exchange(
            f"c{number}", "bash", f"output {number}\n" * 60, command=f"run {number}"
        ),
    )
)
ASKED = human("Fix the rounding. Do not touch src/legacy.")
HISTORY = (ASKED, OPAQUE, *WORK, ai("Done so far."), human("Go on."))


@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
def test_an_encrypted_compaction_stays_in_every_result_and_is_never_called_summarised(
    name: str,
) -> None:
    result = run(name, HISTORY, limit=3000)
    assert OPAQUE in result.messages
    assert result.fates[1].kind is FateKind.KEPT
    place = result.messages.index(OPAQUE)
    assert result.origins[place] == (1,)
    assert [sources for sources in result.origins if 1 in sources] == [(1,)]
    later = [max(sources) for sources in result.origins[:place] if sources]
    assert all(source < 1 for source in later)


@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
def test_a_summary_stands_behind_an_encrypted_compaction(name: str) -> None:
    result = run(
        name, (*talk(8), OPAQUE, *WORK, ai("Done so far."), human("Go on.")), limit=3000
    )
    assert not [at for at in result.inserted if at < result.messages.index(OPAQUE)]
    assert {
        at for at, sources in enumerate(result.origins) if not sources
    } <= result.inserted


@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
def test_of_a_message_that_goes_only_its_encrypted_blocks_stay(name: str) -> None:
    mixed = ai("words of the model " * 30, ITEM, call("bash", "m", command="make"))
    mixed = Message(
        speaker=mixed.speaker, blocks=mixed.blocks, flags=MessageFlag.OPAQUE
    )
    history = (
        human("go"),
        mixed,
        tool(*exchange("m", "bash", "built\n" * 90)[1].blocks),
        *HISTORY[2:],
    )
    result = run(name, history, limit=3000)
    (place,) = [
        at for at, message in enumerate(result.messages) if ITEM in message.blocks
    ]
    assert result.origins[place] == (1,)
    assert result.fates[1].kind in (FateKind.KEPT, FateKind.EDITED)


def test_a_run_that_the_block_would_leave_at_the_front_is_refused_with_the_reason() -> (
    None
):
    opaque = Message(speaker=Speaker.AI, blocks=(ITEM,), flags=MessageFlag.OPAQUE)
    result = run("one-shot", (human("go"), opaque, *HISTORY[2:]), limit=3000)
    assert result.no_op is not None
    assert result.no_op.code is NoOpCode.NO_VALID_BOUNDARY
    assert "only the provider can read" in result.no_op.reason
    assert result.messages[1] == opaque


def test_a_compaction_that_can_be_read_is_summarised_like_other_text() -> None:
    readable = human(
        "", Text("What came before: a cart.", extra={"type": "compaction"})
    )
    result = run("one-shot", (human("go"), readable, *talk(30)), limit=1000)
    assert result.fates[1].kind is FateKind.SUMMARISED
