"""Comparison rows of strategies, presets and recorded compactions, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.analysis.compare.compare import compare_strategies, pairwise_losses, ranked_rows, row_names
from core.analysis.compare.model import BASELINE, CompareRow
from core.analysis.compare.preset_check import compare_presets_with_file, compare_presets_with_recorded
from core.analysis.compare.rows import scope_facts
from core.analysis.context import AnalysisInput
from core.analysis.fidelity.model import FidelityCategory
from core.common.errors import Cancelled, InputError, UnknownStrategyError
from core.common.paths import SAMPLES
from core.configuration.layers import SettingLayers
from core.formats.registry import load_conversation
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.preview.options import PreviewOptions, StageCache
from core.settings.keys import LIMIT, PROFILE
from core.strategies.middle_out import STRATEGY as MIDDLE_OUT
from core.strategies.registry import COMPRESSION_STRATEGIES
from core.strategies.top_down import STRATEGY as TOP_DOWN
from core.transcript.model import Conversation, Message, MessageFlag, Opaque, RecordedCompaction, Speaker
from core.transcript.scopes import ALL
from tests.builders import ai, call, conversation, human, response, talk, tool

VALUES = SettingLayers().resolve()
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


def without_seconds(found: Sequence[CompareRow]) -> list[CompareRow]:
    """Return everything that must be equal in two runs."""
    return [replace(row, seconds=0.0) for row in found]


def test_everything_is_compared_where_nothing_is_named() -> None:
    found = load_conversation(SAMPLE)
    names = [row.name for row in rows(found)]
    assert names[:2] == [BASELINE, "recorded 1"]
    assert sorted(names) == sorted([*COMPRESSION_STRATEGIES, "recorded 1"])


def test_the_baseline_keeps_everything_and_saves_nothing() -> None:
    (row,) = rows(long_talk(), BASELINE)
    assert (row.kind, row.tokens, row.messages) == ("preset", row.before_tokens, row.before_messages)
    assert (row.fidelity, row.calls, row.lint) == (1.0, 0, (0, 0))
    assert row.no_op


def test_rows_come_by_fidelity_behind_the_baseline_and_what_was_recorded() -> None:
    found = rows(load_conversation(SAMPLE))
    later = [row.fidelity for row in found[2:] if row.fidelity is not None]
    assert later == sorted(later, reverse=True)


def test_the_front_holds_what_no_other_row_beats() -> None:
    made = [
        CompareRow("a", "strategy", 100, 50, 5, 0.9, scope=ALL),
        CompareRow("b", "strategy", 100, 60, 5, 0.8, scope=ALL),
        CompareRow("c", "strategy", 100, 40, 5, 0.5, scope=ALL),
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


def test_rows_come_one_at_a_time() -> None:
    stream = compare_strategies(AnalysisInput(long_talk(), VALUES), (BASELINE, MIDDLE_OUT.name))
    assert next(stream).name == BASELINE
    assert next(stream).name == MIDDLE_OUT.name


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


def test_two_runs_differ_in_nothing_but_seconds() -> None:
    found = load_conversation(SAMPLE)
    assert without_seconds(rows(found)) == without_seconds(rows(found))


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownStrategyError, match=f"Did you mean {MIDDLE_OUT.name}"):
        row_names(long_talk(), ["midle-out"])
    with pytest.raises(InputError, match="no recorded compaction"):
        row_names(long_talk(), ["recorded 1"])


def test_a_saved_profile_alone_calls_no_model() -> None:
    values = SettingLayers().with_session(PROFILE, "haiku").resolve()
    (row,) = compare_strategies(AnalysisInput(long_talk(), values), (MIDDLE_OUT.name,))
    assert not row.error
    assert row.calls == 1


class Fixed:
    """Always writes the same sentence."""

    profile, model = "fixed", "m"

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        return SummaryResponse("<state_snapshot>We talked. FIXED</state_snapshot>")


def test_a_chosen_summariser_writes_every_summary() -> None:
    found, stages = load_conversation(SAMPLE), StageCache()
    ask = PreviewOptions(summariser_factory=lambda profile: Fixed())
    (row,) = compare_strategies(AnalysisInput(found, VALUES, ask, stages), (MIDDLE_OUT.name,))
    (other,) = compare_strategies(AnalysisInput(found, VALUES, stages=stages), (MIDDLE_OUT.name,))
    assert row.tokens < other.tokens
    assert (row.fidelity or 0) < (other.fidelity or 0)


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


def test_what_the_session_needed_later_is_told_where_it_goes_on() -> None:
    use = ai("", call("shell", "c1", cmd="cp /srv/upload/live.db /tmp"))
    found = recorded_session(summary_of("We talked."), after=(human("Go on."), use, tool(response("c1"))))
    made = rows(found, BASELINE, "recorded 1", scope="before:1")
    told = {row.name: (row.demand.needed, row.demand.kept) for row in made if row.demand is not None}
    assert told == {BASELINE: (1, 1), "recorded 1": (1, 0)}


def test_a_recorded_compaction_that_made_it_larger_is_marked() -> None:
    found = recorded_row(recorded_session(summary_of("blah " * 4000)))
    assert "net-negative" in found.note


def test_files_that_were_read_again_are_counted_in_the_note() -> None:
    read = ai("", call("Read", "r1", file_path="/a/b.py")), tool(response("r1", "Read", "text"))
    again = ai("", call("Read", "r2", file_path="/a/b.py")), tool(response("r2", "Read", "text"))
    one = RecordedCompaction("summary", 3, summary=(summary_of("We read it."),))
    found = conversation(human("Read it."), *read, *again, format="claude_code", recorded=(one,))
    assert "1 of 1 later file reads (100 %) read again" in recorded_row(found).note


def test_an_encrypted_compaction_says_so_and_claims_nothing() -> None:
    opaque = Message(Speaker.UNKNOWN, (Opaque("compaction", {}),), flags=MessageFlag.RECORDED_SUMMARY)
    found = recorded_row(recorded_session(opaque))
    assert "encrypted" in found.note
    assert (found.fidelity, found.cost, found.statuses) == (None, None, b"")


def test_what_is_not_in_the_file_is_no_result() -> None:
    found = recorded_row(recorded_session(summary_of("We talked."), is_source_lost=True))
    assert "not in the file" in found.error


def test_a_compaction_of_nothing_in_the_file_is_no_result() -> None:
    one = RecordedCompaction("opaque", 0)
    found = recorded_row(conversation(human("Go on."), format="openai_responses", recorded=(one,)))
    assert "no message before it" in found.error


# Two rows against each other


@pytest.mark.req("LH-84")
def test_what_one_row_loses_and_the_other_keeps() -> None:
    found, stages = long_talk(), StageCache()
    made = {row.name: row for row in rows(found, limit=1_000, stages=stages)}
    facts = scope_facts(AnalysisInput(found, VALUES, stages=stages), ALL)
    told = pairwise_losses(made[TOP_DOWN.name], made[BASELINE], facts)
    assert FidelityCategory.CONSTRAINT in {one.fact.kind for one in told.lost_in_a}
    assert told.lost_in_b == ()


def test_rows_of_different_messages_have_no_facts_in_common() -> None:
    stages = StageCache()
    found = recorded_session(summary_of("We talked."), after=talk(4))
    made = {row.name: row for row in rows(found, BASELINE, "recorded 1", stages=stages)}
    with pytest.raises(InputError, match="before:1"):
        pairwise_losses(
            made[BASELINE], made["recorded 1"], scope_facts(AnalysisInput(found, VALUES, stages=stages), ALL)
        )


# The preset beside what its agent did


def contest(found: Conversation) -> AnalysisInput:
    """Return the context of a comparison."""
    return AnalysisInput(found, VALUES).offline


def test_a_preset_is_set_beside_what_its_agent_did() -> None:
    (found,) = compare_presets_with_recorded(contest(load_conversation(SAMPLE)))
    text = " ".join(found.sentences)
    assert found.number == 1
    assert all(words in text for words in (found.preset, "the agent left", "messages", "New text", "facts"))


def test_of_an_encrypted_compaction_only_the_kept_messages_are_compared() -> None:
    opaque = Message(Speaker.UNKNOWN, (Opaque("compaction", {}),), flags=MessageFlag.RECORDED_SUMMARY)
    found = recorded_session(opaque, after=())
    (told,) = compare_presets_with_recorded(contest(replace(found, format="codex_rollout")))
    assert told.tokens[0] is None
    assert told.fidelity[0] is None
    assert "encrypted" in told.sentences[0]


def test_no_preset_is_set_beside_an_agent_that_none_emulates() -> None:
    found = replace(recorded_session(summary_of("We talked.")), format="openai_chat")
    assert list(compare_presets_with_recorded(contest(found))) == []


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
        told = list(compare_presets_with_recorded(contest(found)))
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


def test_recorded_rows_of_a_real_session(corpus: Path) -> None:
    found = load_conversation(corpus / "claude_code" / "36_entire-cli.jsonl")
    made = {row.name: row for row in rows(found, BASELINE, "recorded 1", MIDDLE_OUT.name, scope="before:1")}
    agent = made["recorded 1"]
    assert agent.note.startswith("auto; 6 of 7 later file reads")
    assert agent.before_tokens == made[BASELINE].before_tokens
    assert agent.demand is not None
    assert agent.demand.kept < agent.demand.needed
    assert (agent.fidelity or 1.0) < (made[MIDDLE_OUT.name].fidelity or 0.0) < 1.0
