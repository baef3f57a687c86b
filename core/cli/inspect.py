"""The commands ``inspect``, ``facts`` and ``lint``: what a transcript holds before anything is done to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.cli.arguments import add_text, parse_options, transcript_parser
from core.cli.make_preview import make_preview
from core.cli.opened_transcript import (
    OpenedConversation,
    head_json,
    note_unread_settings,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output.console import ConsoleProgress, aligned_table, print_lines, print_note
from core.cli.output.inspect_text import HistoryStatistics, history_statistics, inspect_report, scope_warnings
from core.cli.output.json_output import fields, findings_json, run_json, split_json, write_json
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.lint.lint import PROVIDERS, find_provider, lint_verdict
from core.llm.request_size import RequestSizing
from core.presentation.preview_wording import note_texts, warning_texts
from core.preview.options import Preview
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import RecordedCompaction
from core.transcript.scopes import scopes

if TYPE_CHECKING:
    from core.analysis.fidelity.fact_rows import FactRow
    from core.app.services.analysis import TranscriptFindings

INSPECT = "Format, messages, tokens by kind, pairs, recorded compactions, split and lint of a transcript."


def run_inspect(arguments: Sequence[str]) -> None:
    """Exit code 0, also where lint found errors."""
    options = parse_options(transcript_parser("inspect", INSPECT), arguments)
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
    recorded = zip(conversation.recorded, statistics.recorded, strict=True)
    calls = [{"index": index, "id": id_, "kind": "call"} for index, id_ in preview.pairs.unanswered]
    responses = [{"index": index, "id": id_, "kind": "response"} for index, id_ in preview.pairs.orphans]
    return {
        **fields(opened, "file=conversation.document.name format=reader.name detected=format_reason"),
        **fields(conversation, "conversations=siblings conversation=number conversation_list=listed"),
        **fields(conversation, "branch branches"),
        "scope": preview.history.scope,
        "scopes": scopes(conversation),
        "model": run["model"],
        "limit": run["limit"],
        "trigger": preview.trigger_tokens,
        "context": {"tokens": statistics.context, "reported": conversation.reported_context},
        "calibration": _calibration(preview.sizing),
        "messages": len(preview.messages),
        **fields(statistics, "messages_by_speaker"),
        "tokens": {
            "total": preview.before_tokens,
            **fields(statistics, "by_speaker=tokens_by_speaker by_block=tokens_by_block"),
            "system": preview.system_tokens,
            "method": run["method"],
        },
        **fields(statistics, "tool_calls=calls tool_responses=responses"),
        "unanswered_calls": len(calls),
        "orphan_responses": len(responses),
        "unpaired": [*calls, *responses],
        "recorded_compactions": [_compaction(*pair) for pair in recorded],
        "strategy": preview.strategy.name,
        "split": split_json(preview.compaction.split),
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


_KEYS = "category text weight first last lines resolved=is_resolved"
_MAX_TEXT = 100  # characters of a fact in the table
FACTS = "The facts that a compaction may lose: rules, decisions, errors, files, values; the list of Losses."


def run_facts(arguments: Sequence[str]) -> None:
    """Exit code 0, also without any fact."""
    from core.app.services.analysis import TranscriptService  # late: inspect needs no facts

    options = parse_options(transcript_parser("facts", FACTS), arguments)
    opened = open_conversation(options)
    unused = ("-s", "--set", "--profile", "--summary-file", "--model")
    note_unused_options(options, unused, "facts compacts nothing.")
    with ConsoleProgress(options) as opened.progress:
        rows = TranscriptService(opened).facts()
    if options.json:
        head = head_json(opened, options.scope)
        write_json("facts", head | {"facts": [fields(row, _KEYS) for row in rows]})
        return
    print_warnings(opened)
    head_line = f"{opened.conversation.document.name} · {number_format.plural(len(rows), 'known fact')}"
    print_lines([head_line, *aligned_table(list(map(_fact_cells, rows)), (1, 2))])


def _fact_cells(row: FactRow) -> tuple[str, ...]:
    places = number_format.message_number(row.first)
    if row.last != row.first:
        places += f" {number_format.message_number(row.last)}"
    return row.category.value, f"{row.weight:g}", places, one_line_text(row.text, _MAX_TEXT)


LINT = "Check a transcript against the rules of an API. Exit code 1: it has errors."


def run_lint(arguments: Sequence[str]) -> int:
    """Return 0 without errors, 1 with errors."""
    from core.app.services.analysis import TranscriptService  # late: inspect needs no facts

    parser = transcript_parser("lint", LINT)
    names = ", ".join(provider.name for provider in PROVIDERS)
    add_text(parser, "--provider", "NAME", f"{names}; by default from format and model")
    options = parse_options(parser, arguments)
    if options.provider:
        find_provider(options.provider)
    opened = open_conversation(options)
    note_unused_options(options, ("-s", "--set", "--profile", "--summary-file"), "lint compacts nothing.")
    note_unused_options(options, ("--model",), "the rules are those of an API, which --provider names.")
    report = TranscriptService(opened).lint(options.provider)
    if options.json:
        write_json("lint", lint_json(opened, report))
    else:
        print_warnings(opened)
        print_lines(_lint_report(opened.conversation.document.name, report))
    return int(report.has_errors)


def lint_json(opened: OpenedConversation, report: TranscriptFindings) -> dict[str, Json]:
    return {
        **head_json(opened, opened.options.scope),
        **fields(report, "provider messages"),
        **findings_json(report.findings),
        "notes": warning_texts(opened.conversation),
    }


def _lint_report(name: str, report: TranscriptFindings) -> list[str]:
    findings, verdict = report.findings, lint_verdict(report.findings, report.provider)
    head = f"{name} · {number_format.plural(report.messages, 'message')} · {verdict}"
    places = [number_format.message_number(one.index) if one.index >= 0 else "" for one in findings]
    rows = [
        (finding.severity, place, f"{finding.text} [{finding.rule}]")
        for finding, place in zip(findings, places, strict=True)
    ]
    return [head, *aligned_table(rows, (1,))]
