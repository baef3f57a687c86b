"""Prepares a message for the inspector: blocks as text, facts, JSON as in the file."""

from __future__ import annotations

import json

from core.common import excerpts, number_format
from core.common.errors import InputError
from core.common.excerpts import TOO_DEEP
from core.common.json_value import MISSING, Json
from core.common.paths import display_name
from core.formats.common.document import text_length
from core.formats.common.open_document import read_source
from core.presentation.inspector_model import BodyBlock, MessageBody
from core.presentation.lists.row_plan import media_text, opaque_text
from core.presentation.lists.row_texts import response_text
from core.presentation.model import LabelledFigure
from core.presentation.preview_wording import marked_tokens
from core.presentation.why import why_message
from core.preview.options import Preview
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    MessageFlag,
    Opaque,
    ServerTool,
    Source,
    SourceDocument,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import is_failed_result

MAX_BLOCK_LENGTH = 64_000
"""Characters of a block, or of the raw JSON, shown by default."""
MAX_LINE_LENGTH = 4_000
"""Characters shown per line."""

_FLAGS = {
    MessageFlag.META: "written by the harness",
    MessageFlag.COMMAND: "command",
    MessageFlag.API_ERROR: "error of the provider",
    MessageFlag.RECORDED_SUMMARY: "recorded summary",
    MessageFlag.OPAQUE: "holds unreadable content",
    MessageFlag.CONTEXT: "given as context",
}


def message_body(
    preview: Preview, side: str, index: int, *, is_complete: bool = False
) -> MessageBody:
    """Return message ``index`` of the source ("before") or the result ("after"). Blocks are cut at
    ``MAX_BLOCK_LENGTH`` characters unless ``is_complete``. Raises InputError for an unknown
    index."""
    if side == "before":
        messages = preview.messages
    else:
        messages = preview.result.compaction.messages
    if not 0 <= index < len(messages):
        raise InputError(
            f"There is no message #{index + 1} on this side.",
            f"It holds {len(messages):,}.",
        )
    message = messages[index]
    if side == "before":
        counts = preview.source.counts
        speaker = message.speaker
    else:
        counts = preview.result.after_counts
        speaker = preview.after_speakers[index]
    limit = None if is_complete else MAX_BLOCK_LENGTH
    title, raw = _raw(preview, message, side, index)
    if limit is None:
        shown_text = raw
    else:
        shown_text = raw[:limit]
    return MessageBody(
        side=side,
        index=index,
        speaker=speaker.value,
        facts=_facts(preview, message, counts[index]),
        blocks=body_blocks(message, limit),
        raw_title=title,
        raw=capped_lines(shown_text) if limit is not None else shown_text,
        raw_total=len(raw),
        why=why_message(preview, side, index),
    )


def _facts(
    preview: Preview, message: Message, tokens: int
) -> tuple[LabelledFigure, ...]:
    facts = [LabelledFigure("tokens", marked_tokens(preview, tokens))]
    if message.timestamp:
        facts.append(
            LabelledFigure("time", excerpts.one_line_text(message.timestamp, 40))
        )
    if message.id:
        facts.append(LabelledFigure("id", excerpts.one_line_text(message.id, 80)))
    facts += [
        LabelledFigure("kind", text)
        for flag, text in _FLAGS.items()
        if message.flags & flag
    ]
    return tuple(facts)


def body_blocks(message: Message, limit: int | None) -> tuple[BodyBlock, ...]:
    return tuple(_block(block, limit) for block in message.blocks)


