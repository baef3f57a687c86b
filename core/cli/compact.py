"""``foldline compact``: run a strategy, also at the settings that reach ``--aim``; print a report
or write the result."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from core.analysis.costs import compaction_cost, paid_dollars, with_model_summary
from core.app.services.ask import AskService
from core.app.services.transcript import transcript_findings
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_aim,
    add_compaction_options,
    add_export_options,
    add_flag,
    add_strategy_command,
    add_text,
    parse_options,
    refuse_options,
    transcript_parser,
)
from core.cli.ask import ask_judge, judging_profile
from core.cli.convert import export_request, save_output
from core.cli.make_preview import make_preview
from core.cli.musts import add_must_options, named_musts, with_session_musts
from core.cli.opened_transcript import (
    OpenedConversation,
    head_json,
    note_unread_settings,
    note_unused_summary,
    open_conversation,
    print_warnings,
)
from core.cli.output import json_output
from core.cli.output.compact_text import (
    check_notes,
    compact_report,
    decay_lines,
    decay_of_preview,
    must_notes,
    must_report,
)
from core.cli.output.console import (
    ConsoleProgress,
    print_error,
    print_lines,
    print_note,
)
from core.common.atomic_file import output_file_name
from core.common.errors import CompactionFailed, InputError
from core.common.json_value import Json
from core.common.number_format import count, plural, whole_calls
from core.export.export import find_exporter
from core.formats.writing.exporter import Exporter
from core.losses.losses_of import DecayRound
from core.losses.must_keep import MustEvidence, must_evidence
from core.losses.summary_check import (
    SummaryFinding,
    linked_summary,
    summary_findings,
    summary_parts,
)
from core.presentation.compare.columns import out_of_reach, set_options
from core.presentation.losses_json import losses_json
from core.presentation.losses_words import backtest_sentence, must_json
from core.presentation.preview_wording import (
    ABOVE_LIMIT,
    preview_warnings,
    result_standing,
    warning_texts,
)
from core.preview.options import Preview
from core.preview.preview import with_excerpts, with_restored
from core.reports.report_data import export_input
from core.settings.schema import STRATEGY, with_setting
from core.strategies.base import Strategy
from core.strategies.registry import STRATEGIES, find_strategy
from core.transcript.compaction import NoOpCode
from core.trials.axes import aim_tokens, aimed_trial, has_size
from core.trials.past import backtest
from core.trials.requested_analyses import (
    RequestedAnalyses,
    remember_backtest,
    requested_analyses,
)
from core.trials.trial import Trial

ABOUT = "Compact a transcript with a strategy; print a table, or write it with -o."
_MAX_ROUNDS = 50
"""Most compactions of ``--decay``; long before, nothing is left to compact."""


def run(arguments: Sequence[str]) -> int:
    """Return 0, also for a no-op; 3 where a model failed and nothing was compacted."""
    options = parse_options(command_parser(), arguments)
    _check(options)
    exporter = find_exporter(options.to) if options.to else None
    transcript = open_conversation(options)
    if options.every_turn:
        _check_every_turn(find_strategy(transcript.values.text(STRATEGY)))
    print_warnings(transcript)
    note_unread_settings(transcript)
    transcript.musts = named_musts(options)  # read once: a file may be a pipe
    aimed = settle_aim(transcript)
    if options.out:
        export_request(transcript)  # refused before it is paid for
    musts = with_session_musts(options, transcript.conversation, transcript.musts)
    preview = _compacted(transcript, exporter)
    _note_faults_before(
        options, transcript_findings(transcript.analysis_input()).errors
    )
    no_op = preview.result.compaction.no_op
    if no_op is not None:
        print_error(f"Nothing was compacted. {no_op.reason}")
    warnings = size_warning(preview, aimed)
    for text in (*preview_warnings(preview), *warnings):
        print_note(options, f"warning: {text}")
    note_unused_summary(transcript, preview)
    transcript.current_preview = preview
    _ask(transcript, preview)
    kept = must_evidence(preview, musts, transcript.stages)
    if options.out:
        warnings += _save(transcript, preview, kept)
    rounds = decay_of_preview(options, preview, int(options.decay or 0))
    if options.json:
        json_output.write_json(
            "compact", compact_json(transcript, preview, warnings, rounds, kept)
        )
    elif not options.out:
        report = compact_report(transcript, preview)
        print_lines([*report, *must_report(kept), *decay_lines(preview, rounds)])
    has_failed = no_op is not None and no_op.code is NoOpCode.SUMMARY_FAILED
    return CompactionFailed.exit_code if has_failed else 0


def _compacted(transcript: OpenedConversation, exporter: Exporter | None) -> Preview:
    """Return the result, with what ``--put-back`` and ``--add-excerpts`` put back into it."""
    options = transcript.options
    restored = frozenset[int]()
    if options.put_back:  # checked before a summary is paid for
        restored = transcript.message_indices(options.put_back, "--put-back")
    is_report = exporter is not None and exporter.is_report
    preview = make_preview(
        transcript,
        calls=exporter is None or not exporter.needs_no_model,
        to=exporter.name if exporter else "",
        takes_any_summary=bool(options.force),
        checks=not options.out or options.json or is_report,
    )
    if restored:
        preview = with_restored(preview, restored)
    if options.add_excerpts:
        preview = with_excerpts(preview)
    return preview


def _note_faults_before(options: CommonOptions, faults: int) -> None:
    if not faults:
        return
    found = plural(faults, "fault")
    them = "it" if faults == 1 else "them"
    print_note(
        options,
        f"warning: The transcript itself has {found} that an API would refuse. "
        f"Repair {them} first: foldline lint --fix FILE -o COPY",
    )


def _ask(transcript: OpenedConversation, preview: Preview) -> None:
    """Run the backtest and ask a model, where the options want that; both stay beside the
    result."""
    options = transcript.options
    if options.backtest:
        with ConsoleProgress(options) as transcript.progress:
            *_, found = backtest(transcript.analysis_input(), preview.strategy.name)
        remember_backtest(preview, found, transcript.stages)
    if options.judge:
        profile = judging_profile(options.judge)
        service = AskService(transcript)
        asked = service.plan(service.reworded(), profile)
        ask_judge(service, transcript, asked, "leave --judge out")


def _save(
    transcript: OpenedConversation, preview: Preview, musts: Sequence[MustEvidence]
) -> tuple[str, ...]:
    """Check the summary, write the result, print the findings; returns the exporter's warnings."""
    findings = summary_findings(preview, transcript.stages)
    warnings = save_output(
        transcript,
        export_input(
            preview,
            result=True,
            format_reason=transcript.format_reason,
            stages=transcript.stages,
        ),
        preview_warnings(preview),
    )
    notes = list[str]()
    if findings is not None:
        notes = check_notes(findings, transcript.losses(preview))
    for text in (*transcript.scope_lines, *notes, *must_notes(musts)):
        print_note(transcript.options, text)
    return warnings


