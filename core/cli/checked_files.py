"""Compacts the first part of sessions and compares the results with the limits of ``foldline
check``, each file as a job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.analysis.analysis_input import AnalysisInput
from core.cli.arguments import CommonOptions
from core.cli.opened_transcript import current_context_lines
from core.cli.output.check_reports import CheckedFile
from core.cli.output.console import print_note
from core.cli.session_answers import session_answers
from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.losses.evidence import Losses
from core.losses.judge_questions import judge_questions
from core.losses.losses_of import losses_of
from core.losses.must_keep import MustEvidence, TypedMusts, must_evidence, session_musts
from core.losses.needed_later import CONTINUED_AT
from core.presentation.losses_words import (
    SAID_BY_NOBODY,
    losses_count,
    missed_musts,
    missed_sentence,
)
from core.trials.past import backtest, part_at_share
from core.trials.run import judged, trial_preview
from core.trials.sessions import (
    SessionAnswer,
    SessionJob,
    TrialSession,
    named_problem,
    opened_session,
)
from core.trials.trial import NOTHING_NEEDED, Backtest, Depth, Trial, TrialResult

_MAX_MISSING = 100
"""Missing names of a file that are listed."""
_MAX_WORDS = 90  # characters of words that nobody said


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckWork:
    """Checks whether a session passes. ``asks``: a model judges the result. ``musts`` are the
    texts of the options that must survive; ``allows_part``: a part of each is enough."""

    strategy: str
    min_needed: float
    max_lost: int | None
    asks: bool = False
    musts: tuple[str, ...] = ()
    allows_part: bool = False

    def __call__(self, source: AnalysisInput, file: TrialSession) -> CheckedFile:
        if not source.conversation.messages:
            raise InputError(f"{file.name} holds no messages.", "Name a transcript.")
        return _checked(self, source, file.name)


def checked_files(
    files: Sequence[TrialSession], work: CheckWork, options: CommonOptions
) -> list[CheckedFile]:
    """Check a single file here, those of a folder on all cores; raises the error of a single
    file."""
    if files[0].path == options.file:
        source = opened_session(files[0])
        checked = work(source, files[0])
        for line in current_context_lines(options.scope, source.conversation):
            print_note(options, line)
        return [checked]
    jobs = [SessionJob(file, work) for file in files]
    found = [
        _checked_file(one) for one in session_answers(jobs, "cores", options, "checked")
    ]
    for one in found:
        if one.skipped:
            print_note(options, f"Skipped: {named_problem(one.file, one.problem)}")
    if all(one.skipped for one in found):
        raise InputError(
            f"{options.file} holds no transcript.", "Name a folder that holds some."
        )
    return found


def _checked_file(answer: SessionAnswer[CheckedFile]) -> CheckedFile:
    if answer.result is not None:
        return answer.result
    return CheckedFile(
        file=answer.name, problem=answer.problem, skipped=not answer.is_transcript
    )


def _backtest_counts(past: Backtest | None) -> tuple[int, int, int] | None:
    """Return what was judged, needed and kept; None where the past could not be judged."""
    if past is None or past.share is None:
        return None
    return len(past.judged), past.needed, past.kept


def _checked(work: CheckWork, source: AnalysisInput, name: str) -> CheckedFile:
    trial, part = part_at_share(source, work.strategy, CONTINUED_AT)
    preview = trial_preview(source, trial, part)
    past = None
    result = judged(source, trial, preview, Depth.LOSSES, part)
    if result.needed_share is None and work.min_needed and not result.no_op:
        *_, past = backtest(source, work.strategy)
    losses = losses_of(preview, part.stages)
    musts = _musts(work, source)
    missed = missed_musts(musts, allows_part=work.allows_part)
    needed = result.losses.needed or NOTHING_NEEDED
    return CheckedFile(
        file=name,
        scope=source.options.scope,
        kept=(needed.kept, needed.used),
        missing=tuple(one.text for one in needed.gone[:_MAX_MISSING]),
        lost=result.losses.gone or 0,
        tokens=(result.sizes.before_tokens, result.sizes.tokens),
        no_op=preview.result.compaction.no_op,
        below=(
            *_below(work, name, result, losses, past),
            *(f"{name}: {missed_sentence(one)}." for one in missed),
        ),
        musts=musts,
        backtest=_backtest_counts(past),
        unchecked=""
        if past is None or past.share is not None
        else _unchecked(name, past),
        questions=judge_questions(preview, losses) if work.asks else (),
    )


def _musts(work: CheckWork, source: AnalysisInput) -> tuple[MustEvidence, ...]:
    """Return what the compaction of the whole scope holds of each must, as ``compact`` without
    ``--must`` makes it: a check judges what happens to those who do not name them."""
    texts = session_musts(source.conversation, TypedMusts(work.musts))
    if not texts:
        return ()
    return must_evidence(
        trial_preview(source, Trial(work.strategy)), texts, source.stages
    )


def _unchecked(name: str, past: Backtest) -> str:
    return (
        f"{name}: not checked: later turns used nothing of what was compacted, and no backtest is "
        f"possible. {past.obstacle}"
    )


def _below(
    work: CheckWork,
    name: str,
    result: TrialResult,
    losses: Losses,
    past: Backtest | None,
) -> Iterator[str]:
    """Yield a sentence for each reason why a result fails."""
    needed = result.losses.needed or NOTHING_NEEDED
    least = number_format.percent(work.min_needed, 0)
    if needed.share is not None and needed.share < work.min_needed:
        share = number_format.percent_below(needed.share, work.min_needed)
        names = number_format.plural(needed.used, "name")
        are = "is" if needed.kept == 1 else "are"
        yield (
            f"{name}: later turns used {names}, of which {needed.kept:,} ({share}) {are} still "
            f"there; --min-needed asks for {least}."
        )
    if past is not None and past.share is not None and past.share < work.min_needed:
        share = number_format.percent_below(past.share, work.min_needed)
        points = number_format.plural(len(past.judged), "point")
        names = number_format.plural(past.needed, "name")
        yield (
            f"{name}: the turns after {points} of its past used {names}, of which {past.kept:,} "
            f"({share}) would still be there; --min-needed asks for {least}."
        )
    if unsaid := losses.summary.unsaid:
        words = one_line_text(unsaid[0].text, _MAX_WORDS)
        yield (
            f"{name}: {SAID_BY_NOBODY.lower()}: {len(unsaid):,}. The summary says that the person "
            f"said “{words}”, and no message of the person holds that."
        )
    gone = result.losses.gone or 0
    if work.max_lost is not None and gone > work.max_lost:
        yield f"{name}: {losses_count(gone)}; --max-lost allows {work.max_lost:,}."
