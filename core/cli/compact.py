"""``foldline compact``: run a strategy by hand, show what it did or take the result away."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from core.analysis.fidelity.decay import DecayRound
from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.summary_check.preview_summaries import check_of, summary_links_of, summary_parts
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
from core.common.atomic_file import checked_name
from core.common.errors import CompactionFailed, InputError
from core.common.json_value import Json
from core.export.export import find_exporter
from core.presentation.opened_file import warning_texts
from core.preview.options import Preview
from core.preview.preview import with_put_back
from core.reports.report_input import export_input
from core.tokens.counter import counter_for
from core.transcript.compaction import NoOpCode, TierOutcome
from core.transcript.scopes import history_of_scope

ABOUT = "Compact a transcript with a strategy: a table, or with -o the transcript itself."


def run(arguments: Sequence[str]) -> int:
    """0 also for a no-op, which says so; 3 where a model failed and nothing was compacted."""
    found = _parser().parse_args(arguments)
    options = common_options(found)
    _check(found, options)
    calls = not (found.to and find_exporter(found.to).asks_no_model)
    opened = open_conversation(options)
    print_warnings(opened)
    note_unread_settings(opened)
    back = _asked_of_result(opened, found)
    to = find_exporter(found.to).name if found.to else ""
    made = _put_back(opened, make_preview(opened, calls=calls, to=to), back)
    _tell_no_op(options, made)
    note_unused_summary(opened, made)
    saved = _saved(opened, made, found) if found.out else ()
    again = decay_of_preview(opened, made, decay_count(found.decay))
    if options.json:
        json_output.write_json("compact", compact_json(opened, made, saved, again))
    elif not found.out:
        print_lines([*compact_report(opened, made), *decay_lines(made, again)])
    no_op = made.compaction.no_op
    return CompactionFailed.exit_code if no_op and no_op.code is NoOpCode.SUMMARY_FAILED else 0


def _saved(opened: OpenedConversation, made: Preview, found: argparse.Namespace) -> tuple[str, ...]:
    """Check the summary, write the result, whatever was found, and say both; the exporter's warnings."""
    lacks = check_of(made, opened.stages)
    saved = save_output(
        opened,
        export_input(made, result=True, why=opened.why),
        found.out,
        found.to,
        append_boundary=found.append_boundary,
        provenance=found.provenance,
        redact=found.redact,
        force=found.force,
    )
    for text in check_notes(lacks):
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
    """Where the result goes, and how it is written there."""
    parser.add_argument(
        "-o",
        "--out",
        type=checked_name,
        metavar="OUT",
        help="write the result; - is standard output",
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


def _check(found: argparse.Namespace, options: CommonOptions) -> None:
    if decay_count(found.decay) and found.out and not options.json:
        raise InputError("--decay has nowhere to be shown beside -o.", "Add --json, or leave out -o.")
    if found.out == "-" and options.json:
        raise InputError("-o - and --json both write to standard output.", "Name a file with -o.")
    if not found.out:
        written = (
            ("--to", found.to),
            ("--append-boundary", found.append_boundary),
            ("--provenance", found.provenance),
            ("--redact", found.redact),
            ("--no-redact", found.redact is False),
            ("--force", found.force),
        )
        refuse_options(written, "needs a place to write to", "Add -o FILE, or -o - for standard output.")


def _asked_of_result(opened: OpenedConversation, found: argparse.Namespace) -> frozenset[int]:
    """The messages of ``--put-back``. Raises InputError for them and for a place that cannot be written
    to: nobody is to pay for a summary first."""
    if found.out:
        check_output_path(
            opened,
            found.out,
            found.to,
            append_boundary=found.append_boundary,
            provenance=found.provenance,
        )
    if not found.put_back:
        return frozenset()
    count = len(history_of_scope(opened.conversation, opened.options.scope).messages)
    return message_indices(found.put_back, count, "--put-back")


def _put_back(opened: OpenedConversation, made: Preview, indices: frozenset[int]) -> Preview:
    """The preview with these messages as they were."""
    if not indices:
        return made
    model = made.window.model
    counter = opened.stages.once("counter", model, lambda: counter_for(model))
    return with_put_back(made, indices, made.sizing.counter(counter))


def _tell_no_op(options: CommonOptions, made: Preview) -> None:
    if made.compaction.no_op is not None:
        print_error(f"Nothing was compacted. {made.compaction.no_op.reason}")
    for text in dict.fromkeys((*made.warnings, *made.compaction.warnings)):
        print_note(options, f"warning: {text}")


def compact_json(
    opened: OpenedConversation, made: Preview, saved: tuple[str, ...], again: tuple[DecayRound, ...] = ()
) -> dict[str, Json]:
    """The keys of ``compact --json``; ``saved`` are the warnings of what was written, ``again`` the rounds
    of ``--decay``."""
    found = (*warning_texts(opened.conversation), *made.warnings, *made.compaction.warnings, *saved)
    return {
        **head_json(opened, made.history.scope),
        **_asked(made),
        **_outcome(made),
        "summary": _summary(opened, made),
        "summary_check": check_json(check_of(made, opened.stages)),
        **_told(made),
        "lint": {
            one.provider: {"before": findings_json(one.before), "after": findings_json(one.after)}
            for one in made.lint
        },
        "fidelity": fidelity_json(fidelity_of(made, opened.stages)),
        "decay": decay_json(again),
        "cost": cost_json(made),
        "warnings": list(dict.fromkeys(found)),
        "fates": fates_json(made),
        "result": result_messages_json(made),
    }


def _asked(made: Preview) -> dict[str, Json]:
    """What was to be done, and by which figures."""
    return {
        "strategy": made.strategy.name,
        "mode": made.mode.value,
        "model": made.window.model or None,
        "limit": {"tokens": made.window.limit, "source": made.window.source},
        "trigger": made.trigger_tokens,
        "target": made.compaction.target,
        "method": {"mark": made.method.mark, "label": made.method.label},
        "settings": settings_json(made.values),
    }


def _outcome(made: Preview) -> dict[str, Json]:
    """Sizes, or why nothing was compacted."""
    compaction = made.compaction
    no_op = compaction.no_op
    return {
        **sizes_json(made),
        "no_op": no_op.reason if no_op else None,
        "no_op_code": no_op.code.value if no_op else None,
        "metadata": asdict(compaction.metadata),
        "split": split_json(compaction.split),
    }


def _told(made: Preview) -> dict[str, Json]:
    """What a strategy tells of its run."""
    compaction = made.compaction
    return {
        "density": asdict(compaction.density) if compaction.density else None,
        "stats": asdict(compaction.stats) if compaction.stats else None,
        "tiers": _tiers(compaction.tiers),
        "calls": _calls(made),
        "fixes": list(compaction.fixes),
    }


def _tiers(tiers: Sequence[TierOutcome]) -> Json:
    """Each tier that ran: tokens after it, the source messages that it changed, why it did nothing."""
    if not tiers:
        return None
    return [{**asdict(tier), "messages": list(tier.messages)} for tier in tiers]


def _summary(opened: OpenedConversation, made: Preview) -> Json:
    summary = made.compaction.summary
    if summary is None:
        return None
    tokens = sum(made.after_counts[index] for index in sorted(made.compaction.inserted)[:1])
    parts = summary_parts(made)[:1]
    return {
        "text": summary.text,
        "sections": list(summary.sections),
        "profile": summary.profile,
        "model": summary.model,
        "tokens": tokens,
        "links": links_json(summary_links_of(made, parts[0].place, opened.stages)) if parts else None,
    }


def _calls(made: Preview) -> list[Json]:
    return [
        {
            "profile": call.profile,
            "model": call.model,
            "purpose": call.purpose,
            "tokens": {"input": call.input_tokens, "output": call.output_tokens},
            "retries": call.retries,
            "ladder": list(call.ladder),
            "agent_steps": [asdict(step) for step in call.agent_steps],
            "steps": list(call.steps),
            "cost": call.cost,
            "seconds": round(call.seconds, 3),
        }
        for call in made.compaction.calls
    ]
