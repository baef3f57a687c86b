"""``foldline convert``: the same transcript in another format, or a report on it."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.arguments import (
    CommonOptions,
    add_force,
    add_redact,
    add_transcript,
    common_options,
    message_indices,
    parser_for,
    refuse_options,
)
from core.cli.opened_conversation import OpenedConversation
from core.cli.opened_transcript import make_preview, note_unused_options, open_conversation, print_warnings
from core.cli.output.save import save_output
from core.common.atomic_file import output_file_name
from core.common.errors import InputError
from core.export.export import EXPORTERS, find_exporter
from core.formats.writing.base import Exporter, ExportInput
from core.reports.report_input import export_input
from core.transcript.provenance import expand_messages, restorable_places
from core.transcript.scopes import ALL, History, history_of_scope

ABOUT = "Write a transcript in another format, or a report on it; nothing is compacted."
_UNUSED_OPTIONS = ("-s", "--set", "--profile", "--model", "--summary-file")
"""Options that change a report but no transcript."""


def run(arguments: Sequence[str]) -> int:
    parser = parser_for("convert", ABOUT)
    add_transcript(parser)
    names = ", ".join(exporter.name for exporter in EXPORTERS)
    parser.add_argument("--to", required=True, metavar="FORMAT", help=names)
    parser.add_argument(
        "-o",
        "--out",
        type=output_file_name,
        default="-",
        metavar="OUT",
        help="- is standard output, the default",
    )
    parser.add_argument(
        "--put-back",
        default="",
        metavar="MESSAGES",
        help="of an export with provenance: messages of its source that stand there again, 12,40-44 or all",
    )
    add_redact(parser)
    add_force(parser)
    parsed = parser.parse_args(arguments)
    exporter, options = find_exporter(parsed.to), common_options(parsed)
    _check(exporter, options, parsed.put_back)
    opened = open_conversation(options)
    print_warnings(opened)
    if not exporter.is_report:
        note_unused_options(
            options, _UNUSED_OPTIONS, "a transcript is written as it is; foldline compact -o compacts it."
        )
    content = _export_input(opened, exporter, parsed.put_back)
    save_output(opened, content, parsed.out, exporter.name, redact=parsed.redact, force=parsed.force)
    return 0


def _check(exporter: Exporter, options: CommonOptions, restored_text: str) -> None:
    if exporter.is_report:
        refuse_options(
            (("--put-back", restored_text),), "is for transcripts, and this is a report", "Leave it out."
        )
    if restored_text and options.scope != ALL:
        raise InputError("--put-back is for the whole session.", "Leave --scope out.")


def _history(opened: OpenedConversation, restored_text: str) -> History:
    """Return the history to write, with restored messages of its former source."""
    conversation = opened.conversation
    if not restored_text:
        return history_of_scope(conversation, opened.options.scope)
    restorable = restorable_places(conversation)
    indices = (
        None
        if restored_text == ALL
        else message_indices(restored_text, max(restorable, default=0) + 1, "--put-back")
    )
    messages = expand_messages(conversation, indices)
    return History(ALL, messages, (-1,) * len(messages))


def _export_input(opened: OpenedConversation, exporter: Exporter, restored_text: str) -> ExportInput:
    """Return the transcript as it is; for a report, a preview without any model call."""
    if exporter.is_report:
        return export_input(
            make_preview(opened, calls=False), result=True, format_reason=opened.format_reason
        )
    return ExportInput(opened.conversation, _history(opened, restored_text))
