"""``foldline check``: fail where a compaction loses what the rest of a session needed, for CI."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.app.services.ask import model_client
from core.cli.active_settings import active_settings
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_flag,
    add_strategy_command,
    add_text,
    at_least,
    parse_options,
    refuse_options,
    share,
    transcript_parser,
)
from core.cli.ask import judging_profile
from core.cli.checked_files import CheckWork, checked_files
from core.cli.musts import add_must_options, named_musts
from core.cli.opened_transcript import (
    note_current_contexts,
    note_unknown_model,
    note_unused_options,
)
from core.cli.output import json_output
from core.cli.output.check_output import check_json, print_checked
from core.cli.output.check_reports import (
    CheckedFile,
    false_statements,
    github_annotations,
    junit,
)
from core.cli.output.console import (
    ConsoleProgress,
    check_output_file,
    print_lines,
    print_note,
)
from core.cli.output.model_call import CancelOnInterrupt, confirm_price, report_event
from core.common import number_format
from core.common.atomic_file import output_file_name, write_atomic
from core.common.errors import CompactionFailed, InputError
from core.formats.common.format import ReadRequest
from core.losses.judge import (
    Judgement,
    JudgeQuestion,
    judge_price,
    judge_secrets,
    known_calibration,
)
from core.losses.judge import judge as ask_judge
from core.presentation.losses_words import LOSSES, LOSSES_ABOUT
from core.settings.profile import Profile
from core.settings.schema import RETRIES, STRATEGY, Values, offline_values
from core.trials.sessions import TrialSession, folder_files

ABOUT = "Check that a compaction keeps what the rest of a session needed. Exit code 1: it does not."
_MIN_NEEDED = 0.7
_UNUSED = ("--profile", "--summary-file")
_REPORT_HEAD = 500  # bytes that tell a report in JUnit's XML


def _note_contexts(files: Sequence[CheckedFile], options: CommonOptions) -> None:
    if len(files) > 1:
        note_current_contexts(
            options, [file.scope for file in files if not file.problem]
        )


def run(arguments: Sequence[str]) -> int:
    """Return 0 if every file reaches the bars, 1 if one does not, 3 if the judge said nothing of
    one, 2 if one could not be checked."""
    options = parse_options(command_parser(), arguments)
    judge = judging_profile(options.judge) if options.judge else None
    if judge is None:
        refuse_options(
            (("--max-changed", options.max_changed),),
            "needs a judge",
            "Add --judge PROFILE.",
        )
    note_unused_options(options, _UNUSED, "summaries of a check are offline.")
    note_unknown_model(options)
    if options.github and options.json:
        raise InputError(
            "--github and --json both write to standard output.",
            "Leave one of them out.",
        )
    values = offline_values(active_settings(options).layers.resolve())
    sessions, work = _sessions(options, values), _work(options, values)
    target = Path(options.junit) if options.junit else None
    # Before anything is checked: that may take minutes.
    replaces = target is not None and _may_be_replaced(target, sessions, options)
    files = checked_files(sessions, work, options)
    if judge is not None:
        files = _ask(files, judge, options)
    _note_contexts(files, options)
    if target is not None:
        write_atomic(target, junit(files, work.strategy), overwrite=replaces)
    _print_result(files, sessions, work, judge, options)
    return _exit_code(files)


def _may_be_replaced(
    target: Path, sessions: Sequence[TrialSession], options: CommonOptions
) -> bool:
    """Return whether a report may stand there already; raise where it cannot be written."""
    sources = {os.path.realpath(session.path) for session in sessions}
    if os.path.realpath(target) in sources:
        raise InputError(
            f"{target} is one of the files to check.", "Name another file."
        )
    replaces = options.yes or _is_report(target)
    check_output_file(target, overwrite=replaces)
    return replaces


def _print_result(
    files: Sequence[CheckedFile],
    sessions: Sequence[TrialSession],
    work: CheckWork,
    judge: Profile | None,
    options: CommonOptions,
) -> None:
    if options.json:
        json_output.write_json(
            "check", check_json(files, work, judge, options.max_changed)
        )
    else:
        print_checked(files, work, judge)
    if options.github:
        paths = [session.path for session in sessions]
        print_lines(
            github_annotations(
                files, [os.path.relpath(path) for path in paths], work.strategy
            )
        )


def _exit_code(files: Sequence[CheckedFile]) -> int:
    if any(file.below for file in files):
        return 1
    if any(file.is_unjudged for file in files):
        return CompactionFailed.exit_code
    return 2 if any(file.problem and not file.skipped for file in files) else 0


def _is_report(path: Path) -> bool:
    """Return True for an older report, and for an empty file: only these are replaced."""
    try:
        with path.open("rb") as file:
            head = file.read(_REPORT_HEAD)
    except OSError:
        return False
    return not head or b"<testsuite" in head


def command_parser() -> CommandParser:
    parser = transcript_parser("check", ABOUT, folder=True, opens_current=True)
    parser.unused = _UNUSED
    about = f"least share of what later turns used that is still there, 0 to 1 ({_MIN_NEEDED:g})"
    parser.add_argument(
        "--min-needed", type=share, default=_MIN_NEEDED, metavar="SHARE", help=about
    )
    about = f"most {LOSSES} allowed: {LOSSES_ABOUT}; without it any number"
    parser.add_argument(
        "--max-lost", type=at_least(0), default=None, metavar="N", help=about
    )
    add_must_options(parser)
    about = "a text of which a part is still there is no failure"
    add_flag(parser, "--allow-part", about)
    about = (
        "write the results as JUnit XML; only an older report is replaced without --yes"
    )
    parser.add_argument(
        "--junit", type=output_file_name, default=None, metavar="PATH", help=about
    )
    add_flag(
        parser,
        "--github",
        "also print each file below a bar as an annotation of GitHub Actions",
    )
    about = "ask its model whether what is not word for word says the same"
    add_text(parser.rare, "--judge", "PROFILE", about)
    add_strategy_command(parser.rare)
    about = "most sentences allowed that the judge calls changed or opposite (0)"
    parser.rare.add_argument(
        "--max-changed", type=at_least(0), default=0, metavar="N", help=about
    )
    return parser


def _sessions(options: CommonOptions, values: Values) -> list[TrialSession]:
    """Return the files to check; raises InputError for a folder without any."""
    template = TrialSession(
        path=options.file,
        name=options.file,
        values=values,
        scope=options.scope,
        model=options.model,
        format=options.format,
        request=ReadRequest(options.conversation, options.branch),
    )
    if options.file == "-" or not os.path.isdir(options.file):
        return [template]
    files, problems = folder_files(Path(options.file))
    for problem in problems:
        print_note(options, f"warning: {problem}")
    if not files:
        raise InputError(
            f"{options.file} holds no files.", "Name a folder that holds transcripts."
        )
    names = [path.relative_to(options.file).as_posix() for path in files]
    return [
        replace(template, path=str(path), name=name)
        for path, name in zip(files, names, strict=True)
    ]


def _work(options: CommonOptions, values: Values) -> CheckWork:
    return CheckWork(
        strategy=values.text(STRATEGY),
        min_needed=options.min_needed,
        max_lost=options.max_lost,
        asks=bool(options.judge),
        musts=named_musts(options),
        allows_part=options.allow_part,
    )


def _ask(
    files: Sequence[CheckedFile], judge: Profile, options: CommonOptions
) -> list[CheckedFile]:
    """Ask the judge about the results of all files, after a yes to the price of all."""
    questions = tuple(dict.fromkeys(one for file in files for one in file.questions))
    if not questions:
        return list(files)
    price = judge_price(questions, judge)
    if price.calls:
        secrets = judge_secrets(questions, judge)
        confirm_price(
            options, (judge,), price.total_text(), secrets, "leave --judge out"
        )
    retries = active_settings(options).layers.resolve().integer(RETRIES)
    cancelled = CancelOnInterrupt()
    client = model_client(judge, retries, cancelled, partial(report_event, options))
    said: dict[JudgeQuestion, Judgement] = {}
    with ConsoleProgress(options) as progress, cancelled:
        for judgement in ask_judge(questions, client, known_calibration(judge)):
            said[judgement.question] = judgement
            progress(
                len(said) / len(questions),
                f"{len(said):,} of {len(questions):,} sentences judged",
            )
    return [_with_judgements(file, said, judge, options.max_changed) for file in files]


def _with_judgements(
    file: CheckedFile,
    said: Mapping[JudgeQuestion, Judgement],
    judge: Profile,
    max_changed: int,
) -> CheckedFile:
    """Return a file with what the judge said of it; nothing but failures is a problem."""
    if not file.questions:
        return file
    judged = replace(file, judgements=tuple(said[one] for one in file.questions))
    if judged.is_unjudged:
        problem = f"Nothing was judged: {judged.judgements[0].reason}."
        return replace(judged, problem=problem)
    count = len(false_statements(judged))
    if count <= max_changed:
        return judged
    sentences = (
        f"{count:,} of {number_format.plural(len(judged.judgements), 'sentence')}"
    )
    sentence = (
        f"{file.file}: {judge.name} calls {sentences} changed or opposite, more than "
        f"{max_changed:,}."
    )
    return replace(judged, below=(*file.below, sentence))
