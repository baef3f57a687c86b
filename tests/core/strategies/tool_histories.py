"""A history to compress, its tracker, and a model that follows a script."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.common.errors import CompactionFailed
from core.common.json_value import Json
from core.llm.protocol import ToolCallRequest, ToolTurn
from core.strategies.hybrid_state import HybridAgentState, initial_state
from core.strategies.tracker import track_history
from core.transcript.compaction import AgentStep
from core.transcript.model import Message
from tests.core.strategies.strategy_running import tokens
from tests.support.builders import ai, exchange, human, system

LINES = "".join(f"line {number} of the parser\n" for number in range(400))
HISTORY: tuple[Message, ...] = (
    system("You are a coding assistant."),
    human(
        "Please find out why the parser fails. "
        + "It fails on every second file. " * 20
    ),
    *exchange("r1", "Read", LINES, file_path="src/parser.py"),
    *exchange(
        "w1", "Write", "File written.\n" * 40, file_path="src/fix.py", content="fixed"
    ),
    ai("I have looked at the parser and written a fix for it. " * 20),
    human("Now the tests."),
    ai("They pass."),
    human("Thanks. And the docs?"),
    ai("Not yet."),
    human("Then write them."),
)
READ, WRITE, TALK = (
    3,
    5,
    6,
)  # indices of a read's result, a write's result and a long ai message
NEWEST = frozenset(range(7, 12))


def hybrid_state(
    target: int = 300, protected: frozenset[int] = NEWEST
) -> HybridAgentState:
    sizes: dict[str, Any] = {"target": target, "limit": 10_000, "trigger": 7_000}
    return initial_state(
        HISTORY, track_history(HISTORY), tokens, protected=protected, **sizes
    )


def tool_request(name: str, /, **arguments: Json) -> tuple[str, str]:
    return name, json.dumps(arguments)


@dataclass
class ScriptedToolModel:
    script: Sequence[Sequence[tuple[str, str]] | CompactionFailed]
    profile: str = "scripted"
    model: str = "m"
    requests: list[tuple[str, tuple[Message, ...]]] = field(default_factory=list)
    steps: list[AgentStep] = field(default_factory=list)

    def converse(
        self, system: str, messages: Sequence[Message], tools: Sequence[Json]
    ) -> ToolTurn:
        number = len(self.requests)
        self.requests.append((system, tuple(messages)))
        turn = self.script[number] if number < len(self.script) else ()
        if isinstance(turn, CompactionFailed):
            raise turn
        asks = tuple(
            ToolCallRequest(f"c{number}-{at}", name, given)
            for at, (name, given) in enumerate(turn)
        )
        return ToolTurn(text="", calls=asks, input_tokens=100, output_tokens=10)

    def report_step(self, step: AgentStep) -> None:
        self.steps.append(step)
