"""The orchestration cases: the session loop in ``reference`` mode, step by step."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.common.errors import StrategyError, UnknownStrategyError
from core.engine import history_store
from core.engine.passes import OVERFLOW, SessionEnvironment
from core.engine.session import AgentSession
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings import schema
from core.settings.schema import Mode, SettingValue, Values
from core.settings_store.layers import SettingLayers
from core.strategies.base import Strategy
from core.strategies.registry import find_strategy
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.provenance import message_entry, message_from_entry
from tests.core.strategies.strategy_running import ScriptedSummariser
from tests.golden.llxprt import CS_STRATEGIES, Case, answer_of

KEYS = {
    "strategy": schema.STRATEGY,
    "compressionThreshold": schema.THRESHOLD,
    "preserveThreshold": schema.PRESERVE,
    "topPreserveThreshold": schema.TOP_PRESERVE,
    "densityCompressHeadroom": schema.HEADROOM,
    "compressionProfile": schema.PROFILE,
    "readWritePruning": schema.READ_WRITE,
    "fileDedupe": schema.FILE_DEDUPE,
    "recencyPruning": schema.RECENCY,
    "recencyRetention": schema.RETENTION,
    "contextLimit": schema.LIMIT,
}
DEFAULT_LIMIT = 1000
EVENTS: dict[type, str] = {
    history_store.DensityStarted: "density-run",
    history_store.DensityApplied: "density-applied",
    history_store.CompressionStarted: "compress-start",
    history_store.SummaryRequested: "llm",
    history_store.CompressionEnded: "compress-end",
}


def tokens_of(message: Message) -> int:
    """The store's own estimate: characters of each block's text by four, rounded up."""
    return sum(
        -(-(len(text.encode("utf-16-le", "surrogatepass")) // 2) // 4)
        for text in _texts(message)
    )


def _texts(message: Message) -> list[str]:
    return [text for block in message.blocks if (text := _text(block)).strip()]


def _text(block: Block) -> str:
    match block:
        case Text() | Thinking():
            return block.text
        case Code():
            return block.code
        case Media():
            return block.caption
        case ToolCall():
            return _json({"name": block.name, "parameters": block.arguments})
        case ToolResponse():
            if isinstance(block.result, str):
                return block.result
            error = block.extra.get("error", block.error)
            return (
                error if isinstance(error, str) and error else _json(block.result or "")
            )
    return ""


def _json(value: Any) -> str:
    return json.dumps(
        value, ensure_ascii=False, separators=(",", ":"), default=lambda missing: None
    )


class OrchestrationSummariser(ScriptedSummariser):
    """Answers as the case says; entries may be added while it does."""

    def __init__(self, given: Case) -> None:
        super().__init__(answer_of({"llmResponse": "SUMMARY", **given}))
        self._entries = given.get("addsDuringLLM") or ()
        self.session: AgentSession | None = None

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        for entry in self._entries:
            assert self.session is not None
            self.session.add(message_from_entry(entry))
        return super().summarise(request)


@dataclass
class SessionDriver:
    given: Case
    settings: dict[str, Any]
    session: AgentSession
    event_names: list[str] = field(default_factory=list)

    def listen(self, event: history_store.EngineEvent) -> None:
        name = EVENTS.get(type(event))
        if name:
            self.event_names.append(name)

    def step(self, step: Case) -> None:
        session = self.session
        match step["op"]:
            case "add":
                for entry in step.get("entries") or [step["entry"]]:
                    session.add(message_from_entry(entry))
            case "setBase":
                session.store.base = int(_value(step))
            case "setLastPrompt":
                session.report(_value(step))
            case "setSetting":
                self.settings.update(_changed(step))
                session.values = values(self.settings)
            case "beforeSend":
                session.before_send(step.get("pending", 0))
            case "enforce":
                session.enforce(
                    step.get("pending", 0), self.settings.get("maxOutputTokens")
                )
            case "compress":
                session.compress()
            case op:
                raise AssertionError(f"unknown step {op}")


def _value(step: Case) -> Any:
    return step.get("n", step.get("value"))


def _changed(step: Case) -> Case:
    """The settings that a step changes: a key with its value, or an object of such."""
    if isinstance(step.get("settings"), dict):
        return dict(step["settings"])
    name = step.get("key") or step.get("name") or step.get("setting")
    if isinstance(name, str):
        return {name: step.get("value", step.get("n"))}
    return {key: value for key, value in step.items() if key != "op"}


def values(settings: Case) -> Values:
    """Settings as the oracle's accessors take them: unchecked, null and absent meaning the
    default."""
    given: dict[str, SettingValue] = {
        schema.MODE: Mode.REFERENCE.value,
        schema.LIMIT: DEFAULT_LIMIT,
    }
    given |= {
        KEYS[name]: value
        for name, value in settings.items()
        if name in KEYS and value is not None
    }
    retention = given.get(schema.RETENTION, 1)
    if not (isinstance(retention, int | float) and math.isfinite(retention)):
        del given[schema.RETENTION]
    return SettingLayers(given).resolve()


def _find(variant: str) -> Any:
    def find(name: str) -> Strategy:
        if variant == "cs" and name not in CS_STRATEGIES:
            raise UnknownStrategyError(f"There is no strategy {name!r} in {variant}.")
        return find_strategy(name)

    return find


def _todos(given: Case, settings: Case) -> Any:
    def todos(messages: Sequence[Message]) -> str:
        if given.get("todosError"):
            raise RuntimeError("todos")
        return settings.get("activeTodos") or ""

    return todos


def _drive(history: list[Any], given: Case) -> SessionDriver:
    settings = dict(given.get("settings") or {})
    variant, oracle = given["variant"], OrchestrationSummariser(given)
    around = SessionEnvironment(
        count=tokens_of,
        summariser=oracle.choose,
        prompt=lambda name: "prompt",
        todos=_todos(given, settings),
        strategy_lookup=_find(variant),
        variant=variant,
    )
    heard: list[str] = []
    drive = SessionDriver(
        given,
        settings,
        AgentSession(values(settings), around, lambda event: drive.listen(event)),
        heard,
    )
    oracle.session = drive.session
    for entry in history:
        drive.session.add(message_from_entry(entry))
    return drive


def run_orchestration(history: list[Any], given: Case, output: Case) -> Case:
    drive = _drive(history, given)
    expected = output.get("steps") or []
    steps = [
        _stepped(drive, step, wanted)
        for step, wanted in zip(given["steps"], expected, strict=True)
    ]
    return {
        "steps": steps,
        "newHistory": [message_entry(message) for message in drive.session.store.raw],
    }


def _stepped(drive: SessionDriver, step: Case, wanted: Case) -> Case:
    drive.event_names.clear()
    answer: Case = {"op": step["op"]}
    try:
        drive.step(step)
    except StrategyError as error:
        answer["error"] = _error(error)
        if isinstance(wanted.get("error"), dict):
            wanted["error"].pop("message", None)  # sentences are not compared
    store = drive.session.store
    answer |= {
        "events": list(drive.event_names),
        "historyLength": len(store.raw),
        "totalTokens": store.total,
    }
    return answer | ({"dirty": drive.session.dirty} if "dirty" in wanted else {})


def _error(error: StrategyError) -> Case:
    if error.code == OVERFLOW:
        return {"name": "Error"}
    unknown = isinstance(error, UnknownStrategyError)
    return {
        "name": "UnknownStrategyError" if unknown else "CompressionExecutionError",
        "code": error.code,
    }


HANDLERS = {"orchestration": run_orchestration}
