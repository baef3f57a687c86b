"""Compacts the first part of sessions and compares the results with the limits of ``foldline
check``, each file as a job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from core.analysis.analysis_input import AnalysisInput
from core.analysis.judge.questions import judge_questions
from core.analysis.losses.losses_of import losses_of
from core.analysis.losses.model import Losses
from core.analysis.losses.must import MustEvidence, must_evidence
from core.analysis.losses.must_files import joined_musts, must_files
from core.analysis.needed_later import CONTINUED_AT
from core.api.arguments import layers_of
from core.cli.arguments import CommonOptions
from core.cli.opened_transcript import current_context_lines
from core.cli.output.check_reports import CheckedFile
from core.cli.output.console import ConsoleProgress, print_note
from core.common import number_format
from core.common.crash_report import item_problem
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.common.process_pool import JobFailure, ProcessPool
from core.formats.common.format import ReadRequest
from core.formats.registry import load_with_reason
from core.presentation.losses_words import (
    SAID_BY_NOBODY,
    losses_count,
    missed_musts,
    missed_sentence,
)
from core.preview.options import PreviewOptions
from core.settings.schema import SettingValue
from core.transcript.model import Conversation
from core.transcript.scopes import opening_scope
from core.trials.past import backtest, part_at_share
from core.trials.run import judged, trial_preview
from core.trials.trial import NOTHING_NEEDED, Backtest, Depth, Trial, TrialResult

_MAX_MISSING = 100
"""Missing names of a file that are listed."""


_MAX_WORDS = 90  # characters of words that nobody said


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckJob:
    """A file and the bars; ``name`` is the path as it is printed, an empty ``scope`` that in which
    the file opens. ``asks``: a model judges the result. ``musts`` are the texts of the
    options that must survive; ``allows_part``: a part of each is enough."""

    path: str
    name: str
    strategy: str
    settings: dict[str, SettingValue]
    format: str
    model: str
    scope: str
    request: ReadRequest
    min_needed: float
    max_lost: int | None
    asks: bool = False
    musts: tuple[str, ...] = ()
    allows_part: bool = False


def checked_files(jobs: Sequence[CheckJob], options: CommonOptions) -> list[CheckedFile]:
    """Check a single file here, those of a folder on all cores; raises the error of a single
    file."""
    if jobs[0].path == options.file:
        conversation = _load(jobs[0])
        file = _checked(jobs[0], conversation)
        for line in current_context_lines(options.scope, conversation):
            print_note(options, line)
        return [file]
    done: dict[int, CheckedFile] = {}
    with (
        ConsoleProgress(options) as progress,
        closing(ProcessPool(check_file).run(jobs)) as results,
    ):
        for index, result in results:
            failed = isinstance(result, JobFailure)
            done[index] = (
                CheckedFile(file=jobs[index].name, problem=result.reason) if failed else result
            )
            progress(len(done) / len(jobs), f"{len(done):,} of {len(jobs):,} files checked")
    files = [done[index] for index in range(len(jobs))]
    for file in files:
        if file.skipped:
            print_note(options, f"{file.file}: skipped, it is not a transcript: {file.problem}")
    if all(file.skipped for file in files):
        raise InputError(f"{options.file} holds no transcript.", "Name a folder that holds some.")
    return files


def check_file(job: CheckJob) -> CheckedFile:
    """Run a job of a folder; an error becomes the ``problem``."""
    try:
        try:
            conversation = _load(job)
        except InputError as error:
            return CheckedFile(file=job.name, problem=str(error), skipped=True)
        return _checked(job, conversation)
    except Exception as error:  # one file ends no list
        return CheckedFile(file=job.name, problem=item_problem(error))


def _load(job: CheckJob) -> Conversation:
    conversation = load_with_reason(job.path, job.request, format=job.format)[0]
    if not conversation.messages:
        raise InputError(f"{job.name} holds no messages.", "Name a transcript.")
    return conversation


def _checked(job: CheckJob, conversation: Conversation) -> CheckedFile:
    scope = opening_scope(conversation, job.scope)
    source = AnalysisInput(
        conversation=conversation,
        values=layers_of(job.settings, job.strategy, None).resolve(),
        options=PreviewOptions(scope=scope, model=job.model),
    )
    trial, part = part_at_share(source, job.strategy, CONTINUED_AT)
    preview, past = trial_preview(source, trial, part), None
    result = judged(source, trial, preview, Depth.LOSSES, part)
    if result.needed_share is None and job.min_needed and not result.no_op:
        *_, past = backtest(source, job.strategy)
    losses = losses_of(preview, part.stages)
    musts = _musts(job, source)
    missed = missed_musts(musts, allows_part=job.allows_part)
    needed = result.kept.needed or NOTHING_NEEDED
    return CheckedFile(
        file=job.name,
        scope=scope,
        kept=(needed.kept, needed.used),
        missing=tuple(one.text for one in needed.gone[:_MAX_MISSING]),
        lost=result.kept.gone or 0,
        tokens=(result.sizes.before_tokens, result.sizes.tokens),
        no_op=result.no_op,
        below=(
            *_below(job, result, losses, past),
            *(f"{job.name}: {missed_sentence(one)}." for one in missed),
        ),
        musts=musts,
        backtest=None
        if past is None or past.share is None
        else (len(past.judged), past.needed, past.kept),
        unchecked="" if past is None or past.share is not None else _unchecked(job, past),
        questions=judge_questions(preview, losses) if job.asks else (),
    )


def _musts(job: CheckJob, source: AnalysisInput) -> tuple[MustEvidence, ...]:
    """Return what the compaction of the whole scope, as ``compact`` shows it, holds of each must."""
    texts = joined_musts(must_files(source.conversation), job.musts)
    if not texts:
        return ()
    return must_evidence(trial_preview(source, Trial(job.strategy)), texts, source.stages)


def _unchecked(job: CheckJob, past: Backtest) -> str:
    return (
        f"{job.name}: nothing that follows used what was compacted, and there is no backtest: "
        f"{past.obstacle}"
    )


def _below(
    job: CheckJob, result: TrialResult, losses: Losses, past: Backtest | None
) -> Iterator[str]:
    """Yield a sentence for each bar that a result misses."""
    needed, bar = result.kept.needed or NOTHING_NEEDED, number_format.percent(job.min_needed, 0)
    if needed.share is not None and needed.share < job.min_needed:
        share = number_format.percent_below(needed.share, job.min_needed)
        names = f"{number_format.plural(needed.used, 'name')} that later turns used"
        yield f"{job.name}: of {names}, {needed.kept:,} ({share}) are still there, below {bar}."
    if past is not None and past.share is not None and past.share < job.min_needed:
        share = number_format.percent_below(past.share, job.min_needed)
        points = number_format.plural(len(past.judged), "point")
        names = (
            f"{number_format.plural(past.needed, 'name')} that the turns after {points} of its "
            f"past used"
        )
        yield f"{job.name}: of {names}, {past.kept:,} ({share}) would still be there, below {bar}."
    if unsaid := losses.summary.unsaid:
        words = one_line_text(unsaid[0].text, _MAX_WORDS)
        yield (
            f"{job.name}: {SAID_BY_NOBODY.lower()}: {len(unsaid):,}; the summary gives “{words}” to "
            "the person, and no message of the person holds it."
        )
    gone = result.kept.gone or 0
    if job.max_lost is not None and gone > job.max_lost:
        yield f"{job.name}: {losses_count(gone)}, more than {job.max_lost:,}."
