"""tiered: three tiers, each only while the target is missed (seed 003, ION)."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest

from core.common.errors import Cancelled, CompactionFailed, InputError
from core.configuration.store import SavedSettings
from core.llm.protocol import SummaryResponse
from core.settings.keys import AUTO, COMPACTION_MODEL, PROTECTED, THRESHOLD
from core.settings.prompts import built_in
from core.strategies.base import CheckPoint
from core.strategies.helpers import trigger_tokens
from core.strategies.tiered import strategy as tiered
from core.strategies.tiered.summary_sections import SECTIONS, summary_sections
from core.summarize.summarizer_choice import summariser_factory
from core.transcript.compaction import NoOpCode
from core.transcript.model import Speaker
from tests.builders import ai, exchange, human, talk
from tests.core.strategies.strategy_running import context, result_texts, tokens, values
from tests.core.strategies.tiered_running import OLD, SEVEN, TAIL, compact, summary_text, tiered_context

# declaration and defaults


@pytest.mark.req("ION-49")
def test_it_is_due_at_80_percent_of_the_room_after_tool_results() -> None:
    trigger = tiered.STRATEGY.trigger
    assert trigger.check is CheckPoint.AFTER_TOOLS
    assert trigger_tokens(tiered.STRATEGY, values(), 200_000) == 147_200
    big = context(OLD, limit=200_000)
    assert tiered.target_tokens(big) == (110_400, ())


@pytest.mark.req("ION-55", "ION-58")
def test_model_and_protected_messages_have_their_defaults() -> None:
    assert values().get(COMPACTION_MODEL) == ""
    assert values().integer(PROTECTED) == 12


@pytest.mark.req("ION-56", "ION-59")
def test_the_settings_of_the_seed_stand_in_the_table_compaction_of_the_file() -> None:
    assert values().get(AUTO) is True
    SavedSettings().save({COMPACTION_MODEL: "small", AUTO: False, PROTECTED: 5})
    table = tomllib.loads(SavedSettings().path.read_text("utf-8"))["compaction"]
    assert table == {"model": "small", "auto": False, "protected_messages": 5}


def test_a_target_that_is_not_below_the_trigger_is_lowered_and_said_so() -> None:
    trigger: dict[str, Any] = {THRESHOLD: 0.4}
    result = compact(OLD, target=600, compaction__target=0.6, **trigger)
    assert result.target == 360  # 0.3 of 1200
    assert any("not below the trigger" in text for text in result.warnings)


# the tiers


@pytest.mark.req("ION-09", "ION-62")
def test_under_the_target_no_compaction_is_needed() -> None:
    result, writer = tiered_context(OLD, target=100_000)
    nothing = tiered.compress(result).no_op
    assert nothing is not None
    assert nothing.code is NoOpCode.UNDER_TARGET
    assert nothing.reason.startswith("No compaction needed")
    assert not writer.requests


@pytest.mark.req("ION-07", "ION-09", "ION-53", "ION-54")
def test_tier_1_keeps_both_ends_of_a_long_output_and_says_what_is_missing() -> None:
    context, writer = tiered_context(OLD + TAIL, target=1400, compaction__truncate_keep_tokens=100)
    result = tiered.compress(context)
    assert [tier.name for tier in result.tiers] == ["truncate"]
    assert result_texts(result)[0].startswith("line 0 of")
    assert "\n\n... [40 lines truncated] ...\n\n" in result_texts(result)[0]
    assert result_texts(result)[0].endswith("line 59 of the file")
    assert result.tiers[0].tokens == tokens(result.messages) <= 1400
    assert result.summary is None
    assert not writer.requests


@pytest.mark.req("ION-08", "ION-53")
def test_tier_2_leaves_a_note_in_the_place_of_old_outputs() -> None:
    context, writer = tiered_context(OLD + TAIL, target=900)
    result = tiered.compress(context)
    assert [tier.number for tier in result.tiers] == [1, 2]
    assert result_texts(result)[0] == (
        "[Output removed: Read /repo/src/0.py, 60 lines, starting with: line 0 of the file...]"
    )
    assert tokens(result.messages) <= 900
    assert not writer.requests


@pytest.mark.req("ION-01", "ION-12", "ION-13", "ION-14", "ION-15", "ION-46", "ION-69", "ION-72")
def test_tier_3_puts_one_summary_of_the_originals_in_front_of_the_protected_messages() -> None:
    """Also fix TI-01, fix TI-17."""
    asked, writer = tiered_context(OLD + TAIL)
    result = tiered.compress(asked)
    [request] = writer.requests
    assert request.messages == OLD
    assert (request.temperature, request.max_output_tokens) == (0.0, 8000)
    assert result.messages[0].speaker is Speaker.SYSTEM
    assert result.messages[1:] == TAIL
    assert summary_text(result).startswith("<context-summary>\n1. TASK STATE")
    assert "</context-summary>" in summary_text(result)
    sizes = [tier.tokens for tier in result.tiers]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == tokens(result.messages)
    assert result.origins[0] == tuple(range(len(OLD)))
    assert [step.rule for step in result.fates[2].steps] == ["truncate", "remove", "summarise"]
    assert result.fates[2].last.fix == "TI-01"
    assert result.metadata.middle_compressed == len(OLD)


@pytest.mark.req("ION-06")
def test_a_sentence_tells_the_model_to_go_on_without_asking() -> None:
    text = summary_text(compact(OLD + TAIL))
    assert "do not ask" in text.partition("</context-summary>")[2]


@pytest.mark.req("ION-14")
def test_the_summary_may_speak_as_the_user() -> None:
    """Shows fix TI-16: by default it does not."""
    result = compact(OLD + TAIL, compaction__summary_role="user")
    assert result.messages[0].speaker is Speaker.HUMAN


@pytest.mark.req("ION-68")
def test_with_nothing_to_save_for_the_first_two_the_third_alone_reaches_the_target() -> None:
    result = compact(talk(60), target=600)
    assert [bool(tier.messages) for tier in result.tiers] == [False, False, True]
    assert all(tier.note for tier in result.tiers[:2])
    assert tokens(result.messages) <= 600


@pytest.mark.req("ION-42")
def test_the_focus_stands_in_the_request() -> None:
    context, writer = tiered_context(OLD + TAIL, focus="the lexer")
    tiered.compress(context)
    assert "the lexer" in writer.requests[0].prompt
    assert writer.requests[0].focus == "the lexer"


# the cut


@pytest.mark.req("ION-10")
def test_a_run_of_results_counts_as_one_protected_message() -> None:
    calls = ai(
        "",
        *(
            call
            for n in range(3)
            for m in exchange(f"p{n}", "Grep")
            for call in m.blocks[:1]
            if m.speaker is Speaker.AI
        ),
    )
    answers = tuple(exchange(f"p{n}", "Grep", "found")[1] for n in range(3))
    tail = (calls, *answers, ai("seen"), human("go on"))
    result = compact(OLD + tail)
    assert result.split is not None
    assert result.split.bottom == 6  # call, three results as one, two more
    assert result.protected == tuple(range(len(OLD), len(OLD) + 6))


@pytest.mark.req("ION-11")
def test_a_cut_never_leaves_a_result_without_its_call() -> None:
    """Shows fix TI-02."""
    tail = (*exchange("p", "Grep", "found"), ai("seen"), human("go on"), ai("done"))
    result = compact(OLD + tail)
    assert result.split is not None
    [cut] = result.split.cuts
    assert (cut.reference - cut.index, cut.reference_orphans) == (1, ("p",))
    assert result.messages[1:] == tail
    assert "TI-02" in result.fixes


# the prompt


@pytest.mark.req(
    "ION-16",
    "ION-17",
    "ION-18",
    "ION-19",
    "ION-20",
    "ION-21",
    "ION-22",
    "ION-23",
    "ION-24",
    "ION-25",
    "ION-26",
)
@pytest.mark.parametrize(
    "words",
    [
        "go on at once",
        "technical detail",
        "1. TASK STATE: what the user wants",
        "2. FILES: every file that was read, created, changed or deleted",
        "full path",
        "3. TOOL HISTORY: the tools and commands",
        "4. ERRORS:",
        "how it was solved",
        "5. DECISIONS:",
        "reason",
        "6. USER GUIDANCE: what the user corrected, prefers, demands or forbids",
        "7. NEXT STEPS: the very next action",
        "letter by letter",
        "ask the user again",
    ],
)
def test_the_prompt_asks_for(words: str) -> None:
    assert words in built_in(tiered.NAME).text


@pytest.mark.req("ION-05", "ION-16")
def test_the_offline_summary_has_all_seven() -> None:
    context, _ = tiered_context(OLD + TAIL, target=900, compaction__max_tool_output_tokens=100_000)
    counted = replace(
        context, history=OLD * 3 + TAIL, summariser=summariser_factory(None, lambda text: len(text) // 4)
    )
    result = tiered.compress(counted)
    assert [one.name for one in summary_sections(summary_text(result))] == list(SECTIONS)
    assert "Never push" in summary_text(result)


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


@pytest.mark.parametrize("error", [Cancelled(), InputError("There is no key.")])
def test_what_a_person_decides_is_no_failure_of_the_summary(error: Exception) -> None:
    with pytest.raises(type(error)):
        compact(OLD + TAIL, error)