def command_parser() -> CommandParser:
    parser = transcript_parser("compact", ABOUT, opens_current=True)
    about = "write the result; - is standard output"
    parser.add_argument("-o", "--out", type=output_file_name, metavar="OUT", help=about)
    add_text(parser, "--to", "FORMAT", "its format; that of the source by default")
    add_aim(parser, "the strategy")
    add_compaction_options(parser)
    add_must_options(parser)
    about = "put the 40 most useful lines that the result lacks back into it"
    add_flag(parser, "--add-excerpts", about)
    about = "Claude Code, Codex, Pi, OpenHands: append the compaction to the source"
    add_flag(parser, "--append-boundary", about)
    _add_rare(parser.rare)
    return parser


def _add_rare(group: argparse._ActionsContainer) -> None:
    about = "messages of the source that stand in the result as they were: 12,40-44"
    add_text(group, "--put-back", "MESSAGES", about)
    about = (
        "llxprt: write with each message what it was, so that it can be put back later"
    )
    add_flag(group, "--provenance", about)
    add_export_options(group, "; take --summary-file even if it is no summary")
    add_flag(
        group,
        "--every-turn",
        "only what the strategy does on every turn, as high-density does",
    )
    add_text(
        group,
        "--decay",
        "N",
        "compact the result again, N times in all: what is left then",
    )
    add_flag(
        group,
        "--backtest",
        "what the strategy would have kept at earlier points, five runs more",
    )
    add_text(
        group,
        "--judge",
        "PROFILE",
        "ask its model whether reworded sentences say the same",
    )
    add_strategy_command(group)


def _refuse_unshown(options: CommonOptions) -> None:
    report = bool(options.to) and find_exporter(options.to).is_report
    more = (
        () if report else (("--backtest", options.backtest), ("--judge", options.judge))
    )
    way_out = "Add --json, or leave out -o."
    refuse_options(
        (("--decay", options.decay), *more),
        "prints figures, and with -o none are printed",
        way_out,
    )


