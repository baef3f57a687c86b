"""Compaction by hand: an agent opens messages, compacts them with hybrid's four tools, takes the
result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import orjson

from core.app.services.export import check_export, save_export, written_words
from core.cli.active_settings import active_settings
from core.cli.arguments import CommonOptions
from core.cli.make_preview import make_preview
from core.cli.opened_transcript import (
    OpenedConversation,
    open_conversation,
    opened_conversation,
)
from core.cli.output import json_output
from core.common.atomic_file import mode_of_source
from core.common.confined_path import ConfinedPath
from core.common.errors import InputError
from core.common.json_value import Json
from core.export.export import ExportedFile
from core.formats.common.document import open_text
from core.formats.common.format import ReadRequest
from core.formats.common.open_document import STDIN, utf8_document
from core.formats.registry import read_opened
from core.formats.writing.exporter import ExportInput
from core.mcp.folders import OutputFolder
from core.presentation.dialog_model import ExportRequest
from core.preview.options import Preview
from core.preview.strategy_input import StageResults, compose_compaction
from core.reports.report_data import export_input
from core.settings.schema import HYBRID_PROTECTED
from core.strategies import hybrid
from core.strategies.base import StrategyContext
from core.strategies.draft import finish_compaction
from core.strategies.helpers import single_fate
from core.strategies.hybrid_agent import call_agent_tool, initial_agent_state
from core.strategies.hybrid_state import HybridAgentState
from core.strategies.tracker import track_history
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import SourceDocument

_TYPES: Mapping[str, tuple[type, str]] = {
    "string": (str, "a text"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
    "array": (list, "a list"),
    "object": (dict, "an object"),
}


def argument(type_name: str, description: str) -> dict[str, Json]:
    return {"type": type_name, "description": description}


def object_schema(properties: Mapping[str, Json], *required: str) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def check_arguments(
    tool: str, schema: Mapping[str, Json], arguments: Mapping[str, Json]
) -> dict[str, Json]:
    """Return the arguments without those that are null. Raises InputError that names tool and
    argument."""
    properties = schema["properties"]
    for name in arguments:
        if name not in properties:
            raise InputError(
                f"{tool} has no argument {name!r}.",
                f"Arguments: {', '.join(properties)}.",
            )
    values = {name: value for name, value in arguments.items() if value is not None}
    for name in schema["required"]:
        if name not in values:
            about = str(properties[name].get("description", ""))
            raise InputError(f"{tool} needs the argument {name}.", about)
    for name, value in values.items():
        _check_type(tool, name, value, properties[name]["type"])
    return values


def _check_type(tool: str, name: str, value: Json, types: str | Sequence[str]) -> None:
    type_names = (types,) if isinstance(types, str) else tuple(types)
    is_allowed = any(
        isinstance(value, _TYPES[type_name][0]) for type_name in type_names
    )
    if not is_allowed or (isinstance(value, bool) and "boolean" not in type_names):
        words = " or ".join(_TYPES[type_name][1] for type_name in type_names)
        raise InputError(f"{tool}: {name} must be {words}.", f"Correct {name}.")


_OPTIONS = ("strategy", "profile", "model", "format", "scope", "conversation", "branch")
"""Arguments that are options of the command line by the same name."""
IN_MEMORY = "messages"
"""The document name of messages that were passed in."""

SOURCE_ARGUMENTS: Mapping[str, Json] = {
    "path": argument(
        "string",
        (
            "A transcript file, in the folder of --read-from if the server has one. Either this "
            "or messages."
        ),
    ),
    "messages": {
        "type": ["array", "object"],
        "items": {"type": "object"},
        "description": (
            "The messages themselves instead of a file, as the API has them (OpenAI chat, Anthropic, "
            "Responses, Gemini, llxprt): the list, or the object around it with its system prompt."
        ),
    },
    "format": argument("string", "Force a reader; by default the content decides."),
    "scope": argument(
        "string",
        (
            "all, current or before:N. By default all; of a session that its agent compacted, "
            "compact and open_compression take current."
        ),
    ),
    "conversation": argument("integer", "Which conversation of the file, from 1."),
    "branch": argument("integer", "Which way through a session that forks, from 1."),
    "model": argument("string", "The model for context limit and tokenizer."),
}
"""Arguments of every tool that reads messages."""

RUN_ARGUMENTS: Mapping[str, Json] = {
    "strategy": argument("string", "The strategy; by default the one of the settings."),
    "settings": argument(
        "object",
        'Settings for this call by key, as {"compression.context-limit": 200000}.',
    ),
    "profile": argument(
        "string", "The profile whose model writes summaries; by default offline."
    ),
    "pay": argument(
        "boolean",
        "Agrees to a paid call. Without it one is refused, and its price is named.",
    ),
}
"""Arguments of the tools that run a strategy."""

OUTPUT_ARGUMENTS: Mapping[str, Json] = {
    "out": argument(
        "string",
        "A new file for the result in the folder of --write-to; no other file is written over.",
    ),
    "to": argument(
        "string", "The format of the result; by default that of the source."
    ),
    "force": argument(
        "boolean",
        "Hand the result over even if it would not open again with the same messages.",
    ),
}
"""Arguments of the tools that have a result."""


def open_source(
    arguments: Mapping[str, Json], strategy: str = "", *, opens_current: bool = False
) -> OpenedConversation:
    """Read what the arguments name, with their settings; ``strategy`` overrides theirs. Raises
    InputError.

    No user is asked about a paid call: it needs ``pay``.
    """
    if ("path" in arguments) == ("messages" in arguments):
        raise InputError("Either path or messages is needed.", "Give one of the two.")
    settings = tuple(
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in arguments.get("settings", {}).items()
    )
    named_options = {name: arguments[name] for name in _OPTIONS if name in arguments}
    options = CommonOptions(
        **{"file": arguments.get("path", STDIN), **named_options},
        settings=settings,
        focus=arguments.get("focus", "").strip(),
        yes=arguments.get("pay", False),
        quiet=True,
        can_ask=False,
    )
    options.strategy = strategy or options.strategy
    options.opens_current = opens_current
    if "messages" in arguments:
        return _open_messages(options, arguments["messages"])
    if "\0" in str(options.file):
        raise InputError(
            f"{options.file!r} is not the name of a file.", "Name a transcript file."
        )
    if str(options.file) == STDIN:
        raise InputError(
            "Standard input carries the protocol.", "Name a file, or pass the messages."
        )
    return open_conversation(options)


def _open_messages(options: CommonOptions, messages: Json) -> OpenedConversation:
    try:
        data = orjson.dumps(messages)
    except (
        TypeError
    ):  # integers above 64 bits and lone surrogates, which orjson refuses
        data = json.dumps(messages).encode()
    transcript = open_text(
        utf8_document(SourceDocument(name=IN_MEMORY, path=None, data=data))
    )
    request = ReadRequest(options.conversation or 1, options.branch)
    loaded = read_opened(transcript, request, format=options.format)
    return opened_conversation(loaded, options, active_settings(options))


def export_request(
    transcript: OpenedConversation,
    arguments: Mapping[str, Json],
    folder: OutputFolder | None,
) -> ExportRequest | None:
    """Return how the result is exported; None if it is not delivered.

    Raises InputError where it could not be, before a summary is paid for.
    """
    target = arguments.get("out")
    if target is None and "messages" not in arguments:
        if "to" in arguments:
            raise InputError(
                '"to" needs a place to write to.', 'Name a file with "out".'
            )
        return None
    request = ExportRequest(
        path="",
        format=arguments.get("to") or transcript.reader.name,
        force=arguments.get("force", False),
    )
    check_export(request, None)
    if target is not None:
        if folder is None:
            raise InputError(
                "This server writes nothing.",
                'Start it as foldline mcp --write-to FOLDER, or leave "out" out.',
            )
        folder.check_new(target)
    return request


def deliver_result(
    transcript: OpenedConversation,
    content: ExportInput,
    arguments: Mapping[str, Json],
    folder: OutputFolder | None,
) -> dict[str, Json]:
    """Return the result in the format of its source or of ``to``: written to ``out``, else, of
    messages that were passed in, as ``messages``. ``notes`` are the exporter's. Raises
    InputError."""
    if (request := export_request(transcript, arguments, folder)) is None:
        return {}
    exported = save_export(content, request)
    target = arguments.get("out")
    if target is not None and folder is not None:
        source = transcript.conversation.document.path
        folder.write_new(target, exported.data, mode_of_source(source))
        notes = list(exported.warnings)
        return {
            "written": target,
            "verdict": written_words(exported)[1],
            "notes": notes,
        }
    return {"messages": _exported_value(exported), "notes": list(exported.warnings)}


def _exported_value(exported: ExportedFile) -> Json:
    """Return the export as a value; as text where it is no JSON."""
    try:
        return orjson.loads(exported.data)
    except ValueError:
        return exported.data.decode("utf-8", "replace")


HANDLE_ARGUMENT: Mapping[str, Json] = {
    "handle": {"type": "string", "description": "As open_compression returned it."}
}
OPEN_SCHEMA = object_schema({**SOURCE_ARGUMENTS, "settings": RUN_ARGUMENTS["settings"]})
CLOSE_SCHEMA = object_schema({**HANDLE_ARGUMENT, **OUTPUT_ARGUMENTS}, "handle")


def with_handle(definition: Json) -> dict[str, Json]:
    """Return the schema of one of hybrid's tools, with a handle of the messages."""
    parameters = definition["parameters"]
    return object_schema(
        {**HANDLE_ARGUMENT, **parameters["properties"]},
        "handle",
        *parameters["required"],
    )


