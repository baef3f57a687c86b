"""``foldline probe``: what a model still knows after a compaction, by questions with known
answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from core.analysis.quiz.model import (
    QuizAnswer,
    QuizEstimate,
    QuizKind,
    QuizKindScore,
    QuizQuestion,
    kind_scores,
    score_difference,
)
from core.analysis.quiz.questions import DEFAULT_QUESTIONS, MAX_QUESTIONS
from core.analysis.quiz.runner import (
    MAX_FAILURES,
    QuizPlan,
    QuizProgress,
    expected_answer_count,
    quiz_costs,
    quiz_secrets,
    sum_costs,
)
from core.analysis.run_price import RunCostEstimate, run_cost, total_cost
from core.app.services.quiz import QuizService
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_compaction_options,
    add_flag,
    add_number,
    add_text,
    parse_options,
    transcript_parser,
)
from core.cli.make_preview import make_preview
from core.cli.opened_transcript import (
    OpenedConversation,
    head_json,
    note_unread_settings,
    note_unused_summary,
    open_conversation,
    print_warnings,
)
from core.cli.output import json_output
from core.cli.output.console import ConsoleProgress, print_error, print_lines, print_note
from core.cli.output.json_output import rounded, sizes_json
from core.cli.output.model_call import CancelOnInterrupt, confirm_price, report_event
from core.cli.output.tables import aligned_table, titled_section, titled_table
from core.common import number_format
from core.common.errors import CompactionFailed, InputError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.common.number_format import dollar_text
from core.llm.credentials import find_key
from core.llm.destination import checked_destination
from core.presentation.preview_wording import preview_warnings, request_sizes_text, warning_texts
from core.presentation.quiz_page import (
    answer_verdict,
    grader_text,
    interval_text,
    score_table,
    signed_score,
)
from core.preview.options import Preview
from core.preview.summary_requests import requests_of
from core.settings.profile import Profile
from core.settings_store.profile_store import ProfileStore

ABOUT = (
    "Ask a model what it still knows after a compaction: questions whose answers the source has."
)
_NOTHING_TO_ASK = "Nothing was compacted that could be asked for."
_DRY_RUN_HINT = "see the questions with --dry-run"


def run(arguments: Sequence[str]) -> None:
    """Exit code 0, also where single questions failed; 3 where none was answered."""
    options = parse_options(_parser(), arguments)
    plan_options = _plan_options(options)
    transcript = open_conversation(options)
    judge = ProfileStore().load(options.judge) if options.judge else transcript.profile
    if not options.dry_run:
        _check(transcript.profile, judge)
    print_warnings(transcript)
    note_unread_settings(transcript)
    preview = make_preview(transcript, calls=False)
    transcript.current_preview = preview
    note_unused_summary(transcript, preview)
    service = QuizService(transcript)
    found = _planned(service, transcript, plan_options, judge)
    price = _price(transcript, found)
    if not expected_answer_count(found.plan):
        print_error(_NOTHING_TO_ASK)
    elif not options.dry_run:
        confirm_price(options, _callers(found), price, quiz_secrets(found.plan), _DRY_RUN_HINT)
        found = _ask_questions(service, transcript, found)
    for text in found.plan.warnings:
        print_note(options, f"warning: {text}")
    if options.json:
        json_output.write_json("probe", quiz_json(transcript, found, price))
    else:
        print_lines(quiz_report(transcript, found, price))


def _parser() -> CommandParser:
    parser = transcript_parser("probe", ABOUT, opens_current=True)
    add_compaction_options(parser)
    about = f"most questions from facts; {DEFAULT_QUESTIONS} by default"
    add_number(parser, "--questions", DEFAULT_QUESTIONS, about)
    add_number(
        parser, "--free", 0, "questions that a model writes, each from a stretch of the source"
    )
    add_text(
        parser,
        "--judge",
        "PROFILE",
        "who grades the answers, and writes questions; --profile without it",
    )
    add_flag(parser, "--baseline", "ask the same over the uncompacted history, where it fits")
    add_flag(parser, "--dry-run", "show questions, expected answers and price; call nothing")
    return parser


def _plan_options(options: CommonOptions) -> QuizPlan:
    for name, count, minimum in (
        ("--questions", options.questions, 1),
        ("--free", options.free, 0),
    ):
        if not minimum <= count <= MAX_QUESTIONS:
            limits = f"Must be a number from {minimum} to {MAX_QUESTIONS}."
            raise InputError(f"{name} {count} is out of range.", limits)
    return QuizPlan(options.questions, options.free, options.baseline)


def _check(answerer: Profile, judge: Profile) -> None:
    for profile, does, option in ((answerer, "answers", "--profile"), (judge, "grades", "--judge")):
        if profile.is_offline:
            what = "questions" if profile is answerer else "answers"
            raise InputError(
                f"The {profile.name} profile {does} no {what}.",
                f"Name a model with {option}, or see the questions with --dry-run.",
            )


def _planned(
    service: QuizService, transcript: OpenedConversation, plan_options: QuizPlan, judge: Profile
) -> QuizProgress:
    with ConsoleProgress(transcript.options) as transcript.progress:
        return service.plan(plan_options, judge)


def _price(transcript: OpenedConversation, found: QuizProgress) -> str:
    """Return the price of all calls, an unwritten summary included."""
    preview, plan, profile = found.preview, found.plan, found.profile
    if profile.is_offline:
        questions = number_format.plural(expected_answer_count(plan), "question")
        return f"{questions}; {profile.name} answers none of them"
    summary = _summary_cost(transcript, preview)
    reserved = sum(preview.result.compaction.budgets.values()) if summary else 0
    total = total_cost([*summary, *quiz_costs(plan, profile, found.judge, reserved)])
    return total.total_text(rough=bool(summary))


def _callers(found: QuizProgress) -> tuple[Profile, ...]:
    """Return the profiles that receive a request: for the answers, their grades and a missing
    summary."""
    summary_profile = (found.preview.summary.profile,) if found.preview.summary.unwritten else ()
    return tuple(map(_checked, (found.profile, found.judge, *summary_profile)))


def _checked(profile: Profile) -> Profile:
    checked_destination(profile)
    return profile


def _summary_cost(transcript: OpenedConversation, preview: Preview) -> list[RunCostEstimate]:
    if not preview.summary.unwritten or preview.result.compaction.no_op is not None:
        return []
    requests = requests_of(preview)
    return [] if requests.is_empty else [run_cost(requests, preview.summary.profile)]


def _ask_questions(
    service: QuizService, transcript: OpenedConversation, found: QuizProgress
) -> QuizProgress:
    """Ask the questions; a summary by a model is written first. Raises CompactionFailed where there
    is no answer at all."""
    for profile in (found.profile, found.judge):
        find_key(profile)  # before a summary is paid for
    if found.preview.summary.unwritten:
        transcript.options.yes = True
        transcript.current_preview = make_preview(transcript)
        found = _planned(service, transcript, found.request, found.judge)
    if not (count := expected_answer_count(found.plan)):  # the written summary left nothing out
        print_error(_NOTHING_TO_ASK)
        return found
    transcript.is_cancelled = CancelOnInterrupt()
    with ConsoleProgress(transcript.options) as progress, transcript.is_cancelled:
        for asked in service.ask(found, partial(report_event, transcript.options)):
            done = len(asked.answers)
            progress(done / count, f"{done:,} of {number_format.plural(count, 'question')}")
    if asked.answers and all(answer.score is None for answer in asked.answers):
        first = asked.answers[0]
        text = (
            f"No {'answer was graded' if first.answer else 'question was answered'}: "
            f"{first.failure}."
        )
        raise CompactionFailed(
            text, "Check the profile with a test call in the window's profiles dialog."
        )
    return asked


def quiz_json(transcript: OpenedConversation, found: QuizProgress, price: str) -> dict[str, Json]:
    """Return the keys of ``probe --json``; null for what was not asked."""
    preview, answers, plan = found.preview, found.answers, found.plan
    warnings = (*warning_texts(transcript.conversation), *preview_warnings(preview), *plan.warnings)
    return {
        **head_json(transcript, preview.source.history.scope),
        "strategy": preview.strategy.name,
        "mode": preview.mode,
        "answerer": {"profile": found.profile.name, "model": found.profile.model},
        "judge": {"profile": found.judge.name, "model": found.judge.model},
        "calibration": found.calibration and asdict(found.calibration),
        "writer": {
            "profile": preview.summary.profile.name,
            "model": preview.summary.profile.model,
        },
        **sizes_json(preview),
        "price": price,
        "asked": expected_answer_count(plan),
        "answered": sum(bool(item.answer) for item in answers) if answers else None,
        "graded": sum(item.score is not None for item in answers) if answers else None,
        "cost": sum_costs(answers) if answers else None,
        "scores": [_scores_json(item) for item in kind_scores(answers)] if answers else None,
        "difference": _estimate(score_difference(answers))
        if plan.uncompacted and answers
        else None,
        "warnings": list(dict.fromkeys(warnings)),
        "questions": [
            {
                "kind": question.kind,
                "question": question.text,
                "expected": question.points,
                "messages": question.messages,
            }
            for question in plan.questions
        ],
        "answers": list(map(_answer, answers)),
    }


def _scores_json(item: QuizKindScore) -> dict[str, Json]:
    return {
        "kind": item.kind.value if item.kind else "all",
        "asked": item.question_count,
        "compacted": _estimate(item.compacted),
        "whole": _estimate(item.uncompacted) if item.uncompacted.n else None,
    }


def _estimate(estimate: QuizEstimate) -> Json:
    bounds = {"mean": estimate.mean, "low": estimate.low, "high": estimate.high}
    return {"graded": estimate.n} | {name: rounded(value) for name, value in bounds.items()}


def _answer(answer: QuizAnswer) -> Json:
    return {
        "kind": answer.question.kind,
        "over": "whole" if answer.is_uncompacted else "compacted",
        "question": answer.question.text,
        "expected": answer.question.points,
        "messages": answer.question.messages,
        "source": answer.question.quote or None,
        "given": answer.answer or None,
        "score": rounded(answer.score),
        "verdicts": [
            {"verdict": one.verdict, "quote": one.quote or None, "reason": one.reason or None}
            for one in answer.judgements
        ],
        "failure": answer.failure or None,
        "cost": answer.cost,
    }


_MAX_TEXT = 400
_KIND_WIDTH = max(map(len, QuizKind))


def quiz_report(transcript: OpenedConversation, found: QuizProgress, price: str) -> list[str]:
    """Return the report: the questions where no model was called, else scores and errors."""
    preview, answers = found.preview, found.answers
    name = one_line_text(transcript.conversation.document.name, 60)
    rows = [("context", request_sizes_text(preview))]
    head = (f"{name} · {preview.strategy.name}", *transcript.scope_lines)
    if not answers:
        questions = _questions(found.plan.questions, len(found.plan.stretches))
        return [
            *head,
            *aligned_table([*rows, ("price", price)]),
            *titled_section("Questions", questions),
        ]
    rows.append(("answered by", f"{found.profile.name} ({found.profile.model})"))
    rows += [("graded by", grader_text(found)), ("graded", _graded(found))]
    rows.append(
        ("cost", "not known" if (cost := sum_costs(answers)) is None else dollar_text(cost))
    )
    wrong = [
        answer
        for answer in answers
        if answer.score is not None and answer.score < 1 and not answer.is_uncompacted
    ]
    failed = [
        (answer_verdict(one), one.question.kind.value, one_line_text(f"{one.failure}.", _MAX_TEXT))
        for one in answers
        if one.score is None
    ]
    return [
        *head,
        *aligned_table(rows),
        *titled_section("Score by kind", _scores(answers)),
        *titled_section("Not right", _wrong(wrong)),
        *titled_table("Not answered or not graded", failed),
    ]


def _questions(questions: Sequence[QuizQuestion], written: int) -> list[str]:
    lines = []
    for question in questions:
        text = one_line_text(question.text, _MAX_TEXT)
        expected = [("", f"→ {one_line_text(line, _MAX_TEXT)}") for line in question.points]
        lines += aligned_table([(question.kind.value.ljust(_KIND_WIDTH), text)])
        lines += aligned_table(expected, indent="    ")
    more_text = f"  and {number_format.plural(written, 'question')} that the model writes"
    return [*lines, more_text] if written else lines


def _graded(found: QuizProgress) -> str:
    answers, count = found.answers, expected_answer_count(found.plan)
    graded = sum(answer.score is not None for answer in answers)
    unasked = count - len(answers)
    stopped = (
        f"; stopped after {MAX_FAILURES} failures in a row, {unasked:,} not asked"
        if unasked
        else ""
    )
    return f"{graded:,} of {count:,}{stopped}"


def _scores(answers: Sequence[QuizAnswer]) -> list[str]:
    head, rows = score_table(answers)
    lines = aligned_table(rows, (1, 2, 3, 4, 5), head=head)
    difference = score_difference(answers)
    if difference.n:
        interval, number = interval_text(difference), number_format.plural(difference.n, "question")
        beside = f"beside the uncompacted history, over {number}"
        lines.append(f"  {signed_score(difference.mean)} ({interval}) {beside}")
    return lines


def _wrong(answers: Sequence[QuizAnswer]) -> list[str]:
    lines = []
    for answer in answers:
        head = (
            answer_verdict(answer).ljust(_KIND_WIDTH),
            answer.question.kind.value.ljust(_KIND_WIDTH),
        )
        lines += aligned_table([(*head, one_line_text(answer.question.text, _MAX_TEXT))])
        texts = (("expected", " / ".join(answer.question.points)), ("given", answer.answer))
        rows = [(label, one_line_text(text, _MAX_TEXT)) for label, text in texts]
        lines += aligned_table(rows, indent="    ")
    return lines
