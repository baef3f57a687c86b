"""Summary requests of presets, and the use of the responses (product.md section 3.1)."""

from __future__ import annotations

import pytest

from core.facts.sentences import is_summary, plain_text
from core.strategies.presets.preset_summary import REMOVED
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Media, Message, Speaker, ToolResponse
from tests.builders import ai, exchange, human, talk
from tests.core.strategies.strategy_running import RecordingSummariser, compact, tokens, values

LONG = "word " * 6000  # about 7,500 tokens by the tests' count


def worked(count: int, result: str = "line " * 200) -> tuple[Message, ...]:
    """Return a request, several calls with results, and an answer."""
    steps = [exchange(f"c{at}", "bash", result, command=f"make {at}") for at in range(count)]
    return (human("Fix the build."), *(message for step in steps for message in step), ai("Fixed."))


def summary_of(made: Compaction) -> Message:
    """Return the message that holds the summary."""
    [place] = made.budgets
    return made.messages[place]


def test_what_was_thought_is_cut_off_and_the_summary_kept() -> None:
    answer = (
        "<analysis>\nfirst this\n</analysis>\n<summary>\n1. Primary Request and Intent: go\n</summary>\nBye."
    )
    result = compact("claude-code", worked(4), RecordingSummariser([answer]))
    assert result.summary is not None
    assert result.summary.text == "1. Primary Request and Intent: go"
    assert "first this" not in plain_text(summary_of(result))
    assert (result.summary.profile, result.summary.model) == ("work", "m")


def test_the_budget_is_told_and_bounded() -> None:
    recorder = RecordingSummariser()
    result = compact(
        "claude-code", worked(40), recorder, effective=values(compression__summary_tokens=30_000)
    )
    [request] = recorder.requests
    assert request.max_tokens == request.max_output_tokens == 20_000
    assert "Stay within 20000 tokens." in request.prompt
    assert list(result.budgets.values()) == [20_000]


def test_a_second_call_checks_the_snapshot() -> None:
    recorder = RecordingSummariser(
        ["<state_snapshot>\nfirst\n</state_snapshot>", "<state_snapshot>second</state_snapshot>"]
    )
    result = compact("gemini-compress", worked(10), recorder)
    first, second = recorder.requests
    assert (first.messages, first.prompt) == (second.messages, second.prompt)
    assert "critical eye" in second.trigger
    assert second.trigger.endswith("first")
    assert [call.purpose for call in result.calls] == ["summary", "check of the summary"]
    assert plain_text(result.messages[0]) == "<state_snapshot>\nsecond\n</state_snapshot>"
    assert [message.speaker for message in result.messages] == [Speaker.HUMAN, Speaker.AI]


def test_a_divided_exchange_is_summarised_apart() -> None:
    recorder = RecordingSummariser(["## Goal\nAll.", "## Original Request\nThe build."])
    result = compact("pi", (*talk(4), *worked(4, LONG)), recorder)
    early, late = recorder.requests
    assert early.indices == (0, 1, 2, 3)
    assert late.indices[0] == 4
    assert [call.purpose for call in result.calls] == ["summary", "beginning of the exchange"]
    assert list(result.budgets.values()) == [early.max_tokens + late.max_tokens]
    text = plain_text(result.messages[0])
    assert text.index("All.") < text.index("The build.")
    assert result.split is not None
    assert result.split.middle == len(early.indices) + len(late.indices)


def test_results_are_cut_and_media_named_in_the_request_only() -> None:
    image = human("look", Media("image/png", "AAAA"))
    messages = (image, *worked(2, "x" * 3000), human("next"), ai("ok"))
    recorder = RecordingSummariser(["## Objective\nx"])
    compact("opencode-2", messages, recorder)
    [request] = recorder.requests
    assert not any(isinstance(block, Media) for block in request.messages[0].blocks)
    results = [block for one in request.messages for block in one.blocks if isinstance(block, ToolResponse)]
    assert all(
        len(str(block.result)) < 2050 and "1,000 characters left out" in block.result for block in results
    )


def test_the_ladder_takes_results_out_of_the_middle_until_it_fits() -> None:
    messages = worked(10, "line " * 1000)
    recorder = RecordingSummariser()
    result = compact("goose-middle-out-ladder", messages, recorder, limit=tokens(messages) + 2000)
    [request] = recorder.requests
    emptied = [at for at in request.indices if any_removed(request.messages[at])]
    assert emptied == [10, 12]  # 20 % of ten results, the two in the middle
    [call] = result.calls
    assert call.reductions == call.steps
    assert "20 %" in call.reductions[0]
    for at in emptied:
        assert result.fates[at].kind is FateKind.DROPPED
        assert "never read" in result.fates[at].last.reason
    assert "2 of 22 messages" in result.warnings[0]


def any_removed(message: Message) -> bool:
    return any(isinstance(block, ToolResponse) and block.result == REMOVED for block in message.blocks)


@pytest.mark.parametrize(
    "name",
    [
        "claude-code",
        "codex-local",
        "gemini-compress",
        "opencode-2",
        "goose-middle-out-ladder",
        "pi",
        "openhands",
        "langchain-summarization",
        "anthropic-compaction",
        "crush",
        "roo",
        "deepagents",
        "hermes",
    ],
)
def test_what_is_inserted_is_known_as_a_summary_when_met_again(name: str) -> None:
    result = compact(name, (*talk(24, LONG), *worked(2)), RecordingSummariser(["## Objective\n- Go."]))
    assert is_summary(summary_of(result))