@dataclass(frozen=True, slots=True)
class _ManualCompaction:
    """Messages that are being compacted: how they were opened, and their present state."""

    transcript: OpenedConversation
    arguments: Mapping[str, Json]
    preview: Preview
    context: StrategyContext
    state: HybridAgentState


@dataclass(slots=True)
class ManualCompactions:
    """The compactions that a server's clients have opened and not yet closed."""

    _compactions: dict[str, _ManualCompaction] = field(default_factory=dict)
    _opened_count: int = 0
    folder: OutputFolder | None = None
    """The only folder that results are written to; without it nothing is written."""
    read_from: type[ConfinedPath] | None = None
    """The only folder that transcripts are read from, resolved; without it any file may be
    named."""
    stored: dict[str, str] = field(default_factory=dict)
    """Results that stubs of messages passed in stand for, by handle."""

    def open(self, arguments: Mapping[str, Json]) -> str:
        """Open messages for compaction; returns handle, sizes and target as JSON. Raises
        InputError."""
        session = _open_session(arguments)
        self._opened_count += 1
        handle = f"c{self._opened_count}"
        self._compactions[handle] = session
        return json_output.json_output_text(
            "open_compression", {"handle": handle, **_size_values(session)}
        )

    def call(self, name: str, arguments: Mapping[str, Json]) -> str:
        """Run one of hybrid's tools; returns its answer, InputError where it refuses."""
        handle = str(arguments["handle"])
        session = self._session(handle)
        tool_arguments = {
            key: value for key, value in arguments.items() if key != "handle"
        }
        state, result = call_agent_tool(session.state, name, json.dumps(tool_arguments))
        self._compactions[handle] = replace(session, state=state)
        if not result.success:
            raise InputError(result.answer)
        return result.data

    def close(self, arguments: Mapping[str, Json]) -> str:
        """Return the compacted messages, as a file where ``out`` names one; the handle ends."""
        handle = str(arguments["handle"])
        session = self._session(handle)
        preview = replace(
            session.preview,
            sizes=replace(
                session.preview.sizes,
                message_tokens_after=session.state.tokens,
                is_changed=True,
                unwritten_tokens=0,
            ),
            result=replace(
                session.preview.result,
                compaction=_compaction(session),
                written_messages=(),
            ),
            summary=replace(session.preview.summary, provisional=False),
        )
        result_arguments = {
            **arguments,
            **({"messages": True} if "messages" in session.arguments else {}),
        }
        result_values = deliver_result(
            session.transcript,
            export_input(
                preview,
                result=True,
                format_reason=session.transcript.format_reason,
                stages=session.transcript.stages,
            ),
            result_arguments,
            self.folder,
        )
        del self._compactions[handle]
        return json_output.json_output_text(
            "close_compression", {**_size_values(session), **result_values}
        )

    def _session(self, handle: str) -> _ManualCompaction:
        session = self._compactions.get(handle)
        if session is None:
            open_handles = ", ".join(self._compactions) or "none"
            raise InputError(
                f"There is no open compaction {handle!r}.",
                f"The open ones are: {open_handles}.",
            )
        return session


