"""Calibrated sizes with hidden tokens in views, decisions and replays."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.analysis.analysis_input import AnalysisInput
from core.analysis.replay import replay_tracks
from core.presentation.preview_wording import clearing_sentences, preview_warnings
from core.preview.options import OVERHEAD_RULE, Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.preview.preview_input import preview_request_tokens
from core.settings.schema import SettingValue
from core.tokens.counter import counter_for
from core.transcript.model import (
    Conversation,
    Message,
    MessageFlag,
    RecordedCompaction,
    ReportedUsage,
)
from tests.core.strategies.strategy_running import values
from tests.support.builders import ai, call, conversation, human, response, tool
from tests.support.narrowing import known

MODEL, FACTOR, HIDDEN = "gpt-4o", 1.25, 20_000
RAW = counter_for(MODEL)


def turns(count: int) -> Iterator[Message]:
    for number in range(count):
        yield ai("", call("read", f"t{number}", path=f"/w/{number}.py"))
        yield tool(
            response(
                f"t{number}", "read", f"line {number} of a file\n" * (40 + 7 * number)
            )
        )


def reporting(*messages: Message, hidden: int = HIDDEN) -> Conversation:
    """Return messages whose answers report requests of FACTOR times their count plus hidden
    tokens."""
    usage, held = [], 0
    for place, message in enumerate(messages):
        if message.speaker.value == "ai":
            usage.append(
                ReportedUsage(place, round(FACTOR * held) + hidden, None, MODEL)
            )
        held += RAW.message(message)
    return conversation(*messages, model=MODEL, usage=tuple(usage))


SESSION = reporting(human("Read all of it."), *turns(30))


def preview(
    source: Conversation,
    strategy: str = "none",
    ask: PreviewOptions | None = None,
    **settings: SettingValue,
) -> Preview:
    return compute_preview(
        source, values(compression__strategy=strategy, **settings), ask
    )


def test_history_system_prompt_and_hidden_tokens_are_the_next_request() -> None:
    stages = StageCache()
    shown = compute_preview(
        SESSION, values(compression__strategy="none"), PreviewOptions(), stages
    )
    assert shown.sizes.sizing.factor == pytest.approx(FACTOR, abs=0.01)
    assert shown.sizes.sizing.hidden == pytest.approx(HIDDEN, abs=30)
    request = shown.sizes.before_tokens
    assert shown.sizes.message_tokens_before == sum(shown.source.counts)
    assert preview_request_tokens(shown, counter_for(MODEL), stages) == request
    assert request == (
        sum(shown.source.counts) + shown.sizes.system_tokens + shown.sizes.sizing.hidden
    )
    last = SESSION.usage[-1].context
    assert request - last == sum(shown.source.counts[SESSION.usage[-1].message_index :])


def test_before_a_compaction_counts_what_was_reported_before_it() -> None:
    summary = human("What was done.", flags=MessageFlag.RECORDED_SUMMARY)
    first = reporting(human("Read."), *turns(20))
    second = reporting(summary, *turns(20), hidden=35_000)
    at = len(first.messages)
    usage = [
        replace(one, message_index=one.message_index + at - 1) for one in second.usage
    ]
    compaction = RecordedCompaction(kind="summary", boundary=at, summary=(summary,))
    messages = (*first.messages, *second.messages[1:])
    both = conversation(
        *messages, model=MODEL, usage=(*first.usage, *usage), recorded=(compaction,)
    )
    found = {
        scope: preview(both, ask=PreviewOptions(scope=scope)).sizes.sizing.hidden
        for scope in ("before:1", "current", "all")
    }
    assert found["before:1"] == pytest.approx(HIDDEN, abs=30)
    assert found["current"] == found["all"] == pytest.approx(35_000, abs=30)


@pytest.mark.parametrize(
    "name",
    [
        "top-down-truncation",
        "tiered",
        "hybrid",
        "high-density",
        "excerpt",
        "cline-basic",
    ],
)
def test_hidden_tokens_above_the_target_are_no_reason_to_do_nothing(name: str) -> None:
    shown = preview(SESSION, name, context_limit=24_000)
    assert shown.sizes.after_tokens < shown.sizes.before_tokens
    missed = known(shown.missed)
    assert missed.size - missed.bar == shown.sizes.missed_tokens > 0
    assert missed.kept[0] == (OVERHEAD_RULE, shown.sizes.result_overhead_tokens)
    assert "above the target" in preview_warnings(shown)[0]


def test_what_the_agent_dropped_is_never_taken_off_a_result() -> None:
    session = reporting(human("Read all of it."), *turns(30))
    less = replace(
        session, usage=(*session.usage[:-1], replace(session.usage[-1], context=9_000))
    )
    shown = preview(less, "top-down-truncation", context_limit=12_000)
    assert shown.sizes.sizing.hidden < 0
    assert shown.sizes.after_tokens >= shown.sizes.message_tokens_after


def test_a_replay_sizes_a_request_by_reports_before_it_alone() -> None:
    (track,) = replay_tracks(
        AnalysisInput(conversation=SESSION, values=values(context_limit=500_000)),
        ("none",),
    )
    reported = [one.context for one in SESSION.usage]
    for replayed, expected in list(zip(track.sizes, reported, strict=True))[4:]:
        assert replayed == pytest.approx(expected, rel=0.01)
    cut = replace(SESSION, usage=SESSION.usage[:10])
    (earlier,) = replay_tracks(
        AnalysisInput(conversation=cut, values=values(context_limit=500_000)), ("none",)
    )
    assert list(earlier.sizes[:11]) == list(track.sizes[:11])


def test_a_silent_clearing_is_told_with_its_place() -> None:
    fallen = [replace(one, context=one.context - 15_000) for one in SESSION.usage[20:]]
    shown = preview(replace(SESSION, usage=(*SESSION.usage[:20], *fallen)))
    place = SESSION.usage[20].message_index + 1
    assert clearing_sentences(shown.sizes.sizing) == (
        f"The agent dropped about 15,000 tokens before #{place} without saying so.",
    )
