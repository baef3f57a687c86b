"""What was paid: as reported, priced where it was not, and why the beginning was written again."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.analysis.costs import session_rates
from core.analysis.live_sessions import LiveSession
from core.analysis.paid import NOTHING_PAID, Paid, RewriteCause, cache_kept, paid
from core.common.number_format import percent
from core.common.paths import bundled_samples
from core.formats.discovery.find_sessions import SessionFile
from core.formats.registry import load_conversation
from core.lint.lint import find_thrash
from core.presentation.paid_words import paid_in_short, paid_json, paid_notes, paid_rows
from core.presentation.session_rows import session_notes, status_line
from core.tokens.recorded_compactions import LEAST_FREED, LOOP_REQUESTS
from core.transcript.model import (
    Conversation,
    ConversationBranch,
    Message,
    RecordedCompaction,
    ReportedCache,
    ReportedUsage,
    SourceDocument,
    Speaker,
    Text,
)

MODEL = "claude-sonnet-4-5"
TURNS = 12


def said(speaker: Speaker, minute: int) -> Message:
    return Message(
        speaker=speaker,
        blocks=(Text("word"),),
        timestamp=f"2026-01-01T10:{minute:02}:00Z",
    )


def session(*caches: ReportedCache, minutes: tuple[int, ...] = ()) -> Conversation:
    """A session with an answer for each cache; every request has 50,000 tokens."""
    times = minutes or tuple(range(len(caches)))
    messages = [
        one
        for minute in times
        for one in (said(Speaker.HUMAN, minute), said(Speaker.AI, minute))
    ]
    usage = tuple(
        ReportedUsage(2 * at + 1, 50_000, 1_000, MODEL, cache)
        for at, cache in enumerate(caches)
    )
    document = SourceDocument(name="s", data=b"", size=0)
    return Conversation(
        format="x",
        document=document,
        messages=tuple(messages),
        usage=usage,
        model=MODEL,
    )


WARM = ReportedCache(45_000, 5_000)
COLD = ReportedCache(0, 50_000)


def causes(given: Paid) -> list[RewriteCause | None]:
    return [one.rewrite for one in given.requests]


def test_a_price_is_that_of_fresh_read_written_and_answered_tokens() -> None:
    (one,) = paid(session(ReportedCache(40_000, 6_000))).requests
    assert one.cost == pytest.approx(4 * 3e-3 + 40 * 3e-4 + 6 * 3.75e-3 + 1 * 15e-3)
    assert not one.is_cost_reported


def test_what_the_agent_wrote_down_is_taken() -> None:
    given = paid(session(replace(WARM, cost=0.25)))
    assert given.cost == 0.25
    assert dict(paid_rows(given))["cost"] == "$0.25 for 1 of 1 request"


def test_the_sum_of_a_part_of_a_file_says_what_is_not_in_it() -> None:
    whole = session(WARM)
    branches = (ConversationBranch(1, "a", 2, 1), ConversationBranch(2, "b", 2, 3))
    for part in (replace(whole, branches=branches), replace(whole, siblings=2)):
        assert "other branches" in dict(paid_rows(paid(part)))["not in it"]
    assert "not in it" not in dict(paid_rows(paid(whole)))


def test_a_sum_is_reported_where_every_price_in_it_is() -> None:
    written, unpriced = replace(WARM, cost=0.25), ReportedCache()
    assert paid_in_short(paid(session(written, unpriced)))["cost_reported"]
    mixed = paid(session(written, WARM))
    assert not paid_in_short(mixed)["cost_reported"]
    assert paid_notes(mixed)[0].startswith("≈ $")
    assert not paid(session(unpriced)).is_cost_reported


def test_without_a_reported_cache_no_price_is_said() -> None:
    given = paid(session(ReportedCache()))
    assert given.cost is None
    assert given.cache_share is None
    assert paid_rows(given) == []


def test_a_request_that_reads_little_wrote_its_beginning_again() -> None:
    given = session(WARM, COLD, WARM)
    assert causes(paid(given)) == [None, RewriteCause.UNKNOWN, None]
    assert paid(given).cache_share == pytest.approx(0.6)


def test_the_cause_is_named_where_the_file_shows_it() -> None:
    late = session(WARM, COLD, minutes=(0, 9))
    assert causes(paid(late))[1] is RewriteCause.PAUSE
    assert causes(paid(replace(late, hour_cache=True)))[1] is RewriteCause.UNKNOWN
    first, second = late.usage
    other = replace(late, usage=(first, replace(second, model="claude-haiku-4-5")))
    assert causes(paid(other))[1] is RewriteCause.MODEL
    compacted = replace(
        late, recorded=(RecordedCompaction(kind="summary", boundary=2),)
    )
    assert causes(paid(compacted))[1] is RewriteCause.COMPACTION


def recorded(boundary: int, before: int, after: int) -> RecordedCompaction:
    return RecordedCompaction(
        kind="summary", boundary=boundary, tokens_before=before, tokens_after=after
    )


def test_a_compaction_has_its_cost_and_what_it_saved_since() -> None:
    given = session(WARM, COLD, WARM)
    (one,) = paid(replace(given, recorded=(recorded(2, 90_000, 50_000),))).compactions
    assert (one.freed, one.requests, one.is_loop, one.is_in_vain) == (
        40_000,
        2,
        False,
        False,
    )
    assert one.cost == pytest.approx(50 * (3.75e-3 - 3e-4))
    assert one.savings == pytest.approx(2 * 40 * 3e-4)


def test_loops_and_compactions_in_vain_are_named() -> None:
    given = session(*[WARM] * TURNS)
    two = (recorded(4, 90_000, 50_000), recorded(8, 60_000, 58_000))
    first, second = paid(replace(given, recorded=two)).compactions
    assert (first.is_loop, first.is_in_vain) == (False, False)
    assert (second.is_loop, second.is_in_vain) == (True, True)
    rows = dict(paid_rows(paid(replace(given, recorded=two))))
    assert "a loop" in rows["compaction 2"]
    assert "in vain" in rows["compaction 2"]
    far = (recorded(4, 90_000, 50_000), recorded(20, 60_000, 30_000))
    assert not paid(replace(given, recorded=far)).loops


def test_a_sample_says_what_was_paid() -> None:
    document = paid_json(paid(load_conversation(bundled_samples()[0].path)))
    assert document["priced_requests"] == len(document["requests"])
    assert 0.9 < document["cache_share"] < 1


def test_the_share_of_the_cache_that_lives_is_that_of_the_file() -> None:
    warm = ReportedCache(50_000, 0)
    given = session(warm, warm, COLD, warm, warm)
    assert cache_kept(given, MODEL) == pytest.approx(0.75)
    compacted = replace(
        given, recorded=(RecordedCompaction(kind="summary", boundary=4),)
    )
    assert cache_kept(compacted, MODEL) == pytest.approx(1.0)


def test_too_few_reports_say_nothing_of_the_cache() -> None:
    assert cache_kept(session(WARM, WARM), MODEL) is None
    assert cache_kept(session(*[ReportedCache()] * 9), MODEL) is None
    assert cache_kept(session(*[WARM] * 9), "gpt-4o") is None


def test_reading_costs_what_it_cost_in_the_session() -> None:
    warm = ReportedCache(50_000, 0)
    given = session(warm, warm, COLD, warm, warm)
    rates, kept = session_rates(given, MODEL, False)
    assert kept == pytest.approx(0.75)
    assert rates is not None
    assert rates.read == pytest.approx(0.75 * 3e-7 + 0.25 * 3.75e-6)
    assert session_rates(session(), MODEL, False)[1] is None


def test_a_watched_session_says_what_was_paid_and_its_loops() -> None:
    two = (recorded(4, 90_000, 50_000), recorded(8, 60_000, 58_000))
    given = paid(replace(session(*[WARM] * TURNS), recorded=two))
    cost, loops = paid_notes(given)
    assert cost.startswith("≈ $")
    assert loops == "compaction 2: a loop or in vain"
    assert paid_in_short(given)["loops"] == [2]
    assert paid_in_short(NOTHING_PAID) is None
    assert paid_notes(NOTHING_PAID) == []


def test_a_compaction_that_thrashes_is_not_called_in_vain_beside_it() -> None:
    in_vain = [recorded(boundary, 60_000, 58_000) for boundary in (14, 18, 22)]
    first = recorded(2, 60_000, 57_000), recorded(4, 90_000, 50_000)
    given = replace(session(*[WARM] * TURNS), recorded=(*first, *in_vain))
    thrash = find_thrash(given)
    file = SessionFile(Path("s"), "", 1, 0.0)
    live = LiveSession(file=file, paid=paid(given), thrash=thrash)
    assert session_notes(live)[0] == "thrashes"
    assert session_notes(live)[2:] == ["compactions 1, 2: a loop or in vain"]
    assert "compactions 1, 2, 3, 4, 5" in session_notes(replace(live, thrash=None))[1]
    assert "compactions 1, 2: " in status_line(live)


def test_the_limits_of_a_loop_and_of_one_in_vain_are_named() -> None:
    two = (recorded(4, 90_000, 50_000), recorded(8, 60_000, 58_000))
    rows = dict(paid_rows(paid(replace(session(*[WARM] * TURNS), recorded=two))))
    assert f"a loop: within {LOOP_REQUESTS} requests of" in rows["compaction 2"]
    assert f"freed less than {percent(LEAST_FREED, 0)}" in rows["compaction 2"]
