"""Shapes of single records as data; recognizes known formats without a reader, to refuse them by name.

A shape is a text of conditions separated by blanks; a record has the shape if all of them hold:

==============  ==================================================================================
``a.b``         the field ``b`` of the object in field ``a`` is there
``a=x|y``       the field is the text ``x`` or ``y``; ``x*`` is any text that begins with ``x``
``!a``          the field is not there
==============  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import partial
from typing import NamedTuple

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_parsing import JsonRecord


class _Condition(NamedTuple):
    """A condition of a shape; ``texts`` are whole, ``starts`` beginnings; any value if both are empty."""

    path: tuple[str, ...]
    texts: tuple[str, ...]
    starts: tuple[str, ...]
    is_absent: bool

    def holds(self, record: Mapping[str, Json]) -> bool:
        value: Json = record.get(self.path[0], MISSING)
        for name in self.path[1:]:
            value = value.get(name, MISSING) if isinstance(value, dict) else MISSING
        if value is MISSING or self.is_absent or not (self.texts or self.starts):
            return (value is MISSING) is self.is_absent
        return isinstance(value, str) and (value in self.texts or value.startswith(self.starts))


class RecordShapes:
    """Several shapes, for records that have any of them."""

    def __init__(self, *shapes: str) -> None:
        self._shapes = [[_parse_condition(part) for part in shape.split()] for shape in shapes]

    def match(self, record: Json) -> bool:
        if type(record) is dict:
            for shape in self._shapes:
                for condition in shape:
                    if not condition.holds(record):
                        break
                else:
                    return True
        return False


def _parse_condition(text: str) -> _Condition:
    path, _, values = text.removeprefix("!").partition("=")
    texts = tuple(value for value in values.split("|") if value and not value.endswith("*"))
    starts = tuple(value[:-1] for value in values.split("|") if value.endswith("*"))
    return _Condition(tuple(path.split(".")), texts, starts, text.startswith("!"))


UNSUPPORTED_SHAPES: Mapping[str, RecordShapes] = {
    "a Zed thread": RecordShapes("User.content", "Agent.content"),
    "a Posit Assistant session": RecordShapes("id message.providerOptions", "schemaVersion root messages"),
    "a QwenPaw session": RecordShapes("agent.memory.content"),
    "a file of an opencode storage folder": RecordShapes("sessionID role !info", "messageID sessionID type"),
    "an OpenTelemetry trace": RecordShapes("resourceSpans", "resource_spans"),
    "OpenClaw telemetry": RecordShapes("traceSchema traceId"),
    "a DeepSeek export": RecordShapes("mapping inserted_at"),
    "Gemini CLI's log of prompts, which has no answers": RecordShapes("sessionId messageId type message"),
    "a stream of the Claude Agent SDK": RecordShapes(
        "type=system subtype session_id",
        "type=user|assistant message session_id !sessionId !isSidechain",
        "type=result subtype session_id",
        "type=stream_event event session_id",
    ),
    "tau2 results": RecordShapes(
        "simulations tasks", "simulations info", "task_id reward_info termination_reason"
    ),
    "a Letta agent file": RecordShapes("agents blocks tools"),
    "an LHAR log": RecordShapes("lhar", "lhar_version"),
}
"""Record shapes by the name used in the error. No supported format has such records."""

_TABLES: Sequence[tuple[str, frozenset[str]]] = (("an Antigravity database", frozenset({"steps.step_type"})),)
"""Columns that identify a database."""

_FIRST_WORDS: Mapping[bytes, str] = {b"# aider chat started at ": "a chat history of aider"}


class UnreadableKindError(InputError):
    def __init__(self, name: str, kind: str) -> None:
        super().__init__(
            f"{name} looks like {kind}, which Foldline does not read yet.",
            "Choose another file; --format forces a reader.",
        )


def unsupported_kind(records: Sequence[Json], *, is_majority_needed: bool = True) -> str:
    """Return the unsupported kind of at least half of the records (with ``is_majority_needed`` False: of
    any), else ""."""
    counts = {kind: sum(map(shapes.match, records)) for kind, shapes in UNSUPPORTED_SHAPES.items()}
    kind = max(counts, key=counts.__getitem__)
    return kind if counts[kind] and (not is_majority_needed or 2 * counts[kind] >= len(records)) else ""


def unsupported_database_kind(columns: Set[str]) -> str:
    """Return the kind of a database by its columns, "" for any other."""
    return next((kind for kind, required_columns in _TABLES if required_columns <= columns), "")


def unsupported_text_kind(head: bytes) -> str:
    """Return the kind of a text that is not JSON by its first words, "" for any other."""
    start = head.lstrip()
    return next((kind for words, kind in _FIRST_WORDS.items() if start.startswith(words)), "")


_ITEM_FORMATS = "openai_responses codex_rollout"
_CHAT_FORMATS = f"openai_chat anthropic_messages goose cline_session mini_swe_agent tau_bench {_ITEM_FORMATS}"
_CODEX_TYPES = "session_meta|response_item|event_msg|turn_context|compacted|world_state"
_PI_COMPACTION = "type=compaction firstKeptEntryId"
_OBSERVATION = "observation extras source"
_MESSAGE_ITEM = "type=message role content"
_CALL_ITEM = "type=function_call|function_call_output call_id"

_SHAPES: tuple[tuple[tuple[str, ...], str, RecordShapes], ...] = tuple(
    (tuple(formats.split()), name, RecordShapes(*shapes))
    for formats, name, *shapes in (
        ("claude_code", "Claude Code", "uuid parentUuid", "type=user|assistant message !role"),
        ("codex_rollout", "Codex", f"type={_CODEX_TYPES} payload"),
        ("pi_agent", "Pi", "type=session id cwd", "type=message message.role", _PI_COMPACTION),
        ("copilot_cli", "Copilot CLI", "type=session.*|assistant.*|user.*|tool.*|hook.* data timestamp"),
        ("gemini_cli", "Gemini CLI", "sessionId projectHash", "type=gemini content", "$set", "$rewindTo"),
        ("qwen_code", "Qwen Code", "uuid message.parts", "uuid systemPayload"),
        (
            "kimi",
            "Kimi",
            "type=metadata protocol_version",
            "type=turn.*|context.*|llm.*|usage.*|tools.*|permission.*|plan_mode.*|full_compaction.* time",
            "type=config.update !data",
            "role=_system_prompt|_checkpoint|_usage",
            "timestamp message.type=TurnBegin|StepBegin|ContentPart|ToolCall|ToolResult|StatusUpdate",
        ),
        (
            "droid",
            "Factory Droid",
            "type=session_start id cwd",
            "type=session_start id sessionTitle",
            "type=compaction_state",
            "type=message message.role",
            "type=system|message|tool_call|tool_result|completion session_id timestamp !uuid !message",
            "type=system|message|tool_call|tool_result|completion sessionId timestamp !uuid !message",
        ),
        ("cursor", "Cursor", "role message.content !type", "type=turn_ended status"),
        ("antigravity", "Antigravity", "step_index source type status"),
        (
            "grok_build",
            "Grok Build",
            "type=user content prompt_index",
            "type=user content synthetic_reason",
            "type=assistant content model_id",
            "type=assistant content tool_calls",
            "type=tool_result tool_call_id",
            "type=backend_tool_call kind",
        ),
        (
            "kiro",
            "Kiro",
            "conversation_id history",
            "kind=Prompt|AssistantMessage|ToolResults data",
        ),
        ("amp", "Amp", "id=T-* messages created"),
        ("continue_dev", "Continue", "sessionId workspaceDirectory history"),
        (
            "vscode_chat",
            "VS Code",
            "requests responderUsername",
            "requests requesterUsername",
            "kind v !type !source",
        ),
        ("chatgpt", "ChatGPT", "mapping current_node !inserted_at", "mapping create_time !inserted_at"),
        ("claude_ai", "Claude.ai", "uuid chat_messages"),
        ("llxprt", "llxprt-code", "type seq payload", "speaker blocks"),
        ("openhands", "OpenHands", "kind source timestamp", "action args source", _OBSERVATION),
        ("sharegpt", "ShareGPT", "from value", "conversations"),
        ("langchain", "LangChain", "lc kwargs", "type=human|ai|tool|system data.content"),
        ("cline_ui", "Cline's window", "ts type=say say", "ts type=ask ask"),
        (
            _ITEM_FORMATS,
            "OpenAI Responses",
            _CALL_ITEM,
            "type=message role content",
            "type=reasoning summary",
        ),
        ("gemini ai_sdk", "Gemini", "role parts"),
        (_CHAT_FORMATS, "OpenAI chat", "role content !type", "role tool_calls !type"),
    )
)
"""Formats that have such records, the name of the records, and their shapes."""


def format_shapes(format: str) -> RecordShapes:
    """Return the shapes of a format's records."""
    return next(shapes for formats, _, shapes in _SHAPES if format in formats)


