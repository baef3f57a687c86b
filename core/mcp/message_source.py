"""Messages of a call, from a transcript file or from the arguments; results in the same shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orjson

from core.app.services.export import check_export, save_export
from core.cli.active_settings import active_settings
from core.cli.arguments import CommonOptions
from core.cli.opened_transcript import OpenedConversation, open_conversation, opened_conversation
from core.common.atomic_file import TargetExistsError
from core.common.errors import InputError
from core.common.json_value import Json
from core.export.export import ExportedFile
from core.formats.common.document import open_text
from core.formats.common.format import ReadRequest
from core.formats.common.open_document import STDIN, utf8_document
from core.formats.registry import read_opened
from core.formats.writing.export_messages import ExportInput
from core.presentation.dialog_model import ExportRequest
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


def check_arguments(tool: str, schema: Mapping[str, Json], arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Return the arguments without those that are null. Raises InputError that names tool and argument."""
    properties = schema["properties"]
    for name in arguments:
        if name not in properties:
            raise InputError(f"{tool} has no argument {name!r}.", f"Arguments: {', '.join(properties)}.")
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
    is_allowed = any(isinstance(value, _TYPES[type_name][0]) for type_name in type_names)
    if not is_allowed or (isinstance(value, bool) and "boolean" not in type_names):
        words = " or ".join(_TYPES[type_name][1] for type_name in type_names)
        raise InputError(f"{tool}: {name} must be {words}.", f"Correct {name}.")


_OPTIONS = ("strategy", "profile", "model", "format", "scope", "conversation", "branch")
"""Arguments that are options of the command line by the same name."""
IN_MEMORY = "messages"
"""The document name of messages that were passed in."""

SOURCE_ARGUMENTS: Mapping[str, Json] = {
    "path": argument("string", "A transcript file. Either this or messages."),
    "messages": {
        "type": ["array", "object"],
        "items": {"type": "object"},
        "description": (
            "The messages themselves instead of a file, as the API has them (OpenAI chat, Anthropic, "
            "Responses, Gemini, llxprt): the list, or the object around it with its system prompt."
        ),
    },
    "format": argument("string", "Force a reader; by default the content decides."),
    "scope": argument("string", "all (default), current or before:N."),
    "conversation": argument("integer", "Which conversation of the file, from 1."),
    "branch": argument("integer", "Which way through a session that forks, from 1."),
    "model": argument("string", "The model for context limit and tokenizer."),
}
"""Arguments of every tool that reads messages."""

RUN_ARGUMENTS: Mapping[str, Json] = {
    "strategy": argument("string", "The strategy; by default the one of the settings."),
    "settings": argument("object", 'Settings for this call by key, as {"context-limit": 200000}.'),
    "profile": argument("string", "The profile whose model writes summaries; by default offline."),
    "pay": argument("boolean", "Agrees to a paid call. Without it one is refused, and its price is named."),
}
"""Arguments of the tools that run a strategy."""

OUTPUT_ARGUMENTS: Mapping[str, Json] = {
    "out": argument(
        "string",
        "A new file for the result in the folder of --write-to; no other file is written over.",
    ),
    "to": argument("string", "The format of the result; by default that of the source."),
    "force": argument(
        "boolean", "Hand the result over even if it would not open again with the same messages."
    ),
}
"""Arguments of the tools that have a result."""


def open_source(arguments: Mapping[str, Json], strategy: str = "") -> OpenedConversation:
    """Read what the arguments name, with their settings; ``strategy`` overrides theirs. Raises InputError.

    No user is asked about a paid call: it needs ``pay``.
    """
    if ("path" in arguments) == ("messages" in arguments):
        raise InputError("Either path or messages is needed.", "Give one of the two.")
    settings = tuple(
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in arguments.get("settings", {}).items()
    )
    given = {name: arguments[name] for name in _OPTIONS if name in arguments}
    options = CommonOptions(
        **{"file": arguments.get("path", STDIN), **given},
        settings=settings,
        focus=arguments.get("focus", "").strip(),
        yes=arguments.get("pay", False),
        quiet=True,
        can_ask=False,
    )
    options.strategy = strategy or options.strategy
    if "messages" in arguments:
        return _open_messages(options, arguments["messages"])
    if options.file == STDIN:
        raise InputError("Standard input carries the protocol.", "Name a file, or pass the messages.")
    return open_conversation(options)


def _open_messages(options: CommonOptions, messages: Json) -> OpenedConversation:
    document = utf8_document(SourceDocument(IN_MEMORY, None, orjson.dumps(messages)))
    opened = open_text(document)
    request = ReadRequest(options.conversation, options.branch)
    loaded = read_opened(opened, request, format=options.format)
    return opened_conversation(loaded, options, active_settings(options))


def export_request(opened: OpenedConversation, arguments: Mapping[str, Json]) -> ExportRequest | None:
    """Return how the result is delivered, without a path for messages that were passed in; None if it is not.

    Raises InputError where it could not be, before a summary is paid for.
    """
    target = arguments.get("out", "")
    if not target and "messages" not in arguments:
        if "to" in arguments:
            raise InputError("to needs a place to write to.", "Name a file with out.")
        return None
    format_name = arguments.get("to") or opened.reader.name
    request = ExportRequest(target, format_name, force=arguments.get("force", False))
    try:
        check_export(request, opened.conversation.document.path)
    except TargetExistsError as error:
        raise InputError(error.message, "Choose another name.") from None
    return request


def deliver_result(
    opened: OpenedConversation, content: ExportInput, arguments: Mapping[str, Json]
) -> dict[str, Json]:
    """Return the result in the format of its source or of ``to``: written to ``out``, else, of messages that
    were passed in, as ``messages``. ``notes`` are the exporter's. Raises InputError."""
    if (request := export_request(opened, arguments)) is None:
        return {}
    exported = save_export(content, request)
    result = {"written": request.path} if request.path else {"messages": _exported_value(exported)}
    return {**result, "notes": list(exported.warnings)}


def _exported_value(exported: ExportedFile) -> Json:
    """Return the export as a value; as text where it is no JSON."""
    try:
        return orjson.loads(exported.data)
    except ValueError:
        return exported.data.decode("utf-8", "replace")
