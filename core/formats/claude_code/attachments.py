"""Attachment rows of a Claude Code session: the words that they gave to the model.

A prompt that was typed while the agent worked is the person's. What memory files, opened files,
hooks and reminders say is context. A row without words for the model is bookkeeping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from core.common.json_value import Json
from core.formats.anthropic.blocks import read_content
from core.formats.common.json_access import coerce_text, fields_of, nested, string_of
from core.formats.common.messages import ImportNotes
from core.transcript.model import Block, Media, MessageFlag, Text

ATTACHMENT = "attachment"
_QUEUED = "queued_command"
_BOOKKEEPING = (
    *("deferred_tools_delta", "agent_listing_delta", "skill_listing", "command_permissions"),
    *(
        "hook_system_message",
        "hook_non_blocking_error",
        "hook_cancelled",
        "hook_permission_decision",
    ),
    *("structured_output", "already_read_file", "compact_file_reference", "opened_file_in_ide"),
)
"""Kinds that are for the person or the harness, or that name something without its words."""
_WORD_FIELDS = (
    *("prompt", "content", "text", "snippet", "addedBlocks", "planContent", "skills", "memories"),
    *(
        "message",
        "messages",
        "contents",
        "file",
        "files",
        "diagnostics",
        "subject",
        "description",
        "banner",
    ),
    *("blockingError", "response", "hookSpecificOutput", "additionalContext", "systemMessage"),
)
_PATH_FIELDS = ("path", "filename", "planFilePath")
_MAX_LEVELS = 6


class AttachmentWords(NamedTuple):
    blocks: tuple[Block, ...]
    flags: MessageFlag
    extra: Mapping[str, Json] = {}


def attachment_kind(line: Mapping[str, Json]) -> str:
    """Return the kind of an attachment row as the import report names it."""
    kind = string_of(nested(line, ATTACHMENT, "type"))
    return f"{ATTACHMENT}: {kind}" if kind else ATTACHMENT


def read_attachment(
    line: Mapping[str, Json], notes: ImportNotes, number: int
) -> AttachmentWords | None:
    """Return what an attachment row told the model; None for bookkeeping."""
    attachment = fields_of(line.get(ATTACHMENT))
    kind = string_of(attachment.get("type"))
    if kind in _BOOKKEEPING:
        return None
    if kind == _QUEUED:
        blocks, extra = read_content({"content": attachment.get("prompt")}, notes, number)
        flags = (
            MessageFlag.NONE if _is_typed(attachment) else MessageFlag.META | MessageFlag.CONTEXT
        )
        return AttachmentWords(blocks, flags, extra) if blocks else None
    words = "\n\n".join(_words(attachment, 0)).strip()
    found = [*([Text(_with_path(attachment, words))] if words else ()), *_media(attachment)]
    return AttachmentWords(tuple(found), MessageFlag.META | MessageFlag.CONTEXT) if found else None


def _is_typed(attachment: Mapping[str, Json]) -> bool:
    mode, origin = (
        string_of(attachment.get("commandMode")),
        string_of(nested(attachment, "origin", "kind")),
    )
    return (
        attachment.get("isMeta") is not True and mode in ("", "prompt") and origin in ("", "human")
    )


def _words(value: Json, level: int) -> Iterator[str]:
    """Yield the texts of an attachment in the order of its fields; of a task with its status in
    front."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, list) and level < _MAX_LEVELS:
        for item in value:
            yield from _words(item, level + 1)
    elif isinstance(value, dict) and level < _MAX_LEVELS:
        status = string_of(value.get("status"))
        for name in _WORD_FIELDS:
            for text in _words(value.get(name), level + 1):
                yield f"[{status}] {text}" if status else text
                status = ""


def _with_path(attachment: Mapping[str, Json], words: str) -> str:
    paths = (coerce_text(attachment.get(name)) for name in _PATH_FIELDS)
    path = next(filter(None, paths), "")
    return f"Contents of {path}:\n\n{words}" if path else words


def _media(attachment: Mapping[str, Json]) -> Iterator[Media]:
    """Yield the image or document of a file."""
    file = fields_of(nested(attachment, "content", "file"))
    if data := string_of(file.get("base64")):
        is_pdf = nested(attachment, "content", "type") == "pdf"
        yield Media(
            "application/pdf" if is_pdf else string_of(file.get("type")) or "image/png", data
        )