def record_kind(records: Sequence[Json]) -> str:
    """Return the name of the first format whose shape one of these records has; "" if there is none."""
    return next((name for _, name, shapes in _SHAPES if any(map(shapes.match, records))), "")


def without_foreign_records(
    records: Iterable[JsonRecord], format: str, notes: ImportNotes
) -> Iterable[JsonRecord]:
    """Return the records of a format; foreign ones are counted as skipped, with a warning."""
    own_shapes = [shapes for formats, _, shapes in _SHAPES if format in formats]
    if not own_shapes:
        return records
    foreign_shapes_by_name = {name: shapes for formats, name, shapes in _SHAPES if format not in formats}
    foreign_shapes_by_name |= UNSUPPORTED_SHAPES
    return filter(partial(_belongs_to_format, own_shapes, foreign_shapes_by_name, notes), records)


def _belongs_to_format(
    own_shapes: Iterable[RecordShapes],
    foreign_shapes_by_name: Mapping[str, RecordShapes],
    notes: ImportNotes,
    record: JsonRecord,
) -> bool:
    value: Json = record.value
    if any(shapes.match(value) for shapes in own_shapes):
        return True
    name = next((name for name, shapes in foreign_shapes_by_name.items() if shapes.match(value)), "")
    if name:
        notes.warn(record.line, f"a record of another format ({name}); it was skipped")
        notes.skip(f"record of another format ({name})", line=record.line)
    return not name
