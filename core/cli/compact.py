"""``foldline compact``: run a strategy, print a report or write the result."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from core.analysis.fidelity.decay import DecayRound
from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.summary_check.preview_summaries import linked_summary, summary_findings, summary_parts
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_compaction_options,
    add_force,
    add_redact,
    common_options,
    message_indices,
    refuse_options,
    transcript_parser,
)
from core.cli.opened_conversation import OpenedConversation
from core.cli.opened_transcript import (
    make_preview,
    note_unread_settings,
    note_unused_summary,
    open_conversation,
    print_warnings,
)
from core.cli.output import json_output
from core.cli.output.compact_text import compact_report
from core.cli.output.console import print_error, print_lines, print_note
from core.cli.output.costs import cost_json
from core.cli.output.decay import decay_count, decay_json, decay_lines, decay_of_preview
from core.cli.output.fidelity import fidelity_json
from core.cli.output.json_values import (
    fates_json,
    findings_json,
    head_json,
    result_messages_json,
    settings_json,
    sizes_json,
    split_json,
)
from core.cli.output.save import check_output_path, save_output
from core.cli.output.summary_check import check_json, check_notes, links_json
from core.common.atomic_file import output_file_name
from core.common.errors import CompactionFailed, InputError
from core.common.json_value import Json
from core.export.export import find_exporter
from core.presentation.opened_file import warning_texts
from core.preview.options import Preview
from core.preview.preview import with_restored
from core.reports.report_input import export_input
from core.tokens.counter import counter_for
from core.transcript.compaction import NoOpCode, TierOutcome
from core.transcript.scopes import history_of_scope

ABOUT = "Compact a transcript with a strategy: a table, or with -o the transcript itself."


def run(arguments: Sequence[str]) -> int:
    """Return 0, also for a no-op; 3 where a model failed and nothing was compacted."""
    parsed = _parser().parse_args(arguments)
    options = common_options(parsed)
    _check(parsed, options)
    calls = not (parsed.to and find_exporter(parsed.to).needs_no_model)
    opened = open_conversation(options)
    print_warnings(opened)
    note_unread_settings(opened)
    restored = _restored_messages(opened, parsed)
    to = find_exporter(parsed.to).name if parsed.to else ""
    preview = _with_restored(opened, make_preview(opened, calls=calls, to=to), restored)
    _print_no_op(options, preview)
    note_unused_summary(opened, preview)
    saved = _save(opened, preview, parsed) if parsed.out else ()
    rounds = decay_of_preview(opened, preview, decay_count(parsed.decay))
    if options.json:
        json_output.write_json("compact", compact_json(opened, preview, saved, rounds))
    elif not parsed.out:
        print_lines([*compact_report(opened, preview), *decay_lines(preview, rounds)])
    no_op = preview.compaction.no_op
    return CompactionFailed.exit_code if no_op and no_op.code is NoOpCode.SUMMARY_FAILED else 0


def _save(opened: OpenedConversation, preview: Preview, parsed: argparse.Namespace) -> tuple[str, ...]:
    """Check the summary, write the result, print the findings; returns the exporter's warnings."""
    findings = summary_findings(preview, opened.stages)
    saved = save_output(
        opened,
        export_input(preview, result=True, format_reason=opened.format_reason),
        parsed.out,
        parsed.to,
        append_boundary=parsed.append_boundary,
        provenance=parsed.provenance,
        redact=parsed.redact,
        force=parsed.force,
    )
    for text in check_notes(findings):
        print_note(opened.options, text)
    return saved


def _parser() -> CommandParser:
    parser = transcript_parser("compact", ABOUT)
    _add_output(parser)
    add_compaction_options(parser)
    parser.add_argument(
        "--decay", default="", metavar="N", help="compact the result again, N times in all: what is left then"
    )
    parser.add_argument(
        "--put-back",
        default="",
        metavar="MESSAGES",
        help="messages of the source that stand in the result as they were: 12,40-44",
    )
    return parser


def _add_output(parser: CommandParser) -> None:
    parser.add_argument(
        "-o", "--out", type=output_file_name, metavar="OUT", help="write the result; - is standard output"
    )
    parser.add_argument(
        "--to", default="", metavar="FORMAT", help="its format; that of the source by default"
    )
    parser.add_argument(
        "--append-boundary",
        action="store_true",
        help="Claude Code, Codex, Pi, OpenHands: append the compaction to the source",
    )
    parser.add_argument(
        "--provenance",
        action="store_true",
        help="llxprt: write with each message what it was, so that it can be put back later",
    )
    add_redact(parser)
    add_force(parser)


def _check(parsed: argparse.Namespace, options: CommonOptions) -> None:
    if decay_count(parsed.decay) and parsed.out and not options.json:
        raise InputError("--decay has nowhere to be shown beside -o.", "Add --json, or leave out -o.")
    if parsed.out == "-" and options.json:
        raise InputError("-o - and --json both write to standard output.", "Name a file with -o.")
    if not parsed.out:
        output_options = (
            ("--to", parsed.to),
            ("--append-boundary", parsed.append_boundary),
            ("--provenance", parsed.provenance),
            ("--redact", parsed.redact),
            ("--no-redact", parsed.redact is False),
            ("--force", parsed.force),
        )
        refuse_options(
            output_options, "needs a place to write to", "Add -o FILE, or -o - for standard output."
        )


