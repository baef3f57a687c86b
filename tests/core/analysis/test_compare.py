"""Comparison rows of strategies, presets and recorded compactions, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from core.analysis.compare.compare import compare_strategies, pairwise_losses, ranked_rows, retained
from core.analysis.compare.preset_check import (
    compare_preset_with_recorded,
    compare_presets_with_file,
    recorded_preset_pairs,
)
from core.analysis.compare.rows import scope_facts
from core.analysis.context import AnalysisInput
from core.analysis.fidelity.model import CategoryScore, FactStatus, FidelityCategory
from core.analysis.model import BASELINE, CompareRow, RecordedComparison
from core.common.errors import Cancelled
from core.common.paths import SAMPLES
from core.configuration.layers import SettingLayers
from core.formats.registry import load_conversation
from core.preview.options import PreviewOptions, StageCache
from core.settings.keys import LIMIT
from core.strategies.middle_out import STRATEGY as MIDDLE_OUT
from core.strategies.top_down import STRATEGY as TOP_DOWN
from core.transcript.model import Conversation, Message, MessageFlag, Opaque, RecordedCompaction, Speaker
from core.transcript.scopes import ALL
from tests.builders import ai, conversation, human, talk

VALUES = SettingLayers().resolve()
STRATEGIES = (MIDDLE_OUT.name, TOP_DOWN.name, "high-density", "claude-code")
SAMPLE = SAMPLES / "fix-flaky-upload.jsonl"
RULE = "Never write to /srv/upload/live.db directly."


def rows(
    found: Conversation, *names: str, scope: str = ALL, limit: int = 0, stages: StageCache | None = None
) -> tuple[CompareRow, ...]:
    values = SettingLayers().with_session(LIMIT, limit).resolve() if limit else VALUES
    return ranked_rows(
        list(
            compare_strategies(
                AnalysisInput(found, values, PreviewOptions(scope), stages or StageCache()), names
            )
        ),
        scope,
    )


def long_talk() -> Conversation:
    """Return enough messages to compact, with a rule first."""
    return conversation(human(RULE), ai("Understood."), *talk(38, "so we go on with the next step " * 8))


@pytest.mark.req("LOSS-2.5.3")
def test_rows_come_by_what_they_keep_behind_the_baseline_and_what_was_recorded() -> None:
    found = rows(load_conversation(SAMPLE), BASELINE, "recorded", *STRATEGIES)
    is_continued = any(row.demand is not None for row in found)
    later = [kept for row in found[2:] if (kept := retained(row, is_continued=is_continued)) is not None]
    assert later == sorted(later, reverse=True)


@pytest.mark.req("LOSS-2.5.3")
def test_the_front_holds_what_no_other_row_beats() -> None:
    def lost(facts: int) -> tuple[CategoryScore, ...]:
        return (CategoryScore(FidelityCategory.ERROR, 9, {FactStatus.LOST: facts}, 0.5),)

    made = [
        CompareRow("a", "strategy", 100, 50, 5, 0.1, scores=lost(1), scope=ALL),
        CompareRow("b", "strategy", 100, 60, 5, 0.9, scores=lost(2), scope=ALL),
        CompareRow("c", "strategy", 100, 40, 5, 0.5, scores=lost(5), scope=ALL),
        CompareRow("idle", "strategy", 100, 100, 9, 1.0, scope=ALL, no_op="Nothing to do."),
        CompareRow(BASELINE, "preset", 100, 100, 9, 1.0, scope=ALL, no_op="It never does anything."),
        CompareRow("recorded 1", "recorded", 10, 1, 1, 1.0, scope="before:1"),
        CompareRow("broken", "strategy", 100, 0, 0, scope=ALL, error="It failed."),
    ]
    found = ranked_rows(made, ALL)
    assert [row.name for row in found] == [BASELINE, "recorded 1", "idle", "a", "b", "c", "broken"]
    assert {row.name for row in found if row.on_front} == {"a", "c", BASELINE}


def test_a_strategy_that_fails_says_why_and_the_others_go_on() -> None:
    found = {row.name: row for row in rows(long_talk(), TOP_DOWN.name, MIDDLE_OUT.name)}
    assert "context limit" in found[TOP_DOWN.name].error
    assert found[MIDDLE_OUT.name].tokens < found[MIDDLE_OUT.name].before_tokens


def test_progress_rises_and_cancel_ends_it_between_rows() -> None:
    told: list[float] = []
    made: list[str] = []

    def watch(fraction: float, text: str) -> None:
        told.append(fraction)
        if len(made) == 2:
            raise Cancelled

    stream = compare_strategies(AnalysisInput(long_talk(), VALUES, PreviewOptions(progress=watch)), ())
    with pytest.raises(Cancelled):
        made.extend(row.name for row in stream)
    assert len(made) == 2
    assert told == sorted(told)


# What the agent itself did


def recorded_session(*summary: Message, after: Sequence[Message] = (), **fields: object) -> Conversation:
    """Return a session whose agent kept its last message behind a summary."""
    had = (human(RULE), ai("Understood."), *talk(8))
    one = RecordedCompaction("summary", len(had), summary=summary, kept=(len(had) - 1,), **fields)  # type: ignore[arg-type]
    return conversation(*had, *after, format="claude_code", recorded=(one,))


def summary_of(text: str) -> Message:
    return human(text, flags=MessageFlag.RECORDED_SUMMARY)


def recorded_row(found: Conversation) -> CompareRow:
    (row,) = compare_strategies(AnalysisInput(found, VALUES), ("recorded 1",))
    return row


def test_a_recorded_compaction_is_judged_over_what_the_agent_had() -> None:
    kept = recorded_row(recorded_session(summary_of(f"The person said: {RULE}")))
    lost = recorded_row(recorded_session(summary_of("We talked about this and that.")))
    assert (kept.kind, kept.scope, kept.before_messages, kept.messages) == ("recorded", "before:1", 10, 2)
    assert (kept.fidelity or 0) > (lost.fidelity or 0)
    assert kept.cost is not None
    assert kept.cost.summary is None  # the price of its call is in no file


def test_an_encrypted_compaction_says_so_and_claims_nothing() -> None:
    opaque = Message(Speaker.UNKNOWN, (Opaque("compaction", {}),), flags=MessageFlag.RECORDED_SUMMARY)
    found = recorded_row(recorded_session(opaque))
    assert "encrypted" in found.note
    assert (found.fidelity, found.cost, found.statuses) == (None, None, b"")


# Two rows against each other


@pytest.mark.req("LH-84")
def test_what_one_row_loses_and_the_other_keeps() -> None:
    found, stages = long_talk(), StageCache()
    made = {row.name: row for row in rows(found, TOP_DOWN.name, BASELINE, limit=1_000, stages=stages)}
    facts = scope_facts(AnalysisInput(found, VALUES, stages=stages), ALL)
    told = pairwise_losses(made[TOP_DOWN.name], made[BASELINE], facts)
    assert FidelityCategory.CONSTRAINT in {one.fact.kind for one in told.lost_in_a}
    assert told.lost_in_b == ()


# The preset beside what its agent did


def contest(found: Conversation) -> AnalysisInput:
    """Return the context of a comparison."""
    return AnalysisInput(found, VALUES).offline


def against_recorded(source: AnalysisInput) -> list[RecordedComparison]:
    pairs = recorded_preset_pairs(source.conversation)
    return [compare_preset_with_recorded(source, number, preset) for number, preset in pairs]


def test_a_preset_is_set_beside_what_its_agent_did() -> None:
    (found,) = against_recorded(contest(load_conversation(SAMPLE)))
    text = " ".join(found.sentences)
    assert found.number == 1
    assert all(words in text for words in (found.preset, "the agent left", "messages", "New text", "facts"))


@pytest.mark.parametrize(
    "name",
    [
        "claude_code/36_entire-cli.jsonl",
        "codex_rollout/13_agentv.jsonl",
        "cline_session/03_cline-sdk-session.json",
    ],
)
def test_presets_beside_real_agents(corpus: Path, name: str) -> None:
    found = load_conversation(corpus / name)
    if found.recorded:
        told = against_recorded(contest(found))
    else:
        left = load_conversation(corpus / "cline_session" / "02_cline-sdk-basic-compaction.json")
        told = list(compare_presets_with_file(contest(found), left))
    assert told
    for one in told:
        agent, own = len(one.messages[0]) + len(one.messages[1]), len(one.messages[0]) + len(one.messages[2])
        assert (
            f"the agent kept {agent or 'none'} as they were, {one.preset} keeps {own or 'none'}"
            in " ".join(one.sentences)
        )
