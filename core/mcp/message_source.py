"""Messages of a call, from a transcript file or from the arguments; results in the same shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import orjson

from core.cli.arguments import CommonOptions
from core.cli.chosen_settings import active_settings
from core.cli.opened_conversation import OpenedConversation
from core.cli.opened_transcript import open_conversation
from core.common.atomic_file import TargetExistsError, check_target, checked_name
from core.common.errors import InputError
from core.common.json_value import Json
from core.export.checked_saving import check_spooled, place_export
from core.export.export import ExportedFile, export_history, find_exporter
from core.formats.common.document import open_text
from core.formats.common.format import ReadRequest, ignore_messages, never_stop
from core.formats.common.open_document import STDIN, settled_document
from core.formats.registry import read_opened
from core.formats.writing.base import ExportInput
from core.transcript.model import SourceDocument, no_progress
from core.transcript.scopes import ALL

IN_MEMORY = "messages"
"""The document name of messages that were passed in."""

SOURCE: Mapping[str, Json] = {
    "path": {"type": "string", "description": "A transcript file. Either this or messages."},
    "messages": {
        "type": ["array", "object"],
        "items": {"type": "object"},
        "description": (
            "The messages themselves instead of a file, as the API has them (OpenAI chat, Anthropic, "
            "Responses, Gemini, llxprt): the list, or the object around it with its system prompt."
        ),
    },
    "format": {"type": "string", "description": "Force a reader; by default the content decides."},
    "scope": {"type": "string", "description": "all (default), current or before:N."},
    "conversation": {"type": "integer", "description": "Which conversation of the file, from 1."},
    "branch": {"type": "integer", "description": "Which way through a session that forks, from 1."},
    "model": {"type": "string", "description": "The model for context limit and tokenizer."},
}
"""Arguments of every tool that reads messages."""

CHOICES: Mapping[str, Json] = {
    "strategy": {"type": "string", "description": "The strategy; by default the one of the settings."},
    "settings": {
        "type": "object",
        "description": 'Settings for this call by key, as {"context-limit": 200000}.',
    },
    "profile": {
        "type": "string",
        "description": "The profile whose model writes summaries; by default offline.",
    },
    "pay": {
        "type": "boolean",
        "description": "Agrees to a paid call. Without it one is refused, and its price is named.",
    },
}
"""Arguments of the tools that run a strategy."""

OUT: Mapping[str, Json] = {
    "out": {
        "type": "string",
        "description": "A new file for the result. Nothing is written without it, nor over another file.",
    },
    "to": {"type": "string", "description": "The format of the result; by default that of the source."},
    "force": {
        "type": "boolean",
        "description": "Hand the result over even if it would not open again with the same messages.",
    },
}
"""Arguments of the tools that have a result."""


def open_source(given: Mapping[str, Json], strategy: str = "") -> OpenedConversation:
    """Read what the arguments name, with their settings; ``strategy`` overrides theirs. Raises InputError.

    No user is asked about a paid call: it needs ``pay``.
    """
    if ("path" in given) == ("messages" in given):
        raise InputError("Either path or messages is needed.", "Give one of the two.")
    settings = tuple(f"{key}={_text(value)}" for key, value in given.get("settings", {}).items())
    options = CommonOptions(
        file=given.get("path", STDIN),
        settings=settings,
        strategy=strategy or given.get("strategy", ""),
        profile=given.get("profile", ""),
        model=given.get("model", ""),
        format=given.get("format", ""),
        scope=given.get("scope", ALL),
        conversation=given.get("conversation", 1),
        branch=given.get("branch", 1),
        focus=given.get("focus", "").strip(),
        yes=given.get("pay", False),
        quiet=True,
        can_ask=False,
    )
    if "messages" in given:
        return _passed_in(options, given["messages"])
    if options.file == STDIN:
        raise InputError("Standard input carries the protocol.", "Name a file, or pass the messages.")
    return open_conversation(options)


def _text(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _passed_in(options: CommonOptions, messages: Json) -> OpenedConversation:
    document = settled_document(SourceDocument(IN_MEMORY, None, orjson.dumps(messages)))
    opened = open_text(document)
    request = ReadRequest(options.conversation, options.branch, no_progress, never_stop, ignore_messages)
    conversation, reader, why = read_opened(opened, request, format=options.format)
    chosen = active_settings(options)
    return OpenedConversation(options, conversation, reader, why, chosen.layers.resolve(), chosen.profile)


def check_out(opened: OpenedConversation, arguments: Mapping[str, Json]) -> None:
    """Raise InputError where the result could not be delivered, before a summary is paid for."""
    out, is_passed_in = arguments.get("out", ""), "messages" in arguments
    if "to" in arguments and not (out or is_passed_in):
        raise InputError("to needs a place to write to.", "Name a file with out.")
    if out or is_passed_in:
        find_exporter(_format(opened, arguments))
    if out:
        with _refusing_existing(out):
            check_target(Path(checked_name(out)), overwrite=False, source=opened.conversation.document.path)


def taken_result(
    opened: OpenedConversation, given: ExportInput, arguments: Mapping[str, Json]
) -> dict[str, Json]:
    """Return the result in the format of its source or of ``to``: written to ``out``, else, of messages
    that were passed in, as ``messages``. ``notes`` are the exporter's. Raises InputError."""
    check_out(opened, arguments)
    out = arguments.get("out", "")
    if not out and "messages" not in arguments:
        return {}
    exported, force = export_history(given, _format(opened, arguments)), arguments.get("force", False)
    if not out:
        if not force:
            check_spooled(exported)
        return {"messages": _read_back(exported), "notes": list(exported.warnings)}
    with _refusing_existing(out):
        source = opened.conversation.document.path
        place_export(exported, Path(out), overwrite=False, source=source, force=force)
    return {"written": out, "notes": list(exported.warnings)}


def _format(opened: OpenedConversation, arguments: Mapping[str, Json]) -> str:
    return str(arguments.get("to") or opened.reader.name)


@contextmanager
def _refusing_existing(out: str) -> Iterator[None]:
    """Turn an existing file into an InputError with a way out for an agent."""
    try:
        yield
    except TargetExistsError:
        raise InputError(f"{out} exists already.", "Choose another name.") from None


def _read_back(exported: ExportedFile) -> Json:
    """Return the export as a value; as text where it is no JSON."""
    try:
        return orjson.loads(exported.data)
    except ValueError:
        return exported.data.decode("utf-8", "replace")