def _open_session(arguments: Mapping[str, Json]) -> _ManualCompaction:
    transcript = open_source(arguments, strategy=hybrid.NAME, opens_current=True)
    preview = make_preview(transcript, provisional=True)
    target = preview.result.compaction.target
    if target is None:
        no_op = preview.result.compaction.no_op
        raise InputError(
            "There is nothing to compact." if no_op is None else no_op.reason
        )
    context = preview.context
    messages = context.history
    protected = hybrid.protected_messages(
        messages, preview.source.values.integer(HYBRID_PROTECTED)
    )
    state = initial_agent_state(
        context,
        track_history(messages),
        target - context.hidden,
        protected,
        hybrid.STRATEGY,
    )
    return _ManualCompaction(transcript, arguments, preview, context, state)


def _compaction(session: _ManualCompaction) -> Compaction:
    kept_fate = single_fate(FateKind.KEPT, "agent", "The agent left it as it was.")
    agent_compaction = finish_compaction(
        session.context,
        session.state.draft,
        hybrid.NAME,
        {},
        kept_fate,
        llm_call_made=False,
    )
    return compose_compaction(
        StageResults(session.preview.messages, None, session.preview.result.inputs),
        agent_compaction,
    )


def _size_values(session: _ManualCompaction) -> dict[str, Json]:
    state, overhead = session.state, session.context.hidden
    return {
        "before": {
            "messages": len(session.preview.messages),
            "tokens": session.preview.sizes.before_tokens,
        },
        "after": {"messages": len(state.messages), "tokens": state.tokens + overhead},
        "target": state.target + overhead,
        "reached": state.tokens <= state.target,
    }
