"""``foldline compare``: strategies and recorded compactions beside each other, over a file or a
folder."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.analysis.costs import pricing_model
from core.analysis.model import RECORDED
from core.app.services.compare import CompareService
from core.app.services.folder import FolderService
from core.cli import late
from core.cli.active_settings import ActiveSettings, active_settings
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_aim,
    add_flag,
    add_price_as,
    add_strategy_command,
    add_text,
    parse_options,
    refuse_options,
    transcript_parser,
)
from core.cli.implementations import compare_with_program
from core.cli.opened_transcript import (
    note_current_contexts,
    note_no_model_call,
    note_unknown_model,
    note_unread_settings,
    open_conversation,
    print_warnings,
)
from core.cli.output import json_output
from core.cli.output.compare_output import (
    CompareOutput,
    file_report,
    file_values,
    folder_report,
    folder_values,
    write_csv,
)
from core.cli.output.console import (
    ConsoleProgress,
    print_detail,
    print_error,
    print_lines,
    print_note,
)
from core.cli.output.model_call import (
    check_price_as,
    choose_compared_profiles,
    choose_summary_profile,
    compared_profiles,
    confirm_prices,
    writing_profile,
)
from core.cli.session_answers import session_answers
from core.common import number_format
from core.common.atomic_file import folder_name
from core.common.errors import InputError
from core.common.process_pool import process_count
from core.formats.registry import format_by_name, load_conversation
from core.llm.credentials import find_key
from core.llm.destination import checked_destination
from core.llm.pricing import RunCostEstimate, total_cost
from core.settings.profile import Profile
from core.settings.schema import offline_values
from core.strategies.names import PROGRAM
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.trials.by_strategy import (
    by_profile,
    check_strategy_name,
    row_names,
    summary_switches,
)
from core.trials.session_work import FolderComparison, PriceWork, results_of
from core.trials.sessions import (
    SessionAnswer,
    SessionJob,
    TrialSession,
    core_count,
    is_cluster,
    scheduler_address,
)
from core.trials.trial import trial_of

ABOUT = (
    "Compare strategies, presets and recorded compactions over a transcript, or over a folder "
    "of them."
)


def _check_output(options: CommonOptions) -> None:
    if options.json and options.csv:
        raise InputError(
            "--json and --csv both write to standard output.", "Choose one."
        )
    if options.csv:
        against = ("--against", options.against)
        refuse_options(
            (against,),
            "is not part of the CSV output",
            "Leave --csv out, or use --json.",
        )


def run(arguments: Sequence[str]) -> int:
    """Exit code 0, also where a row failed, 1 where a program differs from the strategy; a cancel
    (130) keeps finished files."""
    options = _parsed(arguments)
    if options.against and len(options.against) == 1:
        return compare_with_program(options, options.against[0])
    _check_output(options)
    for name in options.names:
        check_strategy_name(name)
    pricing_model(options.price_as, "")
    if options.file != "-" and os.path.isdir(
        options.file
    ):  # os.path never fails, unlike Path
        run_folder(options)
        return 0
    of_folder = (("--engine", options.engine), ("--fresh", options.fresh))
    refuse_options(
        of_folder, f"works on a folder, and {options.file} is not one", "Leave it out."
    )
    output = _compare(options)
    if options.json:
        json_output.write_json("compare", file_values(output))
    elif options.csv:
        name = output.transcript.conversation.document.name
        write_csv(replace(row, file=name) for row in output.comparison.rows)
    else:
        print_lines(file_report(output))
    return 0


def command_parser() -> CommandParser:
    parser = transcript_parser(
        "compare",
        ABOUT,
        many_strategies=True,
        folder=True,
        opens_current=True,
        many_profiles=True,
    )
    add_aim(parser, "each strategy")
    add_flag(parser, "--csv", "print CSV, a line per file and name")
    about = (
        "of two rows, the facts that one of them loses; of a program, where it differs "
        "from the strategy of -s (exit code 1: it does)"
    )
    parser.add_argument("--against", nargs="+", metavar="A", help=about)
    about = "what they would have kept at earlier points: foldline compare --backtest --help"
    add_flag(parser, "--backtest", about)
    about = (
        "one strategy with several values of a setting: foldline compare --vary --help"
    )
    add_text(parser, "--vary", "KEY=VALUES", about)
    _add_rare(parser.rare)
    return parser


def _parsed(arguments: Sequence[str]) -> CommonOptions:
    options = parse_options(command_parser(), arguments)
    _take_profiles(options)
    _check_against(options)
    if options.left and options.aim:
        raise InputError(
            "--left names a finished result, which no setting can bring to the size of --aim.",
            "Leave --aim out.",
        )
    if options.strategy_command:
        options.names = _names_with_program(options)
    return options


def _add_rare(group: argparse._ActionsContainer) -> None:
    add_price_as(group)
    about = "with --against PROGRAM: the folder for a golden case of each difference"
    group.add_argument("-o", "--out", type=folder_name, metavar="DIR", help=about)
    add_text(
        group,
        "--left",
        "FILE",
        "the file that the agent's compaction left, where it is another one",
    )
    add_text(
        group, "--engine", "ENGINE", "for a folder: cores, cores:N or dask://HOST:PORT"
    )
    add_flag(group, "--fresh", "for a folder: do not go on where it stopped")
    add_strategy_command(group)


def _take_profiles(options: CommonOptions) -> None:
    """Make one profile the active one; of several only the models differ, not the settings."""
    options.profiles = tuple(dict.fromkeys(options.profiles))
    if len(options.profiles) == 1:
        (options.profile,), options.profiles = options.profiles, ()
    elif options.profiles:
        given = (("--summary-file", options.summary_file), ("--aim", options.aim))
        refuse_options(given, "cannot be used with several profiles", "Leave it out.")


def _with_summaries(options: CommonOptions, chosen: ActiveSettings) -> ActiveSettings:
    """Return the settings with the summaries of the named strategies switched on, where several
    profiles are compared and nobody set them."""
    if len(options.profiles) < 2:
        return chosen
    layers = chosen.layers
    for switch in summary_switches(options.names, layers.resolve()):
        layers = layers.with_session(switch, True)
        print_note(
            options,
            f"{switch} was switched on, because profiles differ only in their summaries.",
        )
    return replace(chosen, layers=layers)


def _check_against(options: CommonOptions) -> None:
    count = len(options.against or ())
    if count > 2:
        raise InputError(
            f"--against takes two rows or one program, not {count:,} names.",
            "Write FILE before --against, and put the words of a program in quotes.",
        )
    if options.out and count != 1:
        raise InputError("-o works only with --against PROGRAM.", "Leave it out.")


def _names_with_program(options: CommonOptions) -> tuple[str, ...]:
    """Return the names to compare and the program of ``--strategy-command`` after them."""
    named = options.names or (*COMPACTION_STRATEGIES, RECORDED)
    return (*named, PROGRAM + options.strategy_command)


def _compare(options: CommonOptions) -> CompareOutput:
    transcript = open_conversation(
        options, _with_summaries(options, active_settings(options))
    )
    print_warnings(transcript)
    names = row_names(transcript.conversation, options.names)
    if not names:
        name = transcript.conversation.document.name
        raise InputError(f"{name} has no {RECORDED} compaction.", "Leave -s out.")
    names = by_profile(names, options.profiles, transcript.values)
    agent_file = load_conversation(options.left) if options.left else None
    for name in options.against or ():  # before anything is computed or paid
        if agent_file is None or not name.startswith(RECORDED):
            _check_row(name, names)
    strategies = [
        find_strategy(trial_of(name).strategy)
        for name in names
        if not name.startswith(RECORDED)
    ]
    note_unread_settings(transcript, strategies)
    note_no_model_call(transcript, strategies)

    def costs_of(source: AnalysisInput, profile: Profile) -> Iterable[RunCostEstimate]:

        return late.compare_costs(source, names, profile)

    service = CompareService(transcript)
    reported = set[str]()
    with ConsoleProgress(options) as transcript.progress:
        if profiles := compared_profiles(options):
            writers = choose_compared_profiles(transcript, profiles, costs_of)
        else:
            writers = choose_summary_profile(transcript, costs_of)
        for comparison in service.compare(names, options.aim, agent_file):
            for row in comparison.rows:
                if row.name not in reported:
                    print_detail(options, f"{row.name}: {row.seconds:.2f} s")
            reported = {row.name for row in comparison.rows}
        for name in options.against or ():
            _check_row(name, [row.name for row in comparison.rows])
        against = service.pair(*options.against) if options.against else None
        return CompareOutput(
            transcript,
            comparison,
            baseline_preview(comparison.source),
            writers,
            against,
        )


def _check_row(name: str, rows: Collection[str]) -> None:
    if name not in rows:
        raise InputError(
            f"--against: there is no row {name!r}.", f"The rows are: {', '.join(rows)}."
        )


_CONTINUE_HINT = "are done and kept; the same command goes on from there."
_MAX_NOTES = 20
"""Files without a transcript that are named; others are counted."""


def run_folder(options: CommonOptions) -> None:
    """Exit code 0 where at least one transcript was compared, 2 where none was."""
    _check(options)
    note_unknown_model(options)
    engine = folder_engine(options.engine)
    comparison = _compared(options, engine)
    _print_notes(options, comparison)
    if all(file.problem for file in comparison.done):
        raise InputError(
            f"{options.file} holds no transcript.", "Name a folder that holds some."
        )
    if options.json:
        json_output.write_json(
            "compare", folder_values(options.file, engine, comparison)
        )
    elif options.csv:
        write_csv(results_of(comparison.done))
    else:
        print_lines(folder_report(comparison.done))


def folder_engine(wanted_engine: str) -> str:
    """Return where the files are compared, by default on all cores; InputError if unknown."""
    engine = wanted_engine or f"cores:{process_count()}"
    if is_cluster(engine):
        scheduler_address(engine)
    else:
        core_count(engine)
    return engine


def _check(options: CommonOptions) -> None:
    """Refuse options for a single file, and wrong settings, before any work."""
    single_file_options = (
        ("--against", options.against),
        ("--left", options.left),
        ("--aim", options.aim),
        ("--summary-file", options.summary_file),
        ("--conversation", options.conversation > 0),
        ("--branch", options.branch != 1),
    )
    refuse_options(
        single_file_options,
        f"works on one file, and {options.file} is a folder",
        "Name a file.",
    )
    if options.format:
        format_by_name(options.format)


def _template(
    options: CommonOptions, chosen: ActiveSettings, engine: str
) -> TrialSession:
    """Return how every file is read and compared."""
    values = chosen.layers.resolve()
    profiles = compared_profiles(options) or (
        writing_profile(options, values, chosen.profile),
    )
    for profile in profiles:
        check_price_as(options, profile)
        if not profile.is_offline and is_cluster(engine):
            raise InputError(
                f"A cluster calls no model, and the profile {profile.name} needs one.",
                "Leave --engine out.",
            )
    if options.strategy_command and is_cluster(engine):
        raise InputError(
            "The program of --strategy-command runs on this machine, not on a cluster.",
            "Leave --engine out.",
        )
    if all(profile.is_offline for profile in profiles):
        values = offline_values(values)
    return TrialSession(
        path="",
        name="",
        values=values,
        scope=options.scope,
        model=options.model,
        format=options.format,
        profiles=profiles,
        price_as=options.price_as,
    )


def _confirm_cost(
    jobs: Sequence[SessionJob], engine: str, options: CommonOptions
) -> None:
    """Say the secrets that are sent and the price of all calls of these jobs, and ask where they
    leave this machine."""
    names = tuple(dict.fromkeys(options.names))
    paid = [one for one in jobs[0].file.profiles if not one.is_offline]
    for profile in paid:
        checked_destination(profile)
        find_key(profile)
    priced = [SessionJob(job.file, PriceWork(names)) for job in jobs]
    receivers = ", ".join(profile.name for profile in paid)
    found = session_answers(priced, engine, options, f"priced for {receivers}")
    known = [
        one.result for one in found if one.result is not None
    ]  # the comparison says problems
    secrets = sum(count for _, count in known)
    costs = [
        total_cost(by_paid[index] for by_paid, _ in known) for index in range(len(paid))
    ]
    confirm_prices(options, paid, costs, secrets)


def _compared(options: CommonOptions, engine: str) -> FolderComparison:
    chosen = _with_summaries(options, active_settings(options))
    service = FolderService(chosen)
    # What a program gave before is not taken again: its file may have changed.
    fresh = options.fresh or bool(options.strategy_command)
    names = tuple(dict.fromkeys(options.names))
    template = _template(options, chosen, engine)
    first = service.open(Path(options.file), template, names, fresh=fresh)
    for problem in first.problems:
        print_note(options, f"warning: {problem}")
    progress = ConsoleProgress(options)
    jobs = service.remaining_jobs
    if jobs and not template.is_offline:
        _confirm_cost(jobs, engine, options)
    _show(progress, first)
    try:
        for comparison in service.compare(engine=engine):
            _show(progress, comparison)
    except KeyboardInterrupt:
        progress.done()
        done = len(service.comparison().done)
        print_error(
            f"{done} of {number_format.plural(len(first.files), 'file')} {_CONTINUE_HINT}"
        )
        raise
    finally:
        progress.done()
    return replace(comparison, resumed=first.resumed)


def _show(progress: ConsoleProgress, comparison: FolderComparison) -> None:
    done = len(comparison.done)
    count = len(comparison.files)
    progress(
        done / count, f"{done:,} of {number_format.plural(count, 'file')} compared"
    )


def _print_failed(
    options: CommonOptions, failed_files: Sequence[SessionAnswer[Any]]
) -> None:
    for file in failed_files[:_MAX_NOTES]:
        print_note(options, f"Not compared: {file.problem_text}")
    if (more := len(failed_files) - _MAX_NOTES) > 0:
        others = number_format.plural(more, "other file")
        print_note(options, f"Not compared: {others}; --json lists all.")


def _print_notes(options: CommonOptions, comparison: FolderComparison) -> None:
    """Print known results and files that are no transcripts, on standard error."""
    files = comparison.done
    if comparison.resumed:
        count_text = (
            f"{comparison.resumed} of {number_format.plural(len(files), 'file')}"
        )
        print_note(
            options, f"{count_text} were done before; --fresh compares them again."
        )
    _print_failed(options, [file for file in files if file.problem])
    scopes = [str(file.about.get("scope", "")) for file in files if not file.problem]
    note_current_contexts(options, scopes)
    several = [
        file.name for file in files if int(file.about.get("conversations", 1)) > 1
    ]
    if several:
        first, *others = several
        names = f"{first} and {len(others):,} more" if others else first
        print_note(
            options,
            f"Some files hold several conversations; only the first was compared: {names}.",
        )
