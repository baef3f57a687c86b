"""``foldline inspect``: what a transcript holds, before anything is done to it."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.arguments import parse_options, transcript_parser
from core.cli.make_preview import make_preview
from core.cli.opened_transcript import (
    OpenedConversation,
    note_unread_settings,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output.console import print_lines, print_note
from core.cli.output.inspect_text import HistoryStatistics, history_statistics, inspect_report, scope_warnings
from core.cli.output.json_output import fields, findings_json, run_json, split_json, write_json
from core.cli.output.recorded_text import explained_compactions
from core.common.json_value import Json
from core.llm.request_size import RequestSizing
from core.presentation.preview_wording import note_texts, warning_texts
from core.presentation.recorded_explained import explained_json
from core.preview.options import Preview
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import RecordedCompaction
from core.transcript.scopes import scopes

ABOUT = "Format, messages, tokens by kind, pairs, recorded compactions, split and lint of a transcript."


def run(arguments: Sequence[str]) -> None:
    """Exit code 0, also where lint found errors."""
    options = parse_options(transcript_parser("inspect", ABOUT), arguments)
    opened = open_conversation(options)
    note_unread_settings(opened)
    note_unused_options(options, ("--summary-file",), "inspect writes no summary.")
    preview = make_preview(opened, draft=True)
    statistics = history_statistics(opened, preview)
    if options.json:
        write_json("inspect", inspect_json(opened, preview, statistics))
        return
    print_warnings(opened)
    for text in scope_warnings(preview):
        print_note(options, f"warning: {text}")
    print_lines(inspect_report(opened, preview, statistics))


def inspect_json(
    opened: OpenedConversation, preview: Preview, statistics: HistoryStatistics
) -> dict[str, Json]:
    conversation, run = opened.conversation, run_json(preview)
    report = conversation.report
    left = {one.number: explained_json(one, conversation) for one in explained_compactions(opened)}
    calls = [{"index": index, "id": id_, "kind": "call"} for index, id_ in preview.source.pairs.unanswered]
    responses = [
        {"index": index, "id": id_, "kind": "response"} for index, id_ in preview.source.pairs.orphans
    ]
    return {
        **fields(opened, "file=conversation.document.name format=reader.name detected=format_reason"),
        **fields(conversation, "conversations=siblings conversation=number conversation_list=listed"),
        **fields(conversation, "branch branches"),
        "scope": preview.source.history.scope,
        "scopes": scopes(conversation),
        "model": run["model"],
        "limit": run["limit"],
        "trigger": preview.sizes.trigger_tokens,
        "context": {"tokens": statistics.context, "reported": conversation.reported_context},
        "calibration": _calibration(preview.sizes.sizing),
        "messages": len(preview.messages),
        **fields(statistics, "messages_by_speaker"),
        "tokens": {
            "total": preview.sizes.before_tokens,
            **fields(statistics, "by_speaker=tokens_by_speaker by_block=tokens_by_block"),
            "system": preview.sizes.system_tokens,
            "method": run["method"],
        },
        **fields(statistics, "tool_calls=calls tool_responses=responses"),
        "unanswered_calls": len(calls),
        "orphan_responses": len(responses),
        "unpaired": [*calls, *responses],
        "recorded_compactions": [
            {**_compaction(recorded, measured), "left": left.get(measured.number)}
            for recorded, measured in zip(conversation.recorded, statistics.recorded, strict=True)
        ],
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
    """Return how sizes follow from counts; ``hidden_tokens`` are in the next request but in no message."""
    calibration = sizing.calibration
    return {
        **fields(calibration, "factor=fit.factor"),
        "hidden_tokens": max(0, sizing.hidden) if sizing.is_reported else None,
        **fields(calibration, "requests=fit.requests median_error=fit.error"),
        "segments": [
            {
                "before": segment.requests[0].number,
                **fields(segment, "model?"),
                "requests": len(segment.requests),
                **fields(segment.fit, "factor hidden_tokens=hidden median_error=error"),
                "dropped": segment.dropped,
            }
            for segment in calibration.segments
        ],
        "source": calibration.source,
    }


def _compaction(recorded: RecordedCompaction, measured: MeasuredCompaction) -> dict[str, Json]:
    growth = context_growth(recorded, measured)
    return {
        "number": measured.number,
        **fields(recorded, "kind position trigger? tokens_before tokens_after"),
        **fields(measured, "counted_before=tokens_before counted_after=tokens_after"),
        **fields(measured, "messages_before messages_after"),
        "growth": growth,
        "net_negative": None if growth is None else growth >= 0,
        **fields(measured, "file_reads=reads file_reads_again=repeated_reads reread_tax=reread_share"),
        **fields(recorded, "kept cleared"),
        "line": recorded.source.line if recorded.source else None,
    }
