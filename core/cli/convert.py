"""``foldline convert``: the same transcript in another format, or a report on it; how a result is
saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.app.services.export import (
    check_export,
    save_export,
    written_words,
    wrote_text,
)
from core.cli.arguments import (
    COMPACTION_OPTIONS,
    CommandParser,
    CommonOptions,
    add_export_options,
    add_text,
    parse_options,
    refuse_options,
    transcript_parser,
)
from core.cli.make_preview import make_preview
from core.cli.opened_transcript import (
    OpenedConversation,
    message_indices,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output import console
from core.common.atomic_file import TargetExistsError, output_file_name
from core.common.errors import InputError
from core.export.checked_saving import with_sizes
from core.export.export import EXPORTERS, find_exporter
from core.formats.writing.exporter import Exporter, ExportInput
from core.presentation.dialog_model import ExportRequest
from core.reports.report_data import export_input
from core.transcript.provenance import expand_messages, restorable_indices
from core.transcript.scopes import ALL, History, history_of_scope

ABOUT = "Write a transcript in another format, or a report on it; nothing is compacted."
_UNUSED_OPTIONS = (*COMPACTION_OPTIONS, "--model")
"""Options that change a report but no transcript."""
_UNUSED_REASON = "a transcript is written as it is; foldline compact -o compacts it."


def command_parser() -> CommandParser:
    parser = transcript_parser("convert", ABOUT, json=False)
    names = ", ".join(exporter.name for exporter in EXPORTERS)
    parser.add_argument("--to", required=True, metavar="FORMAT", help=names)
    about = "- is standard output, the default"
    parser.add_argument(
        "-o", "--out", type=output_file_name, default="-", metavar="OUT", help=about
    )
    about = (
        "of an export with provenance: messages of its source that stand there again, 12,40-44 "
        "or all"
    )
    add_text(parser, "--put-back", "MESSAGES", about)
    add_export_options(parser.rare)
    parser.set_defaults(append_boundary=False, provenance=False)
    return parser


def run(arguments: Sequence[str]) -> None:
    options = parse_options(command_parser(), arguments)
    exporter = find_exporter(options.to)
    _check(exporter, options)
    transcript = open_conversation(options)
    print_warnings(transcript)
    if not exporter.is_report:
        note_unused_options(options, _UNUSED_OPTIONS, _UNUSED_REASON)
    save_output(transcript, _export_input(transcript, exporter))


def _check(exporter: Exporter, options: CommonOptions) -> None:
    restored = ("--put-back", options.put_back)
    if exporter.is_report:
        refuse_options(
            (restored,),
            "works for transcripts, and --to names a report",
            "Leave it out.",
        )
    if options.put_back and options.scope not in ("", ALL):
        raise InputError(
            "--put-back works on the whole session only.", "Leave --scope out."
        )


def _history(transcript: OpenedConversation) -> History:
    """Return the history to write, with restored messages of its former source."""
    conversation, text = transcript.conversation, transcript.options.put_back
    if not text:
        return history_of_scope(conversation, transcript.scope)
    count = max(restorable_indices(conversation), default=0) + 1
    if text == ALL:
        indices = None
    else:
        indices = message_indices(text, count, "--put-back")
    messages = expand_messages(conversation, indices)
    return History(ALL, messages, (-1,) * len(messages))


def _export_input(transcript: OpenedConversation, exporter: Exporter) -> ExportInput:
    """Return the transcript as it is; for a report, a preview without any model call."""
    if exporter.is_report:
        preview = make_preview(transcript, calls=False)
        return export_input(
            preview, result=True, format_reason=transcript.format_reason
        )
    content = ExportInput(
        conversation=transcript.conversation, history=_history(transcript)
    )
    is_copy = content.is_from_format(exporter.name) and content.is_whole_source
    if is_copy:
        return content
    return with_sizes(content)


def export_request(transcript: OpenedConversation) -> ExportRequest:
    """Return the export to ``--out`` ("-" is standard output), in the source's format unless
    ``--to`` names one. Raises InputError for what could not be saved, before anything is counted or
    paid for."""
    options = transcript.options
    request = ExportRequest(
        path="" if options.out == "-" else options.out,
        format=options.to or transcript.reader.name,
        overwrite=options.yes or console.can_ask(),  # asks when it is saved
        redact=options.redact,
        append=options.append_boundary,
        provenance=options.provenance,
        force=options.force,
    )
    try:
        check_export(request, transcript.conversation.document.path)
    except TargetExistsError as error:
        raise InputError(error.message, console.REPLACE_HINT) from None
    return request


def save_output(
    transcript: OpenedConversation, content: ExportInput, printed: Sequence[str] = ()
) -> tuple[str, ...]:
    """Export as the options ask, and return the exporter's warnings; those not yet ``printed`` are
    printed.

    Raises InputError; never replaces the source, another file only with ``--yes`` or a yes on the
    terminal. The result is read back first, except with ``--force`` (core.export.checked_saving).
    """
    options = transcript.options
    request = export_request(transcript)
    is_replaced = request.path and not options.yes and Path(request.path).exists()
    if is_replaced and not console.ask_yes_no(
        f"{request.path} exists already. Replace it?"
    ):
        raise InputError(f"{request.path} was left as it is.", "Choose another name.")
    with console.ConsoleProgress(options) as progress:
        exported = save_export(content, request, progress)
    if request.path:
        messages, verdict = written_words(exported)
        if exported.exporter.is_report:
            what = exported.exporter.label
        else:
            what = messages
        text = wrote_text(options.out, what, len(exported.data), verdict)
        console.print_note(options, text)
    else:
        console.write_bytes(exported.data)
    for text in (one for one in exported.warnings if one not in printed):
        console.print_note(options, f"warning: {text}")
    return exported.warnings
