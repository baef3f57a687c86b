"""Summary requests of presets, and the use of the responses."""

import pytest

from core.facts.sentences import is_summary, plain_text
from core.settings.prompts import (
    SectionStyle,
    SummaryLayout,
    built_in,
    summary_layout,
)
from core.strategies.base import Strategy
from core.strategies.helpers import trigger_tokens
from core.strategies.presets.preset_summary import REMOVED
from core.strategies.registry import STRATEGIES
from core.summarize.summary_lines import SnapshotSlot, assign_slots
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Media, Message, Speaker, tool_responses
from tests.core.strategies.strategy_running import (
    ScriptedSummariser,
    compact,
    tokens,
    values,
)
from tests.support.builders import ai, exchange, human, talk
from tests.support.narrowing import known

LONG = "word " * 6000  # about 7,500 tokens by the tests' count


def worked(count: int, result: str = "line " * 200) -> tuple[Message, ...]:
    steps = [
        exchange(f"c{at}", "bash", result, command=f"make {at}") for at in range(count)
    ]
    return (
        human("Fix the build."),
        *(message for step in steps for message in step),
        ai("Fixed."),
    )


def summary_of(made: Compaction) -> Message:
    [place] = made.budgets
    return made.messages[place]


def test_what_was_thought_is_cut_off_and_the_summary_kept() -> None:
    answer = "<analysis>\nfirst this\n</analysis>\n"
    answer += "<summary>\n1. Primary Request and Intent: go\n</summary>\nBye."
    result = compact("claude-code", worked(4), ScriptedSummariser(answer))
    assert result.summary is not None
    assert result.summary.text == "1. Primary Request and Intent: go"
    assert "first this" not in plain_text(summary_of(result))
    assert (result.summary.profile, result.summary.model) == ("cheap", "small-1")


def test_the_budget_is_told_and_bounded() -> None:
    recorder = ScriptedSummariser("S")
    result = compact(
        "claude-code",
        worked(40),
        recorder,
        effective=values(compression__summary_tokens=30_000),
    )
    [request] = recorder.requests
    assert request.max_tokens == request.max_output_tokens == 20_000
    assert "Stay within 20000 tokens." in request.prompt
    assert list(result.budgets.values()) == [20_000]


def test_a_second_call_checks_the_snapshot() -> None:
    first_answer = "<state_snapshot>\nfirst\n</state_snapshot>"
    recorder = ScriptedSummariser(
        first_answer, "<state_snapshot>second</state_snapshot>"
    )
    result = compact("gemini-compress", worked(10), recorder)
    first, second = recorder.requests
    assert (first.messages, first.prompt) == (second.messages, second.prompt)
    assert "critical eye" in second.trigger
    assert second.trigger.endswith("first")
    assert [call.purpose for call in result.calls] == [
        "summary",
        "check of the summary",
    ]
    assert (
        plain_text(result.messages[0]) == "<state_snapshot>\nsecond\n</state_snapshot>"
    )
    assert [message.speaker for message in result.messages] == [
        Speaker.HUMAN,
        Speaker.AI,
    ]


def test_a_divided_exchange_is_summarised_apart() -> None:
    recorder = ScriptedSummariser("## Goal\nAll.", "## Original Request\nThe build.")
    result = compact("pi", (*talk(4), *worked(4, LONG)), recorder)
    early, late = recorder.requests
    assert early.indices == (0, 1, 2, 3)
    assert late.indices[0] == 4
    assert [call.purpose for call in result.calls] == [
        "summary",
        "beginning of the exchange",
    ]
    assert list(result.budgets.values()) == [early.max_tokens + late.max_tokens]
    text = plain_text(result.messages[0])
    assert text.index("All.") < text.index("The build.")
    assert known(result.split).middle == len(early.indices) + len(late.indices)


def test_results_are_cut_and_media_named_in_the_request_only() -> None:
    image = human("look", Media("image/png", "AAAA"))
    messages = (image, *worked(2, "x" * 3000), human("next"), ai("ok"))
    recorder = ScriptedSummariser("## Objective\nx")
    compact("opencode-2", messages, recorder)
    [request] = recorder.requests
    assert not any(isinstance(block, Media) for block in request.messages[0].blocks)
    results = [
        str(answer.result) for one in request.messages for answer in tool_responses(one)
    ]
    assert all(
        len(text) < 2050 and "1,000 characters left out" in text for text in results
    )


def test_the_ladder_takes_results_out_of_the_middle_until_it_fits() -> None:
    messages = worked(10, "line " * 1000)
    recorder = ScriptedSummariser("S")
    result = compact(
        "goose-middle-out-ladder", messages, recorder, limit=tokens(messages) + 2000
    )
    [request] = recorder.requests
    results = [
        (at, one.result)
        for at in request.indices
        for one in tool_responses(request.messages[at])
    ]
    emptied = [at for at, text in results if text == REMOVED]
    assert emptied == [10, 12]  # 20 % of ten results, the two in the middle
    [call] = result.calls
    assert call.reductions == call.steps
    assert "20 %" in call.reductions[0]
    for at in emptied:
        assert result.fates[at].kind is FateKind.DROPPED
        assert "never read" in result.fates[at].last.reason
    assert "2 of 22 messages" in result.warnings[0]


SUMMARISING = [
    one for one in STRATEGIES if one.emulates is not None and one.requires_llm
]
by_name = pytest.mark.parametrize(
    "strategy", SUMMARISING, ids=lambda strategy: str(strategy.name)
)
ANSWER = "## Objective\n- Fix it."


def session(turns: int = 12) -> tuple[Message, ...]:
    """Return requests with a call each, long enough for every preset to summarise."""
    return tuple(
        message
        for turn in range(turns)
        for message in (
            human(f"Request {turn}: never push."),
            *exchange(
                f"c{turn}", "Read", f"text {turn} " * 2000, file_path=f"/src/{turn}.py"
            ),
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
def test_each_acts_where_its_program_does(
    name: str, limit: int, tokens: int | None
) -> None:
    [strategy] = [one for one in SUMMARISING if one.name == name]
    assert trigger_tokens(strategy, values(compression_threshold=0.5), limit) == tokens


@by_name
def test_a_run_calls_the_model_and_inserts_what_is_known_as_a_summary_when_met_again(
    strategy: Strategy,
) -> None:
    result = compact(strategy.name, session(), ScriptedSummariser(ANSWER))
    assert result.no_op is None
    assert result.metadata.llm_call_made
    assert result.metadata.strategy_used == strategy.name
    assert all(fate.last.reason.endswith(".") for fate in result.fates)
    assert is_summary(summary_of(result))


def test_a_share_of_the_limit_stays_beside_the_first_messages() -> None:
    messages = session(30)
    result = compact(
        "hermes", messages, ScriptedSummariser("## Goal\n- Fix it."), limit=200_000
    )
    assert result.split is not None
    assert (result.split.top, result.split.bottom >= 20) == (3, True)
    assert result.messages[:3] == messages[:3]
    assert result.messages[-20:] == messages[-20:]
    wide = compact(
        "hermes", messages, ScriptedSummariser("## Goal\n- Fix it."), limit=1_000_000
    )
    assert known(wide.split).bottom > result.split.bottom
    kept = compact("deepagents", messages, ScriptedSummariser("Fixed."), limit=200_000)
    assert known(kept.split).top == 0
    assert tokens(kept.messages[1:]) <= 20_000


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
        ("claude-code", SnapshotSlot.RULES, "All user messages"),
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
