"""Running tool calls that began with signed thinking stay in order for Anthropic: fix TH-01."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.common.errors import CompactionFailed
from core.lint.common_rules import RequestModel
from core.lint.lint import lint_messages
from core.settings.schema import Mode
from core.strategies.registry import COMPACTION_STRATEGIES
from core.transcript.model import Message, Speaker, Thinking
from tests.core.strategies.strategy_running import run, tokens
from tests.support.builders import ai, call, human, response, tool

WORDS = "words of some length " * 12
BUDGET = RequestModel("claude-sonnet-4-5", 200_000, "enabled")


def calls(*thinking: bool, prefix: str = "c") -> list[Message]:
    """Return calls with results; those for which it is true begin with signed thinking."""
    messages: list[Message] = []
    for number, thinks in enumerate(thinking):
        asked = ai(f"step {number}", call("bash", f"{prefix}{number}", command=WORDS))
        thought = Thinking(f"thought {number}", {"signature": f"s{number}"})
        if thinks:
            asked = replace(asked, blocks=(thought, *asked.blocks))
        messages += [asked, tool(response(f"{prefix}{number}", "bash", WORDS * 3))]
    return messages


LOOPS = {
    "thinking once": [human(WORDS), *calls(True, *[False] * 11)],
    "thinking each time": [human(WORDS), *calls(*[True] * 12)],
    "an older turn without": [
        human(WORDS),
        *calls(*[False] * 4, prefix="old"),
        ai("done"),
        human(WORDS),
        *calls(True, *[False] * 9),
    ],
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
@pytest.mark.parametrize("share", [0.3, 0.6])
def test_no_strategy_leaves_running_calls_without_thinking(
    name: str, loop: str, share: float
) -> None:
    history = LOOPS[loop]
    assert lint_messages(history, "anthropic", model=BUDGET) == ()
    try:
        result = run(name, history, limit=int(tokens(history) * share)).messages
    except CompactionFailed:
        return  # the summary of so little does not fit
    found = lint_messages(result, "anthropic", source=history, model=BUDGET)
    assert [one for one in found if one.rule == "anthropic.missing-thinking"] == []


def test_the_calls_end_in_two_short_messages_and_the_fix_is_named() -> None:
    history = LOOPS["thinking once"]
    limit = int(tokens(history) * 0.3)
    safe = run("top-down-truncation", history, limit=limit)
    assert [one.speaker for one in safe.messages[-2:]] == [Speaker.AI, Speaker.HUMAN]
    assert safe.origins[-2:] == ((), ())
    assert "TH-01" in safe.fixes
    reference = run("top-down-truncation", history, limit=limit, mode=Mode.REFERENCE)
    assert "TH-01" not in reference.fixes


def test_calls_that_never_thought_stay_as_they_are() -> None:
    history = [human(WORDS), *calls(*[False] * 12)]
    result = run("top-down-truncation", history, limit=int(tokens(history) * 0.3))
    assert result.messages[-1] is history[-1]
