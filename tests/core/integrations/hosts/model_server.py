"""A model on the loopback address that works with a tool: what it was sent, turn by turn."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from core.api import Compacted, lint, size
from core.common.json_value import Json
from tests.core.integrations.hosts.histories import RUN_LIMIT
from tests.support.loopback import (
    OVERFLOW,
    Loopback,
    ReceivedRequest,
    Reply,
    reply_with_calls,
)
from tests.support.source_tree import ROOT

TURNS = 40
TOOL = "read"
CHAT, RESPONSES, MESSAGES = "Chat Completions", "Responses", "Messages"
RECORDED = ROOT / "tests" / "core" / "integrations" / "hosts" / "recorded_runs.tsv"
HEAD = (
    "library",
    "API",
    "turns",
    "summaries",
    "requests above the window",
    "largest request",
    "errors",
)
_PROVIDERS = {CHAT: "openai", RESPONSES: "responses", MESSAGES: "anthropic"}
_ENDINGS = {"/chat/completions": CHAT, "/responses": RESPONSES, "/messages": MESSAGES}
_REFUSED = Reply(
    text="The messages are not in order.", status=400, code="invalid_request_error"
)


def asked(turn: int) -> str:
    return f"Mend bug {turn} in src/a{turn}.py. " * 5


def read(path: str) -> str:
    """The result of the tool."""
    return f"# {path}\n" + "x = 1\n" * 60


def call_of(number: int) -> tuple[str, Json]:
    return TOOL, {"path": f"src/a{number}.py"}


def api_of(path: str) -> str:
    return next(
        api for ending, api in _ENDINGS.items() if path.split("?")[0].endswith(ending)
    )


class WorkingModel(Loopback):
    """Answers the words of the person with a call, and the result of a call with words.

    It refuses what is longer than its ``window``, as the providers do, and what their API would not
    take. ``sizes`` are the tokens of the requests that it was sent, ``errors`` why it refused some
    of them."""

    def __init__(self, window: int) -> None:
        super().__init__()
        self.window = window
        self.call: Callable[[int], tuple[str, Json]] = call_of
        self.sizes: list[int] = []
        self.errors: list[str] = []
        self.api = ""

    def reply_to(self, received: ReceivedRequest) -> Reply:
        self.log.append(received)
        self.api = api_of(received.path)
        messages, system = _messages(self.api, received.body)
        tools = received.body.get("tools") or ()
        tokens = size(messages, model="gpt-4o", system=system, tools=tools)
        self.sizes.append(tokens)
        faults = [
            one
            for one in lint(messages, _PROVIDERS[self.api])
            if one.severity == "error"
        ]
        if faults:
            self.errors.append(f"{faults[0].rule}: {faults[0].text} {messages}")
            return _REFUSED
        return OVERFLOW if tokens > self.window else self._answer(messages, tokens)

    def _answer(self, messages: Sequence[Json], tokens: int) -> Reply:
        last, number = messages[-1], len(self.log)
        told: dict[str, Json] = {"call_id": f"c{number}", "usage": (tokens, 30)}
        is_result = "tool_result" in str(last) or "function_call_output" in str(last)
        if is_result or last.get("role") == "tool":
            return Reply(text="It is mended. " * 10, **told)
        call = reply_with_calls(self.call(number))
        return Reply(text="", calls=call.calls, **told)

    @property
    def overflows(self) -> int:
        return sum(tokens > self.window for tokens in self.sizes)


def _messages(api: str, body: Json) -> tuple[list[Json], str]:
    """Return the messages of a request, and its system prompt where it stands beside them."""
    if api == CHAT:
        return body["messages"], ""
    if api == RESPONSES:
        return body["input"], body.get("instructions") or ""
    system = body.get("system") or ""
    return body["messages"], system if isinstance(system, str) else json.dumps(system)


@dataclass(slots=True)
class AgentRun:
    """A run of an agent of a library, with a summary for each of its compactions."""

    library: str
    server: WorkingModel
    compacted: list[Compacted[list[Json]]] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    turns: int = 0

    @property
    def row(self) -> tuple[str, ...]:
        server = self.server
        summaries = sum(
            len(one.preview.result.compaction.calls) for one in self.compacted
        )
        figures = (self.turns, summaries, server.overflows, max(server.sizes))
        errors = len(server.errors) + len(self.failed)
        return (self.library, server.api, *(f"{one:,}" for one in (*figures, errors)))


Turn = Callable[[str], None]
"""Sends the words of the person to the agent, which works until it answers."""


@contextmanager
def working_model(window: int = RUN_LIMIT) -> Iterator[WorkingModel]:
    server = WorkingModel(window)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def run_agent(
    library: str,
    made: Callable[[WorkingModel, Json], Turn],
    window: int = RUN_LIMIT,
    **options: Json,
) -> AgentRun:
    """Run an agent for 40 turns; ``made`` gets the server and the options of its adapter."""
    with working_model(window) as server:
        run = AgentRun(library, server)
        given = {
            "strategy": "middle-out",
            "limit": RUN_LIMIT,
            "after": run.compacted.append,
        }
        turn = made(server, {**given, **options})
        for number in range(TURNS):
            try:
                turn(asked(number))
            except Exception as error:
                run.failed.append(f"{type(error).__name__}: {error}")
                break
            run.turns += 1
    return run


def recorded_rows() -> list[tuple[str, ...]]:
    lines = RECORDED.read_text("utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines]


def record(row: tuple[str, ...]) -> None:
    """Replace the row of a library and an API."""
    rows = {one[:2]: one for one in recorded_rows()} | {row[:2]: row}
    RECORDED.write_text(
        "".join("\t".join(one) + "\n" for one in sorted(rows.values())), "utf-8"
    )
