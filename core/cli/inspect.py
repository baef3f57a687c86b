"""``foldline inspect``: messages, tokens, tools and recorded compactions of a transcript as it
is."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli import late
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_flag,
    parse_options,
    transcript_parser,
)
from core.cli.make_preview import make_preview
from core.cli.opened_transcript import (
    OpenedConversation,
    note_unread_settings,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output.console import print_lines, print_note
from core.cli.output.inspect_text import (
    HistoryStatistics,
    explained_compactions,
    history_statistics,
    inspect_report,
    scope_warnings,
)
from core.cli.output.json_output import findings_json, run_json, split_json, write_json
from core.cli.several_files import each_file
from core.common.json_value import Json
from core.llm.request_size import RequestSizing
from core.presentation.paid_words import paid_json
from core.presentation.preview_wording import note_texts, warning_texts
from core.preview.options import Preview
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import RecordedCompaction
from core.transcript.scopes import scopes

ABOUT = "Format, messages, tokens by kind, pairs, recorded compactions, split and lint of a transcript."


def command_parser() -> CommandParser:
    parser = transcript_parser("inspect", ABOUT, many_files=True)
    add_flag(parser, "--facts", "list its facts: your messages, errors, files, names")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Exit code 0, also where lint found errors; 2 where one of several files cannot be read."""
    return each_file(parse_options(command_parser(), arguments), _inspect_file)


def _inspect_file(options: CommonOptions) -> int:
    transcript = open_conversation(options)
    note_unread_settings(transcript)
    note_unused_options(options, ("--summary-file",), "inspect writes no summary.")
    preview = make_preview(transcript, provisional=True)
    statistics = history_statistics(transcript, preview)
    if options.json:
        write_json("inspect", inspect_json(transcript, preview, statistics))
        return 0
    print_warnings(transcript)
    for text in scope_warnings(preview):
        print_note(options, f"warning: {text}")
    print_lines(inspect_report(transcript, preview, statistics))
    return 0


def _explained(transcript: OpenedConversation) -> dict[int, Json]:
    if not (conversation := transcript.conversation).recorded:
        return {}

    return {
        one.number: late.explained_json(one, conversation)
        for one in explained_compactions(transcript)
    }


def inspect_json(
    transcript: OpenedConversation, preview: Preview, statistics: HistoryStatistics
) -> dict[str, Json]:
    conversation = transcript.conversation
    run = run_json(preview)
    report = conversation.report
    left = _explained(transcript)
    calls = [
        {"index": index, "id": id_, "kind": "call"}
        for index, id_ in preview.source.pairs.unanswered
    ]
    responses = [
        {"index": index, "id": id_, "kind": "response"}
        for index, id_ in preview.source.pairs.orphans
    ]
    return {
        "file": transcript.conversation.document.name,
        "format": transcript.reader.name,
        "detected": transcript.format_reason,
        "conversations": conversation.siblings,
        "conversation": conversation.number,
        "conversation_list": conversation.listed,
        "branch": conversation.branch,
        "branches": conversation.branches,
        "scope": preview.source.history.scope,
        "scopes": scopes(conversation),
        "model": run["model"],
        "limit": run["limit"],
        "trigger": preview.sizes.trigger_tokens,
        "context": {
            "tokens": statistics.context,
            "reported": conversation.reported_context,
        },
        "calibration": _calibration(preview.sizes.sizing),
        "messages": len(preview.messages),
        "messages_by_speaker": statistics.messages_by_speaker,
        "tokens": {
            "total": preview.sizes.message_tokens_before,
            "by_speaker": statistics.tokens_by_speaker,
            "by_block": statistics.tokens_by_block,
            "system": preview.sizes.system_tokens,
            "method": run["method"],
        },
        "tool_calls": statistics.calls,
        "tool_responses": statistics.responses,
        "unanswered_calls": len(calls),
        "orphan_responses": len(responses),
        "unpaired": [*calls, *responses],
        "recorded_compactions": [
            {**_compaction(recorded, measured), "left": left.get(measured.number)}
            for recorded, measured in zip(
                conversation.recorded, statistics.recorded, strict=True
            )
        ],
        "paid": paid_json(statistics.paid),
        "strategy": preview.strategy.name,
        "split": split_json(preview.result.compaction.split),
        "images": statistics.images,
        "lint": {name: findings_json(findings) for name, findings in statistics.lint},
        "warnings": [*warning_texts(conversation), *scope_warnings(preview)],
        "repaired": note_texts(report.repaired),
        "records": report.records,
        "skipped_records": dict(report.skipped),
        "skipped_from": dict(report.skipped_from),
    }


def _calibration(sizing: RequestSizing) -> dict[str, Json]:
    """Return how sizes follow from counts; ``hidden_tokens`` are in the next request but in no
    message."""
    calibration = sizing.calibration
    return {
        "factor": calibration.fit.factor,
        "hidden_tokens": max(0, sizing.hidden) if sizing.is_reported else None,
        "requests": calibration.fit.requests,
        "median_error": calibration.fit.error,
        "segments": [
            {
                "before": segment.requests[0].number,
                "model": segment.model or None,
                "requests": len(segment.requests),
                "factor": segment.fit.factor,
                "hidden_tokens": segment.fit.hidden,
                "median_error": segment.fit.error,
                "dropped": segment.dropped,
            }
            for segment in calibration.segments
        ],
        "source": calibration.source,
    }


def _compaction(
    recorded: RecordedCompaction, measured: MeasuredCompaction
) -> dict[str, Json]:
    growth = context_growth(recorded, measured)
    return {
        "number": measured.number,
        "kind": recorded.kind,
        "position": recorded.boundary,
        "trigger": recorded.trigger or None,
        "tokens_before": recorded.tokens_before,
        "tokens_after": recorded.tokens_after,
        "next_request": measured.next_request,
        "counted_before": measured.tokens_before,
        "counted_after": measured.tokens_after,
        "messages_before": measured.messages_before,
        "messages_after": measured.messages_after,
        "growth": growth,
        "net_negative": None if growth is None else growth >= 0,
        "file_reads": measured.reads,
        "file_reads_again": measured.repeated_reads,
        "reread_tax": measured.reread_share,
        "brought_back": {
            "files": measured.again.files,
            "commands": measured.again.commands,
            "failed_edits": measured.again.edits,
            "tokens": measured.again.tokens,
        },
        "kept": recorded.kept,
        "cleared": recorded.cleared,
        "line": recorded.source.line if recorded.source else None,
    }
