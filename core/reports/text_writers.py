"""Writes a transcript as Markdown, and the messages of a preview as CSV."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from core.common.csv_text import csv_bytes, escape_formula
from core.common.excerpts import one_line_text
from core.common.json_value import MISSING, Json
from core.common.number_format import context_compacted, plural, size_change
from core.formats.writing.exporter import (
    Exporter,
    ExporterOutput,
    ExportGroup,
    ExportInput,
    ExportLosses,
    ExportOptions,
    OutputShape,
)
from core.formats.writing.plain_text import code_fence, code_text, result_as_text
from core.presentation.lists.row_texts import message_kind
from core.presentation.message_body import body_blocks
from core.presentation.model import KINDS
from core.presentation.preview_columns import PreviewColumns, preview_columns
from core.reports.report_data import (
    ReportInput,
    ReportRedactor,
    redactor_for,
    report_input,
    report_losses,
)
from core.transcript.compaction import FateStep
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_SPEAKER_WORDS = {
    "human": "Human",
    "ai": "AI",
    "tool": "Tool",
    "system": "System",
    "unknown": "Unknown",
}


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return a heading and the blocks of each message, numbered from 1 as in the window."""
    losses = ExportLosses("Markdown")
    parts = [
        f"# {export_input.conversation.document.name or 'Conversation'}",
        _fact_line(export_input),
    ]
    parts.append(_losses_quote(export_input))
    for number, text in enumerate(export_input.conversation.system.texts, 1):
        if number == 1:
            title = "System prompt"
        else:
            title = f"System prompt, part {number}"
        parts += [f"## {title}", text.strip()]
    marks = _compaction_marks(export_input)
    for index, message in enumerate(export_input.messages):
        if index in marks:
            parts.append(marks[index])
        parts.append(_heading(export_input, index, message))
        parts += (
            text for block in message.blocks if (text := _block_markdown(block, losses))
        )
    data = "\n\n".join(part for part in parts if part) + "\n"
    warnings = (*losses.warnings(), *_loading_warnings(parts))
    return ExporterOutput(data.encode("utf-8", "replace"), OutputShape.TEXT, warnings)


_FENCED = re.compile(r"^(`{3,})[^`\n]*\n.*?^\1`*[ \t]*$", re.MULTILINE | re.DOTALL)
_LOADING = re.compile(
    r"!\[[^\]\n]{0,1000}\]\([ \t]{0,10}<?(?:https?:)?//"
    r"|<(?:img|script|iframe|object|embed|link|style|video|audio|source|form|svg|base|meta)\b",
    re.IGNORECASE,
)


def _loading_warnings(parts: Iterable[str]) -> Iterator[str]:
    """Yield a warning of HTML and images of other hosts that a viewer may load: texts stay as they
    are."""
    count = sum(
        len(_LOADING.findall(_FENCED.sub("", part)))
        for part in parts
        if "](" in part or "<" in part
    )
    if count:
        found = plural(count, "image or HTML element", "images or HTML elements")
        yield f"Kept as written: {found} that a viewer of Markdown may load from other hosts."


def _fact_line(export_input: ExportInput) -> str:
    facts = [
        export_input.conversation.model,
        f"{len(export_input.messages):,} messages",
    ]
    if export_input.compaction is not None:
        strategy_name = export_input.compaction.metadata.strategy_used
        facts.append(f"of {len(export_input.history.messages):,}, {strategy_name}")
    return " · ".join(fact for fact in facts if fact)


def _losses_quote(export_input: ExportInput) -> str:
    """Return what the report says of the losses, apart from the conversation; "" without a
    result."""
    if not isinstance(export_input, ReportInput) or export_input.compaction is None:
        return ""
    losses = report_losses(export_input.preview, export_input.stages)
    return "\n>\n".join(
        f"> {said}" for said in (f"**{losses.heading}**", *losses.sentences)
    )


def _compaction_marks(export_input: ExportInput) -> dict[int, str]:
    """Mark the compaction before the first inserted message, else after the first gap."""
    compaction = export_input.compaction
    if compaction is None or compaction.no_op is not None:
        return {}
    before, after = export_input.tokens_before, export_input.tokens_after
    line = context_compacted(
        "" if before is None or after is None else size_change(before, after)
    )
    if compaction.inserted:
        return {min(compaction.inserted): line}
    expected = 0
    for index, origins in enumerate(compaction.origins):
        if origins and origins[0] != expected:
            return {index: line}
        if origins:
            expected = origins[-1] + 1
    return {}


