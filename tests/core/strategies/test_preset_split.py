"""Cuts of presets, each rule by its numbers (product.md section 3.1, field.md section 1)."""

from __future__ import annotations

import pytest

from core.strategies.presets.split import (
    KeptBesideSummary,
    SplitRule,
    SummarisedRange,
    divide_history,
    is_typed,
    split_input,
)
from core.transcript.compaction import NoOp, NoOpCode
from core.transcript.model import Message, MessageFlag
from tests.builders import ai, exchange, flagged, human, response, talk
from tests.core.strategies.strategy_running import tokens

LOOP = (human("go"), *exchange("a", "bash", "x" * 400), *exchange("b", "bash", "x" * 400), ai("done"))


def cut(rule: SplitRule, messages: tuple[Message, ...]) -> SummarisedRange:
    result = divide_history(rule, split_input(messages, tokens, lambda place: place))
    assert isinstance(result, SummarisedRange), result.reason
    return result


def refused(rule: SplitRule, messages: tuple[Message, ...]) -> NoOp:
    result = divide_history(rule, split_input(messages, tokens, lambda place: place))
    assert isinstance(result, NoOp)
    assert result.reason.endswith(".")
    return result


def test_nothing_kept_takes_everything() -> None:
    result = cut(SplitRule(KeptBesideSummary.NOTHING), LOOP)
    assert (result.start, result.end) == (0, 6)
    assert result.split.cuts == ()


def test_newest_tokens_reach_back_to_the_message_that_fills_them() -> None:
    messages = talk(10)
    each = tokens(messages[-1:])
    assert cut(SplitRule(KeptBesideSummary.NEWEST_TOKENS, tokens=each * 3), messages).end == 7
    assert cut(SplitRule(KeptBesideSummary.NEWEST_TOKENS, tokens=each * 3 + 1), messages).end == 6
    assert (
        refused(SplitRule(KeptBesideSummary.NEWEST_TOKENS, tokens=10**6), messages).code
        is NoOpCode.TAIL_COVERS_ALL
    )


def test_newest_tokens_never_begin_with_a_result() -> None:
    result = cut(SplitRule(KeptBesideSummary.NEWEST_TOKENS, tokens=120), LOOP)
    assert LOOP[4].speaker == "tool"
    assert result.split.cuts[0].requested == 4
    assert result.end == 5


def test_newest_exchanges_begin_with_what_a_person_typed() -> None:
    messages = (*talk(4), human("next"), *exchange("a", "bash", "x" * 400), ai("done"))
    result = cut(SplitRule(KeptBesideSummary.NEWEST_EXCHANGES, tokens=130), messages)
    assert result.end == 4
    assert "the message of the person" in result.split.cuts[0].trace[1].detail
    assert cut(SplitRule(KeptBesideSummary.NEWEST_EXCHANGES, tokens=5), messages).end == 4


def test_where_all_fits_only_the_newest_exchange_stays() -> None:
    assert cut(SplitRule(KeptBesideSummary.NEWEST_EXCHANGES, tokens=10**6), talk(6)).end == 4


def test_the_newest_share_is_cut_before_the_person() -> None:
    result = cut(SplitRule(KeptBesideSummary.NEWEST_SHARE, share=0.3), talk(10))
    assert (result.split.cuts[0].requested, result.end) == (7, 8)


@pytest.mark.parametrize(("keep", "end"), [(1, 5), (2, 3), (3, 3), (4, 1)])
def test_newest_messages_keep_the_call_of_a_result(keep: int, end: int) -> None:
    assert cut(SplitRule(KeptBesideSummary.NEWEST_MESSAGES, messages=keep), LOOP).end == end


def test_of_the_first_and_the_newest_half_remain() -> None:
    result = cut(SplitRule(KeptBesideSummary.FIRST_AND_NEWEST, first=2, progress=0.1), talk(20))
    assert (result.start, result.end) == (2, 13)
    assert 20 - (result.end - result.start) + 1 == 10


def test_typed_is_what_a_person_wrote() -> None:
    assert is_typed(human("go"))
    for other in (
        ai("go"),
        human(""),
        human("", response("a")),
        human("<state_snapshot>\nold\n</state_snapshot>"),
        flagged(MessageFlag.META),
        flagged(MessageFlag.COMMAND),
    ):
        assert not is_typed(other)
