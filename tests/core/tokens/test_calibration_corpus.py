"""Calibration: the factor of a tokenizer, hidden tokens, silent clearings, and sizes of real next
requests.

``python -m pytest tests/core/tokens/test_calibration_corpus.py -s`` prints a table of them.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import pytest

from core.common.errors import FoldlineError
from core.formats.registry import load_conversation
from core.llm.catalog import choose_model
from core.llm.request_size import RequestSizing, next_request_tokens, request_sizing
from core.tokens.calibration import (
    FAMILIES,
    MAX_FACTOR,
    MIN_FACTOR,
    Calibration,
    ReportedRequest,
    calibrate,
    family_factor,
)
from core.tokens.counter import TokenCounter, count_messages, counter_for
from core.transcript.model import Conversation, MessageFlag
from core.transcript.scopes import CURRENT
from tests.conftest import SHARED
from tests.studies.family_factors import found_in

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
    return replace(
        conversation,
        messages=conversation.messages[:answer],
        recorded=tuple(one for one in conversation.recorded if one.boundary <= answer),
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
    for place in sorted(
        {1 + int(at * step) for at in range(min(CUTS, len(usage) - 1))}
    ):
        before = cut_before(conversation, usage[place].message_index)
        predicted = next_request_tokens(before, counter, sizing(before, counter))
        span = range(usage[place - 1].message_index + 1, usage[place].message_index + 1)
        after = any(one.boundary in span for one in conversation.recorded)
        yield Cut(
            path.name, conversation.format, predicted, usage[place].context, after
        )


@pytest.fixture(scope="module")
def sessions() -> dict[Path, Conversation]:
    if not FOLDERS[0].is_dir():
        pytest.skip("the corpus of ../shared is not there")
    found = {}
    for path in sorted(
        path for folder in FOLDERS for path in folder.rglob("*") if path.is_file()
    ):
        with suppress(FoldlineError, OSError):
            found[path] = load_conversation(path)
    return {
        path: conversation
        for path, conversation in found.items()
        if len(conversation.usage) > 1
    }


@pytest.fixture(scope="module")
def found(sessions: dict[Path, Conversation]) -> dict[str, list[Cut]]:
    """Return all cuts by agent, with separate rows for short sessions and cuts after a
    compaction."""
    rows: dict[str, list[Cut]] = {}
    for path, conversation in sessions.items():
        for cut in cuts(path, conversation):
            short = "" if len(conversation.usage) >= LEAST else ", short sessions"
            name = f"{cut.agent}{', after a compaction' if cut.after else short}"
            rows.setdefault(name, []).append(cut)
    return rows


def test_the_next_request_is_what_the_provider_then_reports(
    found: dict[str, list[Cut]],
) -> None:
    print(f"\n{'agent':34} files  cuts   median  90th pc")
    for name, some in sorted(found.items()):
        offs = sorted(cut.off for cut in some)
        middle, most = median(offs), offs[min(len(offs) - 1, int(0.9 * len(offs)))]
        print(
            f"{name:34} {len({cut.file for cut in some}):>5} {len(some):>5} {middle:>8.2%} "
            f"{most:>8.2%}"
        )
        assert name not in LIMITED or (middle <= 0.005 and most <= 0.03), name
    assert found.keys() >= set(LIMITED)


def test_fitted_sizes_of_all_requests_are_near(
    sessions: dict[Path, Conversation],
) -> None:
    for path, conversation in sessions.items():
        if len(conversation.usage) >= LEAST and conversation.format in LIMITED:
            segments = sizing(
                conversation, counter_for(conversation.model)
            ).calibration.segments
            offs = [
                abs(part.fit.size(one) - one.reported) / one.reported
                for part in segments
                for one in part.requests
            ]
            assert median(offs) <= 0.02, path.name


def test_messages_and_hidden_tokens_are_what_was_reported(
    sessions: dict[Path, Conversation],
) -> None:
    """A part of a session has a factor inside the bounds and no negative hidden size, unless the
    agent dropped what is counted, or is not calibrated; a request has the size that the provider
    reported."""
    for path, conversation in sessions.items():
        counter = counter_for(conversation.model)
        made = sizing(conversation, counter).calibration
        for part in made.segments:
            if part.fit.error is not None:
                assert MIN_FACTOR < part.fit.factor < MAX_FACTOR, path.name
            assert (part.fit.hidden or 0) >= 0 or part.dropped, path.name
        usage = conversation.usage[-1]
        if any(one.boundary >= usage.message_index for one in conversation.recorded):
            continue
        kept = conversation.messages[: usage.message_index + 1]
        recorded = tuple(
            one for one in conversation.recorded if one.boundary <= usage.message_index
        )
        sent = replace(conversation, messages=kept, recorded=recorded)
        size = sizing(sent, counter)
        if size.is_reported and not any(
            one.flags & MessageFlag.API_ERROR for one in kept
        ):
            answer = size.counter(counter).message(kept[-1])
            assert next_request_tokens(sent, counter, size) - answer == usage.context, (
                path.name
            )


def test_a_factor_at_its_bound_or_a_negative_hidden_size_is_not_calibrated() -> None:
    for made in (
        requests(*growing(100, 20), factor=3.4),
        requests(*growing(30_000, 20), hidden=-9_000),
    ):
        result = fitted(made)
        assert (result.source, result.fit.factor, result.fit.hidden) == (
            "family",
            1.2,
            None,
        )


def test_reported_tokens_of_unreadable_content_are_not_scaled() -> None:
    made = [
        ReportedRequest(
            700 * at + 2_500 * at,
            round(1.1 * 700 * at) + 2_500 * at + HIDDEN,
            "m",
            unscaled=2_500 * at,
        )
        for at in range(1, 20)
    ]
    result = fitted(iter(made))
    assert (result.source, result.fit.hidden) == ("reports", HIDDEN)
    assert result.fit.factor == pytest.approx(1.1)
    assert result.fit.size(made[-1]) == made[-1].reported


@pytest.mark.parametrize("agent", LIMITED)
def test_nothing_behind_a_cut_is_read(
    agent: str, sessions: dict[Path, Conversation], tmp_path: Path
) -> None:
    """A file truncated before the first item of an answer gives the same prediction."""
    chosen = [
        item
        for item in sessions.items()
        if item[1].format == agent and len(item[1].usage) >= LEAST
    ]
    for path, conversation in chosen[:3]:
        counter = counter_for(conversation.model)
        for usage in conversation.usage[5 :: max(5, len(conversation.usage) // 4)]:
            cut = tmp_path / path.name
            cut.write_bytes(
                path.read_bytes()[
                    : conversation.messages[usage.message_index].sources[0].start
                ]
            )
            both = (
                load_conversation(cut, format=agent),
                cut_before(conversation, usage.message_index),
            )
            again, before = (
                next_request_tokens(one, counter, sizing(one, counter)) for one in both
            )
            assert again == before, (path.name, usage.message_index)


HIDDEN = 25_000


def requests(
    *counted: int,
    factor: float = 1.4,
    hidden: int = HIDDEN,
    model: str = "m",
    begins: bool = False,
) -> Iterator[ReportedRequest]:
    for place, count in enumerate(counted):
        yield ReportedRequest(
            count, round(factor * count) + hidden, model, begins and not place, place
        )


def fitted(*some: Iterator[ReportedRequest], family: float = 1.2) -> Calibration:
    return calibrate((one for part in some for one in part), family)


def growing(first: int, count: int) -> tuple[int, ...]:
    return tuple(first + 700 * step for step in range(count))


def test_a_known_factor_and_hidden_size_are_found() -> None:
    result = fitted(requests(*growing(100, 30)))
    assert (result.source, result.fit.hidden, result.fit.requests) == (
        "reports",
        HIDDEN,
        30,
    )
    assert result.fit.factor == pytest.approx(1.4)
    assert result.fit.error == pytest.approx(0, abs=1e-5)


def test_with_fewer_than_three_reports_the_family_counts_and_hidden_is_unknown() -> (
    None
):
    result = fitted(requests(1_000, 2_000))
    assert (result.source, result.fit.factor, result.fit.hidden) == (
        "family",
        1.2,
        None,
    )
    assert calibrate(()).fit.factor == 1.0


def test_a_size_that_falls_without_a_record_is_a_silent_clearing() -> None:
    result = fitted(
        requests(*growing(30_000, 10)),
        requests(*growing(37_000, 10), hidden=HIDDEN - 26_000),
    )
    (found,) = result.clearings
    assert found.dropped == pytest.approx(26_000, abs=50)
    assert found.requests[0].counted == 37_000
    assert result.fit.hidden == HIDDEN - 26_000


def test_a_recorded_compaction_and_another_model_begin_anew_without_being_silent() -> (
    None
):
    compacted = requests(*growing(3_000, 5), hidden=30_000, begins=True)
    other = requests(*growing(7_000, 5), factor=1.0, hidden=9_000, model="other")
    result = fitted(requests(*growing(30_000, 10)), compacted, other)
    assert [
        (len(one.requests), one.model, one.fit.hidden) for one in result.segments
    ] == [
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


@pytest.mark.parametrize(
    "model", ["claude-opus-4-6", "anthropic/Claude-3-5-sonnet", "us.anthropic.claude-x"]
)
def test_a_family_is_found_under_every_name_of_its_models(model: str) -> None:
    assert family_factor(model) > 1


def test_the_table_is_what_the_tool_measures(corpus: Path) -> None:
    found = found_in(corpus)
    for family in FAMILIES:
        own = [one for one in found if one.family == family.name]
        factors = sorted(round(one.factor, 2) for one in own)
        measured = (
            median(factors),
            len(own),
            sum(one.requests for one in own),
            factors[0],
            factors[-1],
        )
        assert measured == (
            family.factor,
            family.files,
            family.requests,
            family.low,
            family.high,
        )