def _is_number_of_rounds(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= _MAX_ROUNDS


_NOTHING_AIMS = "sets the size of a compaction, and --every-turn does not compact"


def _check(options: CommonOptions) -> None:
    decay = options.decay
    if options.judge:
        judging_profile(options.judge)  # refused before a summary is paid for
    if decay and not _is_number_of_rounds(decay):
        text = f"--decay {decay} is not a number from 1 to {_MAX_ROUNDS}."
        raise InputError(text, "Write it as in: --decay 5.")
    if options.every_turn:
        way_out = "Leave one of them out."
        refuse_options((("--aim", options.aim),), _NOTHING_AIMS, way_out)
    if options.out and not options.json:
        _refuse_unshown(options)
    if options.out == "-" and options.json:
        raise InputError(
            "-o - and --json both write to standard output.", "Name a file with -o."
        )
    if not options.out:
        output_options = (
            ("--to", options.to),
            ("--append-boundary", options.append_boundary),
            ("--provenance", options.provenance),
            ("--redact", options.redact),
            ("--no-redact", options.redact is False),
            ("--force", options.force and not options.summary_file),
        )
        way_out = "Add -o FILE, or -o - for standard output."
        refuse_options(output_options, "needs a place to write to", way_out)


def _check_every_turn(strategy: Strategy) -> None:
    """Raise InputError where the strategy does nothing before it compacts."""
    if strategy.optimize is None:
        able = ", ".join(one.name for one in STRATEGIES if one.optimize is not None)
        raise InputError(
            f"The strategy {strategy.name} does nothing on every turn.",
            f"--every-turn works with: {able}.",
        )


# The result as JSON.


def _decay(rounds: Sequence[DecayRound]) -> Json:
    return [
        {
            "word_for_word": one.word_for_word,
            "said": one.person_messages,
            "tokens": one.tokens,
            "messages": one.messages,
            "no_op": one.no_op or None,
        }
        for one in rounds
    ] or None


def compact_json(
    transcript: OpenedConversation,
    preview: Preview,
    more_warnings: Sequence[str],
    rounds: Sequence[DecayRound] = (),
    musts: Sequence[MustEvidence] = (),
) -> dict[str, Json]:
    """Return the keys of ``compact --json``; ``more_warnings`` are those of the command and the
    export, ``rounds`` those of --decay, ``musts`` the texts that must survive."""
    compaction = preview.result.compaction
    analyses = requested_analyses(preview, transcript.stages)
    warnings = (
        *warning_texts(transcript.conversation),
        *preview_warnings(preview),
        *more_warnings,
        *_missing_backtest(analyses),
    )
    findings = summary_findings(preview, transcript.stages)
    run = json_output.run_json(preview)
    return {
        **head_json(transcript, preview.source.history.scope),
        "strategy": preview.strategy.name,
        "every_turn": preview.every_turn,
        "mode": preview.mode,
        "model": run["model"],
        "limit": run["limit"],
        "trigger": preview.sizes.trigger_tokens,
        "target": compaction.target,
        "method": run["method"],
        "settings": _settings(preview),
        **json_output.sizes_json(preview),
        "no_op": compaction.no_op and compaction.no_op.reason,
        "no_op_code": compaction.no_op and compaction.no_op.code,
        "metadata": compaction.metadata,
        "split": json_output.split_json(compaction.split),
        "summary": _summary(transcript, preview),
        "summary_check": findings and list(map(_finding_json, findings)),
        "density": compaction.figures.density,
        "stats": compaction.figures.stats,
        "tiers": _tiers(preview),
        "calls": _calls(preview),
        "fixes": compaction.fixes,
        "lint": {
            lint.provider: {
                "before": json_output.findings_json(lint.before),
                "after": json_output.findings_json(lint.after),
            }
            for lint in preview.checks.lint
        },
        "losses": losses_json(transcript.losses(preview), preview.messages, analyses),
        "must": list(map(must_json, musts)),
        "decay": _decay(rounds),
        "cost": _cost(preview),
        "warnings": list(dict.fromkeys(warnings)),
        "fates": json_output.fates_json(preview),
        "result": json_output.result_messages_json(preview),
    }


def _tiers(preview: Preview) -> Json:
    overhead = preview.sizes.result_overhead_tokens
    tiers = preview.result.compaction.figures.tiers
    return [replace(tier, tokens=tier.tokens + overhead) for tier in tiers] or None


def _missing_backtest(analyses: RequestedAnalyses) -> list[str]:
    """Return why a backtest that was asked for has no figure."""
    found = analyses.backtest
    if found is None or found.share is not None:
        return []
    return [backtest_sentence(found)]


def _finding_json(finding: SummaryFinding) -> dict[str, Json]:
    return {
        "severity": finding.severity,
        "rule": finding.rule,
        "text": finding.text,
        "messages": finding.messages,
        "result": finding.index,
    }


def _settings(preview: Preview) -> dict[str, Json]:
    """Return every effective setting with its layer, and its profile where one gave it."""
    return {
        key: {"value": effective.value, "layer": effective.layer}
        | ({"profile": effective.profile} if effective.profile else {})
        for key, effective in preview.source.values.by_key.items()
    }


def _summary(transcript: OpenedConversation, preview: Preview) -> Json:
    summary = preview.result.compaction.summary
    parts = summary_parts(preview)
    if summary is None:
        return None
    sentences = [
        one
        for part in parts[:1]
        for one in linked_summary(preview, part.index, transcript.stages)
    ]
    return {
        "text": summary.text,
        "sections": summary.sections,
        "profile": summary.profile,
        "model": summary.model,
        "tokens": sum(
            preview.result.after_counts[index]
            for index in sorted(preview.result.compaction.inserted)[:1]
        ),
        "links": [
            {
                "start": one.start,
                "text": one.text,
                "sources": one.links,
                "nowhere": one.nowhere,
            }
            for one in sentences
        ]
        if parts
        else None,
    }


def _calls(preview: Preview) -> list[Json]:
    return [
        {"profile": call.profile, "model": call.model, "purpose": call.purpose}
        | {"tokens": {"input": call.input_tokens, "output": call.output_tokens}}
        | {
            "retries": call.retries,
            "reductions": call.reductions,
            "agent_steps": call.agent_steps,
            "steps": call.steps,
            "cost": call.cost,
        }
        | {"seconds": round(call.seconds, 3)}
        for call in preview.result.compaction.calls
    ]


def _cost(preview: Preview) -> Json:
    """Return dollars, null where no price is known; ``break_even`` is in calls, null also where it
    never pays back."""
    cost = compaction_cost(preview)
    priced = with_model_summary(cost)
    return {
        "model": cost.rates and cost.rates.model,
        "summary_cost": paid_dollars(preview.result.compaction.calls),
        "prefix": cost.prefix,
        "first_changed": cost.first_changed,
        "rewritten": cost.rewritten,
        "first_before": cost.first_before,
        "first_after": cost.first_after,
        "later_before": cost.later_before,
        "later_after": cost.later_after,
        "break_even": whole_calls(cost.break_even),
        "break_even_with_model": priced and whole_calls(priced.break_even),
        "cache_kept": cost.cache_kept,
        "unpaid": {"sent": cost.unpaid.sent, "received": cost.unpaid.received},
    }


# The settings that bring a result to the size of --aim, and what is said where none was named.


def settle_aim(transcript: OpenedConversation) -> tuple[int, Trial] | None:
    """Give the transcript the settings that reach its ``--aim`` or come nearest, found with its pins,
    focus and musts and offline summaries; say those that reach it. Returns the aim in tokens and
    that trial, None without an aim. Raises InputError for a share of a limit that is not known."""
    options = transcript.options
    if not options.aim:
        return None
    source = transcript.analysis_input()
    asked = replace(
        source.options,
        pins=transcript.pins,
        focus=options.focus,
        musts=transcript.musts,
    )
    source = replace(source, options=asked)
    strategy = find_strategy(transcript.values.text(STRATEGY)).name
    aim = aim_tokens(source, options.aim)
    with ConsoleProgress(options) as progress:
        progress(0.0, f"Settings of {strategy} for {count(aim)} tokens")
        trial, tokens = aimed_trial(source, strategy, aim)
    for key, value in trial.settings:
        transcript.values = with_setting(transcript.values, key, value)
    if trial.settings and tokens <= aim:
        print_note(
            options,
            f"These settings leave at most {count(aim)} tokens: {set_options(trial)}",
        )
    return aim, trial


def size_warning(preview: Preview, aimed: tuple[int, Trial] | None) -> tuple[str, ...]:
    """Return what to do about a result that is too large, by the aim, the limit or the trigger."""
    if aimed is not None:
        return _aim_warning(preview, *aimed)
    sizes, name = preview.sizes, preview.strategy.name
    standing = result_standing(preview)
    wanted = sizes.trigger_tokens
    if standing.word == ABOVE_LIMIT:
        wanted = sizes.model_limit.tokens
    if not standing.excess or not wanted:
        return ()
    problem = ""
    if preview.missed is None:  # else that is said already
        problem = (
            f"The next request would be {standing.text} of {count(wanted)} tokens. "
        )
    if has_size(name):
        return (
            f"{problem}--aim {wanted} looks for settings of {name} that leave less.",
        )
    return (f"{problem}No setting of {name} makes it smaller. {_others(wanted)}",)


def _aim_warning(preview: Preview, aim: int, aimed: Trial) -> tuple[str, ...]:
    tokens = preview.sizes.after_tokens
    if tokens <= aim:
        return ()
    overhead = preview.sizes.result_overhead_tokens
    problem = f"{preview.strategy.name} {out_of_reach(aim, tokens, overhead)}"
    if aimed.settings:
        problem += f" with {set_options(aimed)}"
    if overhead >= aim:
        return (f"{problem}. No strategy can.",)
    return (f"{problem}. {_others(aim)}",)


def _others(tokens: int) -> str:
    return f"See which strategies can: foldline compare FILE --aim {tokens}."
