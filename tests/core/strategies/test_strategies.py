"""The registry, middle-out and one-shot, and composed stages (REQ-CS-001, 002, REQ-HD-001, 004)."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace

import pytest

from core.common.errors import CompactionFailed, InputError, UnknownStrategyError
from core.llm.protocol import SummaryResponse
from core.settings.schema import Mode
from core.strategies import high_density, middle_out, one_shot, top_down
from core.strategies.base import Strategy, StrategyContext, TriggerMode
from core.strategies.registry import COMPACTION_STRATEGIES, STRATEGIES, find_strategy
from core.transcript.compaction import Compaction, FateKind, NoOpCode
from core.transcript.model import Message, MessageFlag, Speaker, ToolResponse
from tests.core.strategies.strategy_running import (
    ScriptedSummariser,
    context,
    density_settings,
    run,
    tokens,
    values,
)
from tests.support.builders import (
    LONG,
    LOOP,
    ai,
    call,
    exchange,
    flagged,
    human,
    response,
    system,
    talk,
    tool,
)
from tests.support.narrowing import known


def with_script(
    messages: tuple[Message, ...], answer: SummaryResponse, **settings: str
) -> tuple[StrategyContext, ScriptedSummariser]:
    script = ScriptedSummariser(answer)
    return replace(
        context(messages, values(**settings)), summariser=script.choose
    ), script


# the registry


@pytest.mark.req("REQ-CS-001.1", "REQ-CS-001.2", "REQ-HD-004.1", "REQ-HD-004.2")
def test_every_name_finds_its_strategy() -> None:
    assert [find_strategy(name) for name in COMPACTION_STRATEGIES] == list(STRATEGIES)
    assert high_density.STRATEGY.name in COMPACTION_STRATEGIES


def test_the_registry_loads_no_strategy_before_its_first_use() -> None:
    code = "import sys, core.strategies.registry; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    ).stdout
    packages = (
        "density",
        "hybrid",
        "pinned",
        "presets",
        "tiered",
        "middle_out",
        "top_down",
        "high_density",
    )
    assert "core.strategies.passes" in loaded
    assert [one for one in packages if f"core.strategies.{one}" in loaded] == []


@pytest.mark.req("REQ-CS-001.3")
def test_an_unknown_name_is_an_error_that_says_it_and_the_nearest() -> None:
    with pytest.raises(
        UnknownStrategyError, match=r"'midle-out'.*Did you mean middle-out\? "
    ):
        find_strategy("midle-out")


@pytest.mark.req("REQ-CS-001.6")
def test_the_context_holds_values_and_no_store() -> None:
    names = {field.name for field in fields(StrategyContext)}
    assert not any("store" in name or "service" in name for name in names)
    with pytest.raises(AttributeError):
        context(()).limit = 3  # type: ignore[misc]


@pytest.mark.req(
    "REQ-HD-001.1", "REQ-HD-001.3", "REQ-HD-001.4", "REQ-HD-004.3", "REQ-CS-003.1"
)
@pytest.mark.req("REQ-HD-008.1")
def test_every_strategy_declares_trigger_model_and_density() -> None:
    declared = [
        (s.name, s.requires_llm, s.trigger.mode, bool(s.optimize))
        for s in STRATEGIES[:4]
    ]
    assert {s.trigger.threshold for s in STRATEGIES[:4]} == {0.85}
    assert declared == [
        (middle_out.NAME, True, TriggerMode.THRESHOLD, False),
        (top_down.NAME, False, TriggerMode.THRESHOLD, False),
        (one_shot.NAME, True, TriggerMode.THRESHOLD, False),
        (high_density.NAME, False, TriggerMode.CONTINUOUS, True),
    ]


# middle-out


@pytest.mark.req("REQ-CS-002.2", "REQ-CS-002.7", "REQ-CS-001.4")
def test_middle_out_is_top_summary_answer_bottom() -> None:
    history = talk(20)
    result = middle_out.compress(
        context(history, summary="SUM", todos="- [pending] tests\n- [pending] docs")
    )
    assert result.messages[:4] == history[:4]
    assert result.messages[4] == human("SUM")
    assert result.messages[5] == ai("Understood. Continuing with: tests.")
    assert result.messages[6:] == history[16:]
    data = result.metadata
    assert (data.top_preserved, data.middle_compressed, data.bottom_preserved) == (
        4,
        12,
        4,
    )
    assert (
        data.original_message_count,
        data.compressed_message_count,
        data.llm_call_made,
    ) == (
        20,
        10,
        True,
    )
    assert (result.origins[4], result.origins[5]) == (tuple(range(4, 16)), ())


@pytest.mark.req("REQ-CS-002.4", "REQ-HD-011.1", "REQ-HD-011.3", "REQ-HD-012.1")
def test_middle_out_sends_the_middle_with_prompt_todos_and_transcript() -> None:
    given, script = with_script(talk(20), SummaryResponse(text="SUM"))
    middle_out.compress(
        replace(given, todos="- [pending] x", transcript="/log", focus="tests")
    )
    request = script.requests[0]
    assert request.messages == talk(20)[4:16]
    told = (request.prompt, request.todos, request.transcript, request.focus)
    assert told == ("prompt", "- [pending] x", "/log", "tests")
    assert request.max_tokens == tokens(request.messages) // 4


@pytest.mark.req("REQ-CS-002.5", "REQ-CS-002.6")
@pytest.mark.parametrize(
    ("settings", "profile"), [({"compression__profile": "cheap"}, "cheap"), ({}, None)]
)
def test_the_profile_setting_chooses_who_writes(
    settings: dict[str, str], profile: str | None
) -> None:
    given, script = with_script(talk(20), SummaryResponse(text="SUM"), **settings)
    result = middle_out.compress(given)
    assert script.profiles == [profile]
    assert (known(result.summary).profile, known(result.summary).model) == (
        "cheap",
        "small-1",
    )


@pytest.mark.req("REQ-CS-002.8")
@pytest.mark.parametrize("count", [0, 1, 7])
def test_fewer_than_four_between_is_a_no_op_with_its_reason(count: int) -> None:
    result = middle_out.compress(context(talk(count)))
    assert result.messages == talk(count)
    assert result.no_op is not None
    if count:
        assert "middle-out needs 4" in result.no_op.reason


@pytest.mark.req("REQ-CS-002.3")
def test_middle_out_keeps_a_call_with_its_result_and_says_why_the_cut_moved() -> None:
    history = (
        *talk(3),
        *LOOP,
        *talk(2),
    )  # the bottom cut would fall between a call and its result
    result = middle_out.compress(
        context(history, values(compression_preserve_threshold=0.245))
    )
    assert all(cut.trace[-1].valid for cut in known(result.split).cuts)


@pytest.mark.req("REQ-CS-006A.2", "REQ-HD-013.4")
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (SummaryResponse(text="  \n"), "empty summary"),
        (SummaryResponse(text="S", finish_reason="length"), "was cut off"),
        (SummaryResponse(text="No", finish_reason="refusal"), "refused"),
    ],
)
def test_a_bad_summary_is_an_error_that_names_profile_and_model(
    answer: SummaryResponse, words: str
) -> None:
    given, _ = with_script(talk(20), answer)
    with pytest.raises(
        CompactionFailed, match=rf"cheap \(small-1\).*{words}|{words}"
    ) as caught:
        middle_out.compress(given)
    assert caught.value.exit_code == 3


@pytest.mark.req("REQ-CS-006A.4", "REQ-HD-013.3")
def test_an_error_of_the_counter_reaches_the_caller() -> None:
    def broken(messages: object) -> int:
        raise OSError("no table")

    with pytest.raises(OSError, match="no table"):
        middle_out.compress(replace(context(talk(20)), estimate_tokens=broken))


# one-shot


@pytest.mark.parametrize("strategy", [middle_out.STRATEGY, one_shot.STRATEGY])
def test_a_cut_that_leaves_too_little_can_still_be_seen_and_moved_back(
    strategy: Strategy,
) -> None:
    settings = values(
        compression_preserve_threshold=0.875, compression_top_preserve_threshold=0.0
    )
    result = strategy.compress(context(talk(20), settings))
    assert known(result.no_op).code is NoOpCode.TOO_FEW
    assert known(result.split).cuts[-1].index == 2


# stages composed


def test_fates_and_cuts_speak_of_the_source_after_density_took_messages_away() -> None:
    read = exchange("r", "read_file", LONG, file_path="a")
    write = exchange("w", "write_file", "ok", file_path="a")
    history = (human("go"), *read, *write, *LOOP)
    result = run(
        high_density.NAME,
        history,
        limit=100_000,
        config=density_settings(recency_pruning=False),
    )
    assert [fate.kind for fate in result.fates[:3]] == [
        FateKind.KEPT,
        FateKind.PRUNED,
        FateKind.PRUNED,
    ]
    assert result.metadata.original_message_count == 21
    assert known(result.figures.density).read_write_pairs_pruned == 1
    tail = result.split.cuts[0].index if result.split else 0
    assert f"#{tail + 1}–#21" in result.fates[-1].last.reason


@pytest.mark.req("REQ-HD-001.10")
@pytest.mark.parametrize(
    ("settings", "target"), [({}, 510), ({"compression_threshold": 0.5}, 300)]
)
def test_a_threshold_that_is_set_comes_before_the_declared_one(
    settings: dict[str, float], target: int
) -> None:
    given = context(talk(40), values(**settings), limit=1000)
    assert top_down.STRATEGY.compress(given).target == target


@pytest.mark.req("REQ-HD-008.2", "REQ-HD-008.3", "REQ-HD-008.4", "REQ-HD-008.5")
def test_high_density_makes_older_results_one_line() -> None:  # fix HD-01
    failed = (
        ai("", call("read_file", "f", file_path="a.py")),
        tool(response("f", "read_file", LONG, "no")),
    )
    history = (human("go " * 50), *failed, *LOOP)
    result = high_density.compress(context(history, limit=10_000))
    lines = [
        b.result
        for m in result.messages
        for b in m.blocks
        if isinstance(b, ToolResponse)
    ]
    assert lines[:2] == [
        "[read_file a.py: error: no]",
        "[bash make 0: output left out, 60 lines]",
    ]
    assert result.messages[0] is history[0]
    assert result.messages[-3:] == history[-3:]
    assert lines[-1] == LONG
    assert result.metadata == replace(
        result.metadata, original_message_count=19, llm_call_made=False
    )


@pytest.mark.req("REQ-HD-008.6")
def test_high_density_aims_at_threshold_times_limit_times_headroom() -> None:
    result = high_density.compress(context((human("go"), *LOOP), limit=1000))
    assert result.target == 510
    less = values(
        compression_threshold=0.5, compression__density__compress_headroom=0.5
    )
    assert (
        high_density.compress(context((human("go"), *LOOP), less, limit=1000)).target
        == 250
    )


def test_text_goes_only_when_all_lines_are_in_place_and_the_target_is_missed() -> (
    None
):  # fix HD-03
    result = high_density.compress(
        context((human("long " * 400), human("do it"), *LOOP), limit=500)
    )
    assert result.fates[0].kind is FateKind.DROPPED
    assert result.fates[0].last.rule == "oldest first"
    assert "one line" in result.fates[0].last.reason


@pytest.mark.req("REQ-HD-008.6")
def test_text_is_not_dropped_for_nothing_and_the_last_request_never() -> (
    None
):  # fix HD-05
    large = exchange("t", "bash", LONG * 40, command="make all")
    small = (human("first"), ai("yes"), human("second"), ai("no"), *large)
    kept = high_density.compress(context(small, limit=4000))
    assert kept.messages == small
    assert (
        known(kept.no_op).reason == "No tool result before the Bottom can get shorter."
    )
    assert kept.target == 2_040
    old = high_density.compress(context(small, limit=4000, mode=Mode.REFERENCE))
    assert old.messages == large
    asked = (human("long " * 3000), human("do it"), ai("ok " * 30), *LOOP)
    result = high_density.compress(context(asked, limit=500))
    assert [fate.kind for fate in result.fates[:3]] == [
        FateKind.DROPPED,
        FateKind.KEPT,
        FateKind.DROPPED,
    ]
    assert result.messages[0] == human("do it")
    assert result.fates[1].last.rule == "last request"


def test_no_more_lines_are_made_than_the_decision_needs() -> None:
    history = (*exchange("t", "bash", LONG * 2, command="make") * 100, *LOOP)
    given, counted = context(history, limit=500), []

    def estimate(messages: Sequence[Message]) -> int:
        if len(messages) == 1:
            counted.append(messages)
        return given.estimate_tokens(messages)

    result = high_density.compress(replace(given, estimate_tokens=estimate))
    dropped = sum(fate.kind is FateKind.DROPPED for fate in result.fates)
    assert dropped > 100
    assert len(counted) < dropped / 2


@pytest.mark.req("REQ-CS-003.2", "REQ-CS-003.4", "REQ-HD-011.4")
def test_top_down_drops_the_oldest_until_under_the_target() -> None:
    history = (*LOOP, human("last"))
    limit = tokens(history)
    result = top_down.compress(context(history, limit=limit, todos="- [pending] x"))
    assert tokens(result.messages) < 0.85 * limit * 0.6
    assert result.messages == history[-len(result.messages) :]
    assert not result.inserted
    assert {fate.kind for fate in result.fates} == {FateKind.KEPT, FateKind.DROPPED}


@pytest.mark.req("REQ-CS-003.5")
def test_top_down_leaves_two_messages_and_whole_pairs() -> None:
    result = top_down.compress(context(LOOP, limit=1))
    assert result.messages == LOOP[-2:]
    two = top_down.compress(context(LOOP[:2], limit=1))
    assert two.no_op is not None
    assert two.messages == LOOP[:2]


def test_top_down_keeps_the_last_request_alone_in_front() -> None:  # fix TD-02
    history = (human("old"), human("do it"), flagged(MessageFlag.META), *LOOP)
    result = top_down.compress(context(history, limit=1))
    assert result.messages == (human("do it"), *LOOP[-2:])
    assert result.fates[1].kind is FateKind.KEPT


@pytest.mark.parametrize(
    "strategy", [s for s in STRATEGIES if s.needs_limit], ids=lambda s: s.name
)
def test_a_strategy_that_needs_a_limit_says_how_to_give_one(strategy: Strategy) -> None:
    with pytest.raises(
        InputError,
        match=r"context limit.*Set compression.context-limit, or choose a model",
    ):
        strategy.compress(context(talk(9), limit=None))


def test_top_down_cuts_further_up_where_nothing_would_go_else() -> None:  # fix TD-01
    early = (
        ai("", call("bash", "1")),
        human("x " * 40),
        ai("y"),
        tool(response("1", "bash", "r")),
    )
    result = run("top-down-truncation", (*early, *talk(6)), limit=525)
    assert result.no_op is None
    assert known(result.split).cuts[0].index == 4


def test_short_results_and_earlier_lines_stay() -> None:  # fix HD-02
    history = (
        *exchange("a", "bash", "ok"),
        *exchange("b", "bash", "[bash make: error]"),
        *LOOP,
    )
    result = high_density.compress(context(history, limit=10_000))
    assert result.messages[:4] == history[:4]


def test_messages_of_other_speakers_stay() -> None:  # fix HD-04
    history = (system("rules"), *LOOP)
    assert (
        high_density.compress(context(history, limit=10_000)).messages[0] is history[0]
    )
    old = high_density.compress(context(history, limit=10_000, mode=Mode.REFERENCE))
    assert old.messages[0].speaker is not Speaker.SYSTEM


@pytest.mark.parametrize("compress", [middle_out.compress, one_shot.compress])
def test_no_acknowledgement_stands_before_thinking(
    compress: Callable[[StrategyContext], Compaction],
) -> None:  # fix SU-02
    turns = (
        message
        for number in range(9)
        for message in (
            ai("", call(f"read{number}"), thinking="Which file is it?"),
            tool(response(f"read{number}", result=LONG)),
        )
    )
    history = (human("Fix the pool."), *turns)
    after = {mode: compress(context(history, mode=mode)) for mode in Mode}
    assert len(after[Mode.REFERENCE].inserted) == 2
    (at,) = after[Mode.SAFE].inserted
    assert after[Mode.SAFE].messages[at].speaker is Speaker.HUMAN
    assert after[Mode.SAFE].messages[at + 1] in history
