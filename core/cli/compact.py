"""``foldline compact``: run a strategy, print a report or write the result."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.fidelity.decay import DecayRound
from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.summary_check.preview_summaries import linked_summary, summary_findings, summary_parts
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_compaction_options,
    add_export_options,
    add_flag,
    add_text,
    message_indices,
    parse_options,
    refuse_options,
    transcript_parser,
)
from core.cli.make_preview import make_preview
from core.cli.opened_transcript import (
    OpenedConversation,
    note_unread_settings,
    note_unused_summary,
    open_conversation,
    print_warnings,
)
from core.cli.output import compact_sections as sections
from core.cli.output import json_output
from core.cli.output.compact_text import compact_report
from core.cli.output.console import print_error, print_lines, print_note
from core.cli.output.save import check_output_path, save_output
from core.common.atomic_file import output_file_name
from core.common.errors import CompactionFailed, InputError
from core.common.json_value import Json
from core.export.export import find_exporter
from core.presentation.preview_wording import warning_texts
from core.preview.options import Preview
from core.preview.preview import with_restored
from core.reports.report_input import export_input
from core.tokens.counter import counter_for
from core.transcript.compaction import NoOpCode
from core.transcript.scopes import history_of_scope

ABOUT = "Compact a transcript with a strategy: a table, or with -o the transcript itself."


def run(arguments: Sequence[str]) -> int:
    """Return 0, also for a no-op; 3 where a model failed and nothing was compacted."""
    options = parse_options(_parser(), arguments)
    decay_count = sections.decay_count(options.decay)
    _check(options)
    exporter = find_exporter(options.to) if options.to else None
    opened = open_conversation(options)
    print_warnings(opened)
    note_unread_settings(opened)
    if options.out:
        check_output_path(opened)
    restored = _restored_messages(opened)
    calls, to = not (exporter and exporter.needs_no_model), exporter.name if exporter else ""
    preview = _with_restored(opened, make_preview(opened, calls=calls, to=to), restored)
    _print_no_op(options, preview)
    note_unused_summary(opened, preview)
    saved = _save(opened, preview) if options.out else ()
    rounds = sections.decay_of_preview(opened, preview, decay_count)
    if options.json:
        json_output.write_json("compact", compact_json(opened, preview, saved, rounds))
    elif not options.out:
        print_lines([*compact_report(opened, preview), *sections.decay_lines(preview, rounds)])
    no_op = preview.compaction.no_op
    return CompactionFailed.exit_code if no_op and no_op.code is NoOpCode.SUMMARY_FAILED else 0


def _save(opened: OpenedConversation, preview: Preview) -> tuple[str, ...]:
    """Check the summary, write the result, print the findings; returns the exporter's warnings."""
    findings = summary_findings(preview, opened.stages)
    content = export_input(preview, result=True, format_reason=opened.format_reason)
    saved = save_output(opened, content)
    for text in sections.check_notes(findings):
        print_note(opened.options, text)
    return saved


def _parser() -> CommandParser:
    parser = transcript_parser("compact", ABOUT)
    about = "write the result; - is standard output"
    parser.add_argument("-o", "--out", type=output_file_name, metavar="OUT", help=about)
    add_text(parser, "--to", "FORMAT", "its format; that of the source by default")
    about = "Claude Code, Codex, Pi, OpenHands: append the compaction to the source"
    add_flag(parser, "--append-boundary", about)
    about = "llxprt: write with each message what it was, so that it can be put back later"
    add_flag(parser, "--provenance", about)
    add_export_options(parser)
    add_compaction_options(parser)
    add_text(parser, "--decay", "N", "compact the result again, N times in all: what is left then")
    about = "messages of the source that stand in the result as they were: 12,40-44"
    add_text(parser, "--put-back", "MESSAGES", about)
    return parser