def _restored_messages(opened: OpenedConversation, parsed: argparse.Namespace) -> frozenset[int]:
    """Return the messages of ``--put-back``; InputError before a summary is paid for."""
    if parsed.out:
        check_output_path(
            opened,
            parsed.out,
            parsed.to,
            append_boundary=parsed.append_boundary,
            provenance=parsed.provenance,
        )
    if not parsed.put_back:
        return frozenset()
    count = len(history_of_scope(opened.conversation, opened.options.scope).messages)
    return message_indices(parsed.put_back, count, "--put-back")


def _with_restored(opened: OpenedConversation, preview: Preview, indices: frozenset[int]) -> Preview:
    if not indices:
        return preview
    model = preview.window.model
    counter = opened.stages.get_or_compute("counter", model, lambda: counter_for(model))
    return with_restored(preview, indices, preview.sizing.counter(counter))


def _print_no_op(options: CommonOptions, preview: Preview) -> None:
    if preview.compaction.no_op is not None:
        print_error(f"Nothing was compacted. {preview.compaction.no_op.reason}")
    for text in dict.fromkeys((*preview.warnings, *preview.compaction.warnings)):
        print_note(options, f"warning: {text}")


def compact_json(
    opened: OpenedConversation, preview: Preview, saved: tuple[str, ...], rounds: tuple[DecayRound, ...] = ()
) -> dict[str, Json]:
    """Return the keys of ``compact --json``; ``saved`` are the export's warnings, ``rounds`` those of
    --decay."""
    warnings = (*warning_texts(opened.conversation), *preview.warnings, *preview.compaction.warnings, *saved)
    return {
        **head_json(opened, preview.history.scope),
        **_request_json(preview),
        **_outcome_json(preview),
        "summary": _summary(opened, preview),
        "summary_check": check_json(summary_findings(preview, opened.stages)),
        **_run_details_json(preview),
        "lint": {
            lint.provider: {"before": findings_json(lint.before), "after": findings_json(lint.after)}
            for lint in preview.lint
        },
        "fidelity": fidelity_json(fidelity_of(preview, opened.stages)),
        "decay": decay_json(rounds),
        "cost": cost_json(preview),
        "warnings": list(dict.fromkeys(warnings)),
        "fates": fates_json(preview),
        "result": result_messages_json(preview),
    }


def _request_json(preview: Preview) -> dict[str, Json]:
    return {
        "strategy": preview.strategy.name,
        "mode": preview.mode.value,
        "model": preview.window.model or None,
        "limit": {"tokens": preview.window.limit, "source": preview.window.source},
        "trigger": preview.trigger_tokens,
        "target": preview.compaction.target,
        "method": {"mark": preview.count_method.mark, "label": preview.count_method.label},
        "settings": settings_json(preview.values),
    }


def _outcome_json(preview: Preview) -> dict[str, Json]:
    compaction = preview.compaction
    no_op = compaction.no_op
    return {
        **sizes_json(preview),
        "no_op": no_op.reason if no_op else None,
        "no_op_code": no_op.code.value if no_op else None,
        "metadata": asdict(compaction.metadata),
        "split": split_json(compaction.split),
    }


def _run_details_json(preview: Preview) -> dict[str, Json]:
    compaction = preview.compaction
    return {
        "density": asdict(compaction.density) if compaction.density else None,
        "stats": asdict(compaction.stats) if compaction.stats else None,
        "tiers": _tiers(compaction.tiers),
        "calls": _calls(preview),
        "fixes": list(compaction.fixes),
    }


def _tiers(tiers: Sequence[TierOutcome]) -> Json:
    """Return each tier that ran: tokens after it, the source messages that it changed, why it did nothing."""
    if not tiers:
        return None
    return [{**asdict(tier), "messages": list(tier.messages)} for tier in tiers]


def _summary(opened: OpenedConversation, preview: Preview) -> Json:
    summary = preview.compaction.summary
    if summary is None:
        return None
    tokens = sum(preview.after_counts[index] for index in sorted(preview.compaction.inserted)[:1])
    parts = summary_parts(preview)[:1]
    return {
        "text": summary.text,
        "sections": list(summary.sections),
        "profile": summary.profile,
        "model": summary.model,
        "tokens": tokens,
        "links": links_json(linked_summary(preview, parts[0].place, opened.stages)) if parts else None,
    }


def _calls(preview: Preview) -> list[Json]:
    return [
        {
            "profile": call.profile,
            "model": call.model,
            "purpose": call.purpose,
            "tokens": {"input": call.input_tokens, "output": call.output_tokens},
            "retries": call.retries,
            "ladder": list(call.reductions),
            "agent_steps": [asdict(step) for step in call.agent_steps],
            "steps": list(call.steps),
            "cost": call.cost,
            "seconds": round(call.seconds, 3),
        }
        for call in preview.compaction.calls
    ]
