"""Runs tiered over a small agent session with a given target and a scripted summary."""

from dataclasses import replace
from typing import Any

from core.llm.protocol import SummaryResponse
from core.settings.prompts import built_in
from core.strategies import tiered
from core.strategies.base import StrategyContext
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Text
from tests.core.strategies.strategy_running import ScriptedSummariser, context, values
from tests.support.builders import exchange, human, talk

SEVEN = """1. TASK STATE: fix the parser; half is done
2. FILES: `/repo/src/a.py` read
3. TOOL HISTORY: None
4. ERRORS: None
5. DECISIONS: keep the lexer, because it is fast
6. USER GUIDANCE: never push
7. NEXT STEPS: run the tests"""
SEVEN_OF_UPLOADS = """1. TASK STATE: the upload test is mended
2. FILES: `src/file.py` read
3. TOOL HISTORY: None
4. ERRORS: None
5. DECISIONS: keep the lexer, because it is fast
6. USER GUIDANCE: never push
7. NEXT STEPS: answer the next question about the upload"""
"""The same of a session about uploads."""
LINES = "\n".join(f"line {number} of the file" for number in range(60))
OLD: tuple[Message, ...] = (
    human("Fix the parser in /repo/src/a.py. Never push."),
    *(
        m
        for n in range(6)
        for m in exchange(f"r{n}", "Read", LINES, file_path=f"/repo/src/{n}.py")
    ),
    *exchange(
        "e", "Bash", "error: 3 tests failed\n" + "trace\n" * 20, command="pytest"
    ),
    *talk(4),
)
TAIL: tuple[Message, ...] = talk(4, "recent words")


def tiered_context(
    messages: tuple[Message, ...],
    answer: str | SummaryResponse | Exception = SEVEN,
    *,
    target: int = 600,
    focus: str = "",
    **settings: Any,
) -> tuple[StrategyContext, ScriptedSummariser]:
    """Return a context with that target in tokens and four protected messages, and its
    summariser."""
    writer = ScriptedSummariser(answer, profile="work")
    sizes: dict[str, Any] = {
        "compaction__output_reserve": 0,
        "compaction__max_tool_output_tokens": 100,
    }
    sizes |= {
        "compaction__protected_messages": 4,
        "compaction__target": 0.5,
        **settings,
    }
    result = context(messages, values(**sizes), limit=2 * target)
    return replace(
        result, summariser=writer.choose, prompt=built_in(tiered.NAME).text, focus=focus
    ), writer


def compact(
    messages: tuple[Message, ...],
    answer: str | SummaryResponse | Exception = SEVEN,
    **settings: Any,
) -> Compaction:
    return tiered.compress(tiered_context(messages, answer, **settings)[0])


def summary_text(compaction: Compaction) -> str:
    [index] = compaction.inserted
    [block] = compaction.messages[index].blocks
    assert isinstance(block, Text)
    return block.text