def _block(block: Block, limit: int | None) -> BodyBlock:
    match block:
        case Text(text=text):
            return _text_block("text", "", text, limit, mono=False)
        case Thinking(text=text):
            shown = text or "thinking, not in the file"
            return _text_block("thinking", "thinking", shown, limit, mono=False)
        case Code(code=text, language=language):
            return _text_block("code", language or "code", text, limit)
        case ToolCall():
            return _text_block(
                "call",
                _titled(block.name, block.id),
                pretty_json(block.arguments),
                limit,
                name=block.name,
            )
        case ToolResponse():
            title = _titled(block.name, block.call_id)
            text = _result_with_error(block)
            return _text_block(
                "response",
                title,
                text,
                limit,
                error=is_failed_result(block),
                name=block.name,
            )
        case Media():
            size = number_format.size(text_length(block.data) * 3 // 4)
            return _text_block(
                "media",
                f"{media_text(block)} · {size}",
                block.caption,
                limit,
                mono=False,
            )
        case ServerTool():
            return _server_tool(block, limit)
        case Opaque():
            return _text_block(
                "opaque", opaque_text(block), pretty_json(block.raw), limit
            )


def _server_tool(block: ServerTool, limit: int | None) -> BodyBlock:
    words = "\n\n".join(_block(inner, None).text for inner in block.description)
    name = next((part.name for part in block.description if part.name), "")
    return _text_block("call", _titled(name, block.kind), words, limit, name=name)


def _result_with_error(block: ToolResponse) -> str:
    """Return the text of a result, behind its error where the text does not hold that already."""
    text = response_text(block)
    is_structured = (
        not isinstance(block.result, str | list) and block.result is not None
    )
    if is_structured:
        text = pretty_json(block.result) or text
    if block.error is MISSING or not block.error or block.error == block.result:
        return text
    error = excerpts.result_excerpt(block.error)
    if error in text:
        return text
    return f"{error}\n\n{text}".strip()


def _titled(name: str, id_: str) -> str:
    return " · ".join(
        filter(
            None,
            (
                excerpts.one_line_text(name, _MAX_NAME),
                excerpts.one_line_text(id_, _MAX_NAME),
            ),
        )
    )


def _text_block(
    kind: str,
    title: str,
    text: str,
    limit: int | None,
    *,
    mono: bool = True,
    error: bool = False,
    name: str = "",
) -> BodyBlock:
    if limit is None:
        shown = text
    else:
        shown = text[:limit]
    return BodyBlock(
        kind=kind,
        title=title,
        text=displayable_text(capped_lines(shown)),
        displayed_length=len(shown),
        total=len(text),
        mono=mono,
        error=error,
        name=excerpts.one_line_text(name, _MAX_NAME),
    )


_MAX_NAME = 80
"""Characters of a tool's name, and of the id of its call, in the title of a block."""


def capped_lines(text: str) -> str:
    """Cut lines of more than ``LINE`` characters, so that layout stays fast."""
    if len(text) <= MAX_LINE_LENGTH:
        return text
    return "\n".join(
        line if len(line) <= MAX_LINE_LENGTH else f"{line[:MAX_LINE_LENGTH]}…"
        for line in text.split("\n")
    )


def displayable_text(text: str) -> str:
    """Return text for a widget: invisible and direction-changing characters become marks."""
    return excerpts.visible_text(excerpts.with_whole_characters(text))


def pretty_json(value: Json) -> str:
    """Return indented JSON; strings are unchanged, an absent value is empty."""
    if value is MISSING:
        return ""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    except RecursionError:
        return TOO_DEEP


def _raw(preview: Preview, message: Message, side: str, index: int) -> tuple[str, str]:
    """Return title and text of a message's records; inserted messages have none."""
    if side == "after" and (
        index in preview.result.compaction.inserted
        or not preview.result.compaction.origins[index]
    ):
        return "written by this compaction", ""
    document = preview.source.conversation.document
    records = list(
        {(source.start, source.end): source for source in message.sources}.values()
    )
    if not records:
        return display_name(document.name), ""
    title = f"{display_name(document.name)}:{records[0].line}"
    if len(records) > 1:
        title += f" and {number_format.plural(len(records) - 1, 'more line')}"
    try:
        return title, "\n\n".join(_record(document, record) for record in records)
    except InputError as error:
        return title, f"{error.message} {error.hint}"


def _record(document: SourceDocument, source: Source) -> str:
    text = read_source(document, source).decode("utf-8", "replace")
    try:
        return displayable_text(pretty_json(json.loads(text)))
    except (ValueError, RecursionError):
        return displayable_text(text)
