"""``foldline check``: fail where a compaction loses what the rest of a session needed, for CI."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
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
from core.cli.output.check_reports import (
    CheckedFile,
    false_lines,
    false_statements,
    github_annotations,
    junit,
)
from core.cli.output.console import (
    ConsoleProgress,
    check_output_file,
    print_error,
    print_lines,
)
from core.cli.output.model_call import CancelOnInterrupt, confirm_price, report_event
from core.cli.output.tables import paragraph
from core.cli.session_answers import named_sessions
from core.common import number_format
from core.common.atomic_file import output_file_name, write_atomic
from core.common.errors import CompactionFailed, InputError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.formats.common.format import ReadRequest
from core.losses.evidence import MustStatus, counted_musts
from core.losses.judge import judge as ask_judge
from core.losses.judge import judge_price, judge_secrets, stored_calibration
from core.losses.judge_questions import Judgement, JudgeQuestion
from core.presentation.losses_json import judge_json, judgement_json
from core.presentation.losses_words import (
    LOSSES,
    LOSSES_ABOUT,
    judged_sentence,
    losses_count,
    must_json,
)
from core.settings.profile import Profile
from core.settings.schema import LIMIT, RETRIES, STRATEGY, Values, offline_values
from core.transcript.compaction import NoOpCode
from core.trials.sessions import TrialSession

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
    """Return 0 if every session passes, 1 if one does not, 3 if the judge said nothing of one, 2
    if one could not be checked."""
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
    request = ReadRequest(options.conversation, options.branch)
    sessions = [
        replace(one, request=request) for one in named_sessions(options, values)
    ]
    work = _work(options, values)
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
        paths = [os.path.relpath(session.path) for session in sessions]
        print_lines(github_annotations(files, paths, work.strategy))


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
        "also print each session that fails as an annotation of GitHub Actions",
    )
    about = "ask its model whether what is not word for word says the same"
    add_text(parser.rare, "--judge", "PROFILE", about)
    add_strategy_command(parser.rare)
    about = "most sentences allowed that the judge calls changed or opposite (0)"
    parser.rare.add_argument(
        "--max-changed", type=at_least(0), default=0, metavar="N", help=about
    )
    return parser


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
        for judgement in ask_judge(questions, client, stored_calibration(judge)):
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


# The results as text and JSON.

_MOST_GONE = 10  # names
_MAX_TEXT = 120  # characters of a must


def check_json(
    files: Sequence[CheckedFile],
    work: CheckWork,
    judge: Profile | None,
    max_changed: int,
) -> dict[str, Json]:
    judged = judge and {
        "max_changed": max_changed,
        **judge_json(judge, stored_calibration(judge)),
    }
    return {
        "strategy": work.strategy,
        "min_needed": work.min_needed,
        "max_lost": work.max_lost,
        "passed": not any(map(_has_failed, files)),
        "files": [_file_json(file, is_judged=judge is not None) for file in files],
        "judged": judged,
    }


def _has_failed(file: CheckedFile) -> bool:
    return bool(file.below) or bool(file.problem and not file.skipped)


def _file_json(file: CheckedFile, *, is_judged: bool) -> dict[str, Json]:
    before, after = file.tokens or (None, None)
    kept, needed = file.kept or (None, None)
    return {
        "file": file.file,
        "scope": file.scope or None,
        "needed": needed,
        "kept": kept,
        "missing": file.missing,
        "lost": file.lost,
        "tokens_before": before,
        "tokens_after": after,
        "no_op": file.no_op and file.no_op.reason,
        "below": file.below,
        "problem": file.problem or None,
        "skipped": file.skipped,
        "backtest": _backtest(file),
        "unchecked": file.unchecked or None,
        "must": list(map(must_json, file.musts)),
        "judgements": list(map(judgement_json, file.judgements)) if is_judged else None,
    }


def _backtest(file: CheckedFile) -> Json:
    names = "points", "needed", "kept"
    if file.backtest is None:
        return None
    return dict(zip(names, file.backtest, strict=True))


def print_checked(
    files: Sequence[CheckedFile], work: CheckWork, judge: Profile | None
) -> None:
    for file in files:
        if file.problem and not file.skipped:
            print_error(f"{file.file}: {file.problem}")
        if not file.problem:
            print_lines([figures_line(file, work.min_needed)])
        print_lines([*file.below, *_gone(file)])
        print_lines([f"  {line}" for line in false_lines(file)])
        if file.unchecked:
            print_lines([file.unchecked])
    judgements = list(chain.from_iterable(file.judgements for file in files))
    if judge is not None and judgements:
        print_lines([judged_sentence(judgements, judge, stored_calibration(judge))])
    checked = [file for file in files if not file.problem]
    verdict = _verdict(is_failed=any(map(_has_failed, files)))
    total = f"{verdict}: {_sum_of(files, work.strategy)}"
    print_lines([*_never_said(checked), total])


def _gone(file: CheckedFile) -> list[str]:
    """Return the needed names that are gone from a file that failed."""
    if not file.below or not file.missing:
        return []
    names = ", ".join(file.missing[:_MOST_GONE])
    more = ", …; --json lists all" if len(file.missing) > _MOST_GONE else ""
    return paragraph(f"needed, and gone: {names}{more}", "  ", "  ")


def _verdict(*, is_failed: bool) -> str:
    return "failed" if is_failed else "passed"


def figures_line(file: CheckedFile, min_needed: float) -> str:
    """Return "passed: a.jsonl: kept 2 of 3 needed names (66 %), no losses, 1 of 1 must word for
    word.", from which a person sets ``--min-needed`` and ``--max-lost``."""
    if file.no_op:
        figures = ["nothing was compacted"]
    else:
        figures = [_needed(file, min_needed), losses_count(file.lost or 0)]
    said = [one.status for one in counted_musts(file.musts)]
    if said:
        found = said.count(MustStatus.WORD_FOR_WORD)
        musts = number_format.plural(len(said), "must")
        figures.append(f"{found:,} of {musts} word for word")
    verdict = _verdict(is_failed=_has_failed(file))
    return f"{verdict}: {file.file}: {', '.join(figures)}."


