"""Whole runs of the built-in presets that summarise (product.md section 3.1)."""

from __future__ import annotations

import copy

import pytest

from core.settings.prompts import SectionStyle, SummaryLayout, summary_layout
from core.settings.prompts.prompt_files import built_in
from core.strategies.base import Strategy
from core.strategies.helpers import trigger_tokens
from core.strategies.registry import STRATEGIES
from core.summarize.summary_sections import SnapshotSlot, assign_slots
from core.transcript.model import Message
from tests.builders import ai, exchange, human
from tests.core.histories import loose_ends
from tests.core.strategies.strategy_running import RecordingSummariser, compact, values
from tests.core.strategies.strategy_running import tokens as count

SUMMARISING = [one for one in STRATEGIES if one.emulates is not None and one.requires_llm]
by_name = pytest.mark.parametrize("strategy", SUMMARISING, ids=lambda strategy: str(strategy.name))
ANSWER = "## Objective\n- Fix it."


def session(turns: int = 12) -> tuple[Message, ...]:
    """Return requests with a call each, long enough for every preset to summarise."""
    return tuple(
        message
        for turn in range(turns)
        for message in (
            human(f"Request {turn}: never push."),
            *exchange(f"c{turn}", "Read", f"text {turn} " * 2000, file_path=f"/src/{turn}.py"),
            ai(f"Answer {turn}."),
        )
    )


@pytest.mark.parametrize(
    ("name", "limit", "tokens"),
    [
        ("claude-code", 200_000, 167_000),
        ("codex-local", 272_000, 244_800),
        ("gemini-compress", 200_000, 100_000),
        ("opencode-2", 200_000, 168_000),
        ("anthropic-compaction", 1_000_000, 150_000),
        ("crush", 200_000, 160_000),
        ("crush", 400_000, 380_000),
        ("roo", 200_000, 171_808),
        ("deepagents", 200_000, 170_000),
        ("hermes", 200_000, 100_000),
        ("goose-middle-out-ladder", 200_000, 160_000),
        ("pi", 200_000, 183_616),
        ("openhands", 200_000, None),
        ("langchain-summarization", 200_000, 100_000),
    ],
)
def test_each_acts_where_its_program_does(name: str, limit: int, tokens: int | None) -> None:
    [strategy] = [one for one in SUMMARISING if one.name == name]
    assert trigger_tokens(strategy, values(compression_threshold=0.5), limit) == tokens


@by_name
def test_a_run_is_whole_and_the_same_again(strategy: Strategy) -> None:
    messages = session()
    before = copy.deepcopy(messages)
    result = compact(strategy.name, messages, RecordingSummariser([ANSWER]))
    assert result.no_op is None
    assert not loose_ends(result.messages)
    assert result == compact(strategy.name, messages, RecordingSummariser([ANSWER]))
    assert messages == before
    assert result.metadata.llm_call_made
    assert result.metadata.strategy_used == strategy.name
    assert all(fate.last.reason.endswith(".") for fate in result.fates)


def test_a_share_of_the_limit_stays_beside_the_first_messages() -> None:
    messages = session(30)
    result = compact("hermes", messages, RecordingSummariser(["## Goal\n- Fix it."]), limit=200_000)
    assert result.split is not None
    assert (result.split.top, result.split.bottom >= 20) == (3, True)
    assert result.messages[:3] == messages[:3]
    assert result.messages[-20:] == messages[-20:]
    wide = compact("hermes", messages, RecordingSummariser(["## Goal\n- Fix it."]), limit=1_000_000)
    assert wide.split is not None
    assert wide.split.bottom > result.split.bottom
    kept = compact("deepagents", messages, RecordingSummariser(["Fixed."]), limit=200_000)
    assert kept.split is not None
    assert kept.split.top == 0
    assert count(kept.messages[1:]) <= 20_000


SECTIONS = {
    "claude-code": (SectionStyle.NUMBERED, 9),
    "codex-local": (SectionStyle.NUMBERED, 4),
    "gemini-compress": (SectionStyle.XML, 7),
    "opencode-2": (SectionStyle.HEADING, 10),
    "goose-middle-out-ladder": (SectionStyle.HEADING, 9),
    "pi": (SectionStyle.HEADING, 9),
    "openhands": (SectionStyle.HEADING, 10),
    "langchain-summarization": (SectionStyle.DIGEST, 0),
    "crush": (SectionStyle.HEADING, 5),
    "hermes": (SectionStyle.HEADING, 10),
}
"""Style and number of the sections of each prompt, subsections included."""


@pytest.mark.parametrize("name", SECTIONS)
def test_each_prompt_asks_for_the_sections_of_its_program(name: str) -> None:
    layout = summary_layout(built_in(name).text)
    assert (layout.style, len(layout.sections)) == SECTIONS[name]


@pytest.mark.parametrize(
    ("name", "slot", "section"),
    [
        ("claude-code", SnapshotSlot.CONSTRAINTS, "All user messages"),
        ("claude-code", SnapshotSlot.FILES, "Files and Code Sections"),
        ("gemini-compress", SnapshotSlot.FILES, "artifact_trail"),
        ("gemini-compress", SnapshotSlot.ERRORS, "recent_actions"),
        ("opencode-2", SnapshotSlot.CURRENT, "Active"),
        ("opencode-2", SnapshotSlot.TODOS, "Next Move"),
        ("pi", SnapshotSlot.FILES, "Done"),
        ("pi", SnapshotSlot.CURRENT, "In Progress"),
        ("openhands", SnapshotSlot.GOAL, "USER_CONTEXT"),
        ("openhands", SnapshotSlot.FILES, "CHANGES"),
    ],
)
def test_the_offline_summariser_fills_the_fitting_section(
    name: str, slot: SnapshotSlot, section: str
) -> None:
    request: SummaryLayout = summary_layout(built_in(name).text)
    assert assign_slots(request.sections)[slot] == section
