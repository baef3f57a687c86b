"""tiered where a summary fails, is too short or saves nothing (seed 003, ION)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.common.errors import Cancelled, CompactionFailed, InputError
from core.llm.protocol import SummaryResponse
from core.strategies.tiered import strategy as tiered
from core.transcript.compaction import NoOpCode
from tests.builders import talk
from tests.core.strategies.strategy_running import result_texts
from tests.core.strategies.tiered_running import OLD, SEVEN, TAIL, compact, tiered_context


@pytest.mark.req("ION-60", "ION-63")
@pytest.mark.parametrize(
    "error",
    [
        CompactionFailed("work (small-1): the server is not there."),
        ConnectionError("reset"),
        TimeoutError("late"),
    ],
)
def test_a_summary_that_fails_leaves_the_result_of_tier_2(error: Exception) -> None:
    result = compact(OLD + TAIL, error)
    assert result.no_op is None
    assert result.summary is None
    assert "[Output removed: " in result_texts(result)[0]
    assert result.tiers[2].note
    [kept, missed] = result.warnings
    assert kept.endswith("The result of tier 2 is kept.")
    assert "work (small-1)" in kept
    assert "missed" in missed


@pytest.mark.req("ION-61")
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (SummaryResponse(""), "wrote an empty summary"),
        (SummaryResponse(" \n\t"), "wrote an empty summary"),
        (SummaryResponse("<context-summary>\n</context-summary>"), "lacks the sections"),
        (SummaryResponse(SEVEN, "length"), "ended the summary too early"),
        (SummaryResponse("no", "refusal"), "refused"),
        (SummaryResponse(SEVEN.replace("4. ERRORS: None\n", "")), "lacks the section ERRORS"),
        (
            SummaryResponse("It went well."),
            "lacks the sections TASK STATE, ERRORS, DECISIONS, USER GUIDANCE and NEXT STEPS",
        ),
        (SummaryResponse(SEVEN + " and so on" * 2000), "saves nothing"),
    ],
)
def test_an_invalid_summary_leaves_it_too_and_says_why(answer: SummaryResponse, why: str) -> None:
    """Shows fix TI-12, fix TI-15: its cost is recorded."""
    result = compact(OLD + TAIL, replace(answer, input_tokens=900, output_tokens=7))
    assert result.summary is None
    assert why in result.warnings[0]
    assert result.warnings[0].startswith("tiered: ")
    assert [(call.profile, call.input_tokens) for call in result.calls] == [("work", 900)]
    assert result.metadata.llm_call_made


def test_where_the_first_two_saved_nothing_a_failure_is_told_and_the_history_stays() -> None:
    result = compact(talk(60), CompactionFailed("work (small-1): no answer."))
    assert result.no_op is not None
    assert result.no_op.code is NoOpCode.SUMMARY_FAILED
    assert result.messages == talk(60)
    assert result.warnings == ("work (small-1): no answer. The conversation is unchanged.",)


@pytest.mark.parametrize("error", [Cancelled(), InputError("There is no key.")])
def test_what_a_person_decides_is_no_failure_of_the_summary(error: Exception) -> None:
    with pytest.raises(type(error)):
        compact(OLD + TAIL, error)


def test_no_model_is_asked_where_its_summary_could_save_nothing() -> None:
    context, writer = tiered_context((*talk(2, "few words"), *talk(4, "recent " * 100)), target=100)
    result = tiered.compress(context)
    assert result.no_op is not None
    assert result.no_op.code is NoOpCode.NOT_SMALLER
    assert not writer.requests