def _needed(file: CheckedFile, min_needed: float) -> str:
    """Return how many of the needed names are still there, by the backtest where nothing later
    was needed."""
    kept, used = file.kept or (0, 0)
    noun = "needed name"
    if not used and file.backtest is not None:
        _, used, kept = file.backtest
        noun = "name needed in its past"
    if not used:
        return "no name was needed later"
    share = kept / used
    if share < min_needed:
        percent = number_format.percent_below(share, min_needed)
    else:
        percent = number_format.percent(share, 0)
    names = number_format.plural(used, noun, noun.replace("name", "names"))
    return f"kept {kept:,} of {names} ({percent})"


def _never_said(checked: Sequence[CheckedFile]) -> list[str]:
    """Return a line for each must that no session says: it can fail in none."""
    said = set[str]()
    texts: dict[str, None] = {}
    for file in checked:
        texts |= dict.fromkeys(one.text for one in file.musts)
        said |= {one.text for one in counted_musts(file.musts)}
    if len(checked) == 1:
        where = MustStatus.NOT_SAID.value
    else:
        where = f"said in none of {len(checked):,} sessions"
    return [
        f"“{one_line_text(text, _MAX_TEXT)}” is {where}, so it was not checked."
        for text in texts
        if text not in said
    ]


def _sum_of(files: Sequence[CheckedFile], strategy: str) -> str:
    """Return "middle-out: 1 of 3 sessions failed; in 1 nothing was compacted." and, where nothing
    was tested so, how to make the strategy act."""
    sessions = [file for file in files if not file.skipped]
    failed = sum(map(_has_failed, sessions))
    idle = sum(bool(file.no_op) for file in sessions)
    unchecked = sum(bool(file.unchecked) for file in sessions)
    of_all = number_format.plural(len(sessions), "session")
    said = f"{strategy}: {failed:,} of {of_all} failed"
    if idle:
        said += f"; in {idle:,} nothing was compacted"
    if unchecked:
        said += f"; of {unchecked:,} it is not known what was needed"
    no_ops = [file.no_op.code for file in sessions if file.no_op is not None]
    if NoOpCode.UNDER_TARGET in no_ops:
        said += f". To make {strategy} act there, lower the limit: --set {LIMIT}=N"
    return f"{said}."