def _heading(export_input: ExportInput, index: int, message: Message) -> str:
    word = _SPEAKER_WORDS[message.speaker.value]
    heading = f"## #{index + 1} {word}"
    if export_input.compaction is None:
        return heading
    if index in export_input.compaction.inserted:
        return f"{heading} (inserted)"
    origins = export_input.compaction.origins[index]
    if origins and origins[0] != index:
        return f"{heading} (was #{origins[0] + 1})"
    return heading


def _block_markdown(block: Block, losses: ExportLosses) -> str:
    match block:
        case Text():
            return block.text.strip()
        case ToolCall():
            return (
                f"**Call** `{block.name}` "
                f"`{block.id}`\n\n{code_fence(_json_text(block.arguments), 'json')}"
            )
        case ToolResponse():
            word = "Result" if block.error is MISSING else "Failed result"
            name_note = f" of `{block.name}`" if block.name else ""
            return f"**{word}**{name_note} `{block.call_id}`\n\n{code_fence(result_as_text(block))}"
        case Thinking():
            thought = block.text
            lines = thought.strip().splitlines()
            return (
                "\n".join(
                    ["> *Thinking*", ">", *(f"> {line}".rstrip() for line in lines)]
                )
                if lines
                else ""
            )
        case Code():
            return code_text(block)
        case Media():
            label = block.caption or block.mime or "media"
            if block.data.startswith(("http://", "https://")):
                return f"[{label}]({block.data})"  # no image, which a viewer would fetch unasked
            losses.count_left_out(f"data of {block.mime or 'media'}")
            return f"*[{label}, {len(block.data) * 3 // 4:,} bytes]*"
        case Opaque():
            losses.count_left_out(block.kind or "unknown block")
            return f"*[{block.kind or 'unreadable'}]*"


def message_text(message: Message) -> str:
    """Return a message's blocks as Markdown; blocks without text are named."""
    texts = (
        _block_markdown(block, ExportLosses("Markdown")) for block in message.blocks
    )
    return "\n\n".join(text for text in texts if text) + "\n"


def _json_text(value: Json) -> str:
    if isinstance(value, str):
        return value
    if value is MISSING:
        return ""
    return "".join(json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(value))


EXPORTER = Exporter(
    name="markdown",
    short_names=("md",),
    label="Markdown",
    suffix=".md",
    about="The conversation as text with headings, for people to read.",
    write=write,
)


COLUMNS = (
    "index",
    "number",
    "speaker",
    "kind",
    "fate",
    "rule",
    "reason",
    "tokens",
    "tokens_after",
    "went_to",
    "text",
)
TEXT_LENGTH = 200
"""Characters written per message."""

_MAX_READ = 5_000  # characters of a message


def write_csv(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return the table; ``tokens_after`` and ``went_to`` are empty for messages not in the
    result."""
    preview = report_input(export_input).preview
    columns = preview_columns(preview)
    redactor = redactor_for(preview.messages, redact=options.redact)
    data = csv_bytes(COLUMNS, _rows(columns, redactor))
    return ExporterOutput(data, OutputShape.TEXT, secrets=redactor.count)


def _rows(
    columns: PreviewColumns, redactor: ReportRedactor
) -> Iterator[tuple[str | int, ...]]:
    preview = columns.preview
    for index, message in enumerate(preview.messages):
        step: FateStep = preview.result.compaction.fates[index].last
        yield (
            index,
            index + 1,
            message.speaker.value,
            KINDS[message_kind(message)],
            step.kind.value,
            escape_formula(step.rule),
            escape_formula(redactor.text(step.reason)),
            preview.source.counts[index],
            *_result_cells(columns, index),
            escape_formula(_message_excerpt(columns, index, redactor)),
        )


def _result_cells(columns: PreviewColumns, index: int) -> tuple[str | int, str | int]:
    """Return tokens and number of the result message; its tokens count once, with its first
    source."""
    result_index = columns.result_index[index]
    if result_index < 0:
        return "", ""
    return (
        columns.preview.result.after_counts[result_index]
        if columns.origin[result_index] == index
        else 0
    ), result_index + 1


def _message_excerpt(
    columns: PreviewColumns, index: int, redactor: ReportRedactor
) -> str:
    blocks = body_blocks(columns.preview.messages[index], _MAX_READ)
    words = " ".join(
        " ".join(f"{block.title} {block.text}".split()) for block in blocks
    )
    return one_line_text(redactor.text(words, TEXT_LENGTH), TEXT_LENGTH)


CSV_EXPORTER = Exporter(
    name="csv",
    short_names=(),
    label="CSV",
    suffix=".csv",
    about="A table with a row per source message: fate, rule, reason, tokens and its first words.",
    write=write_csv,
    group=ExportGroup.REPORT,
    file_label="messages",
    redacts_by_default=True,
)
