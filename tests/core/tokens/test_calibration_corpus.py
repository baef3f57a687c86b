"""Predicted sizes of the next request, compared with reported ones.

``python -m pytest tests/core/tokens/test_calibration_corpus.py -s`` prints the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import pytest

from core.analysis.context import AnalysisInput
from core.analysis.replay.replay import replay_all
from core.common.errors import FoldlineError
from core.formats.registry import load_conversation
from core.llm.catalog import choose_model
from core.llm.request_size import RequestSizing, next_request_tokens, request_sizing
from core.presentation.preview_wording import clearing_sentences
from core.preview.context import preview_request_tokens
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.settings.schema import SettingValue
from core.tokens.calibration import FAMILIES, Calibration, ReportedRequest, calibrate, family_factor
from core.tokens.counter import TokenCounter, counter_for
from core.tokens.message_tokens import count_messages
from core.transcript.compaction import NoOpCode
from core.transcript.model import Conversation, Message, MessageFlag, RecordedCompaction, ReportedUsage
from core.transcript.scopes import CURRENT
from tests.builders import ai, call, conversation, human, response, tool
from tests.conftest import SHARED
from tests.core.strategies.strategy_running import values
from tests.tools.family_factors import found_in

FOLDERS = (SHARED / "corpus", SHARED / "stores")
LEAST, CUTS = 20, 40
LIMITED = ("claude_code", "codex_rollout")
"""Agents with enough sessions; the others are only printed."""


@dataclass(frozen=True)
class Cut:
    """``after``: the first request after a recorded compaction."""

    file: str
    agent: str
    predicted: int
    reported: int
    after: bool

    @property
    def off(self) -> float:
        return abs(self.predicted - self.reported) / self.reported


def cut_before(conversation: Conversation, answer: int) -> Conversation:
    """Return the conversation as its file was right before an answer."""
    return replace(
        conversation,
        messages=conversation.messages[:answer],
        recorded=tuple(one for one in conversation.recorded if one.position <= answer),
        usage=tuple(one for one in conversation.usage if one.message_index < answer),
        reported_context=None,
    )


def sizing(conversation: Conversation, counter: TokenCounter) -> RequestSizing:
    return request_sizing(conversation, counter, CURRENT, choose_model(conversation))


def cuts(path: Path, conversation: Conversation) -> Iterator[Cut]:
    """Return requests evenly spaced over a session, without those before its first report."""
    counter = counter_for(conversation.model)
    count_messages(conversation, counter)
    usage = conversation.usage
    step = max(1.0, (len(usage) - 1) / CUTS)
    for place in sorted({1 + int(at * step) for at in range(min(CUTS, len(usage) - 1))}):
        before = cut_before(conversation, usage[place].message_index)
        predicted = next_request_tokens(before, counter, sizing(before, counter))
        span = range(usage[place - 1].message_index + 1, usage[place].message_index + 1)
        after = any(one.position in span for one in conversation.recorded)
        yield Cut(path.name, conversation.format, predicted, usage[place].context, after)


def sessions() -> Iterator[tuple[Path, Conversation]]:
    for path in sorted(path for folder in FOLDERS for path in folder.rglob("*") if path.is_file()):
        try:
            conversation = load_conversation(path)
        except (FoldlineError, OSError):
            continue
        if len(conversation.usage) > 1:
            yield path, conversation


def row(name: str, some: list[Cut]) -> str:
    offs = sorted(cut.off for cut in some)
    middle, most = median(offs), offs[min(len(offs) - 1, int(0.9 * len(offs)))]
    return f"{name:34} {len({cut.file for cut in some}):>5} {len(some):>5} {middle:>8.2%} {most:>8.2%}"


@pytest.fixture(scope="module")
def found() -> dict[str, list[Cut]]:
    """Return all cuts by agent, with separate rows for short sessions and cuts after a compaction."""
    if not FOLDERS[0].is_dir():
        pytest.skip("the corpus of ../shared is not there")
    rows: dict[str, list[Cut]] = {}
    for path, session in sessions():
        for cut in cuts(path, session):
            short = "" if len(session.usage) >= LEAST else ", short sessions"
            name = f"{cut.agent}{', after a compaction' if cut.after else short}"
            rows.setdefault(name, []).append(cut)
    return rows


def test_the_next_request_is_what_the_provider_then_reports(found: dict[str, list[Cut]]) -> None:
    print(f"\n{'agent':34} files  cuts   median  90th pc")
    for name in sorted(found):
        print(row(name, found[name]))
    for agent in LIMITED:
        offs = sorted(cut.off for cut in found[agent])
        assert median(offs) <= 0.005, agent
        assert offs[min(len(offs) - 1, int(0.9 * len(offs)))] <= 0.03, agent


def test_fitted_sizes_of_all_requests_are_near() -> None:
    if not FOLDERS[0].is_dir():
        pytest.skip("the corpus of ../shared is not there")
    for path, session in sessions():
        if len(session.usage) >= LEAST and session.format in LIMITED:
            segments = sizing(session, counter_for(session.model)).calibration.segments
            offs = [
                abs(one.counted * part.fit.factor + (part.fit.hidden or 0) - one.reported) / one.reported
                for part in segments
                for one in part.requests
            ]
            assert median(offs) <= 0.02, path.name


@pytest.mark.parametrize("agent", LIMITED)
def test_nothing_behind_a_cut_is_read(agent: str, tmp_path: Path) -> None:
    """A file truncated before the first item of an answer gives the same prediction."""
    chosen = [(path, one) for path, one in sessions() if one.format == agent and len(one.usage) >= LEAST]
    for path, session in chosen[:3]:
        counter = counter_for(session.model)
        for usage in session.usage[5 :: max(5, len(session.usage) // 4)]:
            cut = tmp_path / path.name
            cut.write_bytes(path.read_bytes()[: session.messages[usage.message_index].sources[0].start])
            again, before = (
                load_conversation(cut, format=agent),
                cut_before(session, usage.message_index),
            )
            assert next_request_tokens(again, counter, sizing(again, counter)) == next_request_tokens(
                before, counter, sizing(before, counter)
            ), (path.name, usage.message_index)


HIDDEN = 25_000


def requests(
    *counted: int, factor: float = 1.4, hidden: int = HIDDEN, model: str = "m", begins: bool = False
) -> Iterator[ReportedRequest]:
    """Yield requests of a provider with another tokenizer and hidden tokens."""
    for place, count in enumerate(counted):
        yield ReportedRequest(count, round(factor * count) + hidden, model, begins and not place, place)


def fitted(*some: Iterator[ReportedRequest], family: float = 1.2) -> Calibration:
    return calibrate((one for part in some for one in part), family)


def growing(first: int, count: int) -> tuple[int, ...]:
    return tuple(first + 700 * step for step in range(count))


def test_a_known_factor_and_hidden_size_are_found() -> None:
    result = fitted(requests(*growing(100, 30)))
    assert (result.source, result.fit.hidden, result.fit.requests) == ("reports", HIDDEN, 30)
    assert result.fit.factor == pytest.approx(1.4)
    assert result.fit.error == pytest.approx(0, abs=1e-5)


def test_with_fewer_than_three_reports_the_family_counts_and_hidden_is_unknown() -> None:
    result = fitted(requests(1_000, 2_000))
    assert (result.source, result.fit.factor, result.fit.hidden) == ("family", 1.2, None)
    assert calibrate(()).fit.factor == 1.0


def test_a_size_that_falls_without_a_record_is_a_silent_clearing() -> None:
    result = fitted(requests(*growing(30_000, 10)), requests(*growing(37_000, 10), hidden=HIDDEN - 26_000))
    (found,) = result.clearings
    assert found.dropped == pytest.approx(26_000, abs=50)
    assert found.requests[0].counted == 37_000
    assert result.fit.hidden == HIDDEN - 26_000


def test_a_recorded_compaction_and_another_model_begin_anew_without_being_silent() -> None:
    compacted = requests(*growing(3_000, 5), hidden=30_000, begins=True)
    other = requests(*growing(7_000, 5), factor=1.0, hidden=9_000, model="other")
    result = fitted(requests(*growing(30_000, 10)), compacted, other)
    assert [(len(one.requests), one.model, one.fit.hidden) for one in result.segments] == [
        (10, "m", HIDDEN),
        (5, "m", 30_000),
        (5, "other", 9_000),
    ]
    assert not result.clearings


def test_behind_a_recorded_compaction_the_former_fit_holds_until_two_reports() -> None:
    before = growing(30_000, 10)
    one = fitted(requests(*before), requests(3_000, hidden=30_000, begins=True))
    two = fitted(requests(*before), requests(3_000, 3_100, hidden=30_000, begins=True))
    assert [result.fit.hidden for result in (one, two)] == [HIDDEN, 30_000]
    assert two.fit.factor == pytest.approx(1.4)


@pytest.mark.parametrize("model", ["claude-opus-4-6", "anthropic/Claude-3-5-sonnet", "us.anthropic.claude-x"])
def test_a_family_is_found_under_every_name_of_its_models(model: str) -> None:
    assert family_factor(model) > 1


def test_the_table_is_what_the_tool_measures(corpus: Path) -> None:
    found = found_in(corpus)
    for family in FAMILIES:
        own = [one for one in found if one.family == family.name]
        factors = sorted(round(one.factor, 2) for one in own)
        measured = (median(factors), len(own), sum(one.requests for one in own), factors[0], factors[-1])
        assert measured == (family.factor, family.files, family.requests, family.low, family.high)


MODEL, FACTOR, HIDDEN = "gpt-4o", 1.25, 20_000
RAW = counter_for(MODEL)


def turns(count: int) -> Iterator[Message]:
    for number in range(count):
        yield ai("", call("read", f"t{number}", path=f"/w/{number}.py"))
        yield tool(response(f"t{number}", "read", f"line {number} of a file\n" * (40 + 7 * number)))


def reporting(*messages: Message, hidden: int = HIDDEN) -> Conversation:
    """Return messages whose answers report requests of FACTOR times their count plus hidden tokens."""
    usage, held = [], 0
    for place, message in enumerate(messages):
        if message.speaker.value == "ai":
            usage.append(ReportedUsage(place, round(FACTOR * held) + hidden, None, MODEL))
        held += RAW.message(message)
    return conversation(*messages, model=MODEL, usage=tuple(usage))


SESSION = reporting(human("Read all of it."), *turns(30))


def preview(
    source: Conversation, strategy: str = "none", ask: PreviewOptions | None = None, **settings: SettingValue
) -> Preview:
    return compute_preview(source, values(compression__strategy=strategy, **settings), ask)


def test_history_system_prompt_and_hidden_tokens_are_the_next_request() -> None:
    stages = StageCache()
    shown = compute_preview(SESSION, values(compression__strategy="none"), PreviewOptions(), stages)
    assert shown.sizing.factor == pytest.approx(FACTOR, abs=0.01)
    assert shown.sizing.hidden == pytest.approx(HIDDEN, abs=30)
    assert shown.before_tokens == sum(shown.counts)
    assert preview_request_tokens(shown, counter_for(MODEL), stages) == shown.request_tokens
    assert shown.before_tokens + shown.system_tokens + shown.sizing.hidden == shown.request_tokens
    last = SESSION.usage[-1].context
    assert shown.request_tokens - last == sum(shown.counts[SESSION.usage[-1].message_index :])


def test_before_a_compaction_counts_what_was_reported_before_it() -> None:
    summary = human("What was done.", flags=MessageFlag.RECORDED_SUMMARY)
    first = reporting(human("Read."), *turns(20))
    second = reporting(summary, *turns(20), hidden=35_000)
    at = len(first.messages)
    usage = [replace(one, message_index=one.message_index + at - 1) for one in second.usage]
    folded = RecordedCompaction("summary", at, summary=(summary,))
    messages = (*first.messages, *second.messages[1:])
    both = conversation(*messages, model=MODEL, usage=(*first.usage, *usage), recorded=(folded,))
    found = {
        scope: preview(both, ask=PreviewOptions(scope=scope)).sizing.hidden
        for scope in ("before:1", "current", "all")
    }
    assert found["before:1"] == pytest.approx(HIDDEN, abs=30)
    assert found["current"] == found["all"] == pytest.approx(35_000, abs=30)


@pytest.mark.parametrize("name", ["top-down-truncation", "tiered", "hybrid", "high-density", "pinned-hybrid"])
def test_hidden_tokens_above_the_target_are_a_no_op_that_says_so(name: str) -> None:
    run = preview(SESSION, name, context_limit=24_000).compaction
    assert run.no_op is not None
    assert run.no_op.code is NoOpCode.NOTHING_TO_PRUNE
    assert "hidden" in run.no_op.reason


def test_a_replay_sizes_a_request_by_reports_before_it_alone() -> None:
    (track,) = replay_all(AnalysisInput(SESSION, values(context_limit=500_000)), ("none",)).tracks
    reported = [one.context for one in SESSION.usage]
    for replayed, expected in list(zip(track.sizes, reported, strict=True))[4:]:
        assert replayed == pytest.approx(expected, rel=0.01)
    cut = replace(SESSION, usage=SESSION.usage[:10])
    (earlier,) = replay_all(AnalysisInput(cut, values(context_limit=500_000)), ("none",)).tracks
    assert list(earlier.sizes[:11]) == list(track.sizes[:11])


def test_a_silent_clearing_is_told_with_its_place() -> None:
    fallen = [replace(one, context=one.context - 15_000) for one in SESSION.usage[20:]]
    shown = preview(replace(SESSION, usage=(*SESSION.usage[:20], *fallen)))
    place = SESSION.usage[20].message_index + 1
    assert clearing_sentences(shown.sizing) == (
        f"The agent dropped about 15,000 tokens before #{place} without saying so.",
    )