def _check(options: CommonOptions) -> None:
    if options.decay and options.out and not options.json:
        raise InputError("--decay has nowhere to be shown beside -o.", "Add --json, or leave out -o.")
    if options.out == "-" and options.json:
        raise InputError("-o - and --json both write to standard output.", "Name a file with -o.")
    if not options.out:
        output_options = (
            ("--to", options.to),
            ("--append-boundary", options.append_boundary),
            ("--provenance", options.provenance),
            ("--redact", options.redact),
            ("--no-redact", options.redact is False),
            ("--force", options.force),
        )
        way_out = "Add -o FILE, or -o - for standard output."
        refuse_options(output_options, "needs a place to write to", way_out)


def _restored_messages(opened: OpenedConversation) -> frozenset[int]:
    """Return the messages of ``--put-back``; InputError before a summary is paid for."""
    if not opened.options.put_back:
        return frozenset()
    count = len(history_of_scope(opened.conversation, opened.options.scope).messages)
    return message_indices(opened.options.put_back, count, "--put-back")


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
    compaction = preview.compaction
    no_op = compaction.no_op
    warnings = (*warning_texts(opened.conversation), *preview.warnings, *compaction.warnings, *saved)
    run = json_output.run_json(preview)
    return {
        **json_output.head_json(opened, preview.history.scope),
        "strategy": preview.strategy.name,
        "mode": preview.mode,
        "model": run["model"],
        "limit": run["limit"],
        "trigger": preview.trigger_tokens,
        "target": compaction.target,
        "method": run["method"],
        "settings": _settings(preview),
        **json_output.sizes_json(preview),
        "no_op": no_op.reason if no_op else None,
        "no_op_code": no_op.code if no_op else None,
        "metadata": compaction.metadata,
        "split": json_output.split_json(compaction.split),
        "summary": _summary(opened, preview),
        "summary_check": sections.check_json(summary_findings(preview, opened.stages)),
        "density": compaction.density,
        "stats": compaction.stats,
        "tiers": compaction.tiers or None,
        "calls": _calls(preview),
        "fixes": compaction.fixes,
        "lint": {
            lint.provider: {
                "before": json_output.findings_json(lint.before),
                "after": json_output.findings_json(lint.after),
            }
            for lint in preview.lint
        },
        "fidelity": sections.fidelity_json(fidelity_of(preview, opened.stages)),
        "decay": sections.decay_json(rounds),
        "cost": sections.cost_json(preview),
        "warnings": list(dict.fromkeys(warnings)),
        "fates": json_output.fates_json(preview),
        "result": json_output.result_messages_json(preview),
    }


def _settings(preview: Preview) -> dict[str, Json]:
    """Return every effective setting with its layer, and its profile where one gave it."""
    return {
        key: {"value": effective.value, "layer": effective.layer}
        | ({"profile": effective.profile} if effective.profile else {})
        for key, effective in preview.values.by_key.items()
    }


def _summary(opened: OpenedConversation, preview: Preview) -> Json:
    summary = preview.compaction.summary
    if summary is None:
        return None
    sentences = [
        sentence
        for part in summary_parts(preview)[:1]
        for sentence in linked_summary(preview, part.place, opened.stages)
    ]
    links = [
        {"start": one.start, "text": one.text, "sources": one.links, "invented": one.invented}
        for one in sentences
    ]
    return {
        "text": summary.text,
        "sections": summary.sections,
        "profile": summary.profile,
        "model": summary.model,
        "tokens": sum(preview.after_counts[index] for index in sorted(preview.compaction.inserted)[:1]),
        "links": links if summary_parts(preview) else None,
    }


def _calls(preview: Preview) -> list[Json]:
    return [
        {
            "profile": call.profile,
            "model": call.model,
            "purpose": call.purpose,
            "tokens": {"input": call.input_tokens, "output": call.output_tokens},
            "retries": call.retries,
            "ladder": call.reductions,
            "agent_steps": call.agent_steps,
            "steps": call.steps,
            "cost": call.cost,
            "seconds": round(call.seconds, 3),
        }
        for call in preview.compaction.calls
    ]
