"""``foldline probe``: what a model still knows after a compaction, by questions with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from core.analysis.cost.run_cost import RunCostEstimate, run_cost, run_requests, total_cost
from core.analysis.fidelity.evaluate import source_facts
from core.analysis.probes.model import (
    GradeDimension,
    ProbeAnswer,
    ProbeEstimate,
    dimension_scores,
    kind_scores,
    score_difference,
)
from core.analysis.probes.questions import DEFAULT_QUESTIONS
from core.analysis.probes.runner import (
    ProbePlan,
    ProbeRound,
    expected_answer_count,
    plan_round,
    probe_answers,
    probe_costs,
    sum_costs,
)
from core.app.model_progress import configured_retries
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_compaction_options,
    add_flag,
    add_number,
    add_text,
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
from core.cli.output import json_output
from core.cli.output.console import ConsoleProgress, print_error, print_lines, print_note
from core.cli.output.json_output import fields, head_json, rounded, sizes_json
from core.cli.output.model_call import CancelOnInterrupt, confirm_price, report_event
from core.cli.output.probe_text import ProbeOutput, probe_report
from core.common import number_format
from core.common.errors import CompactionFailed, InputError
from core.common.json_value import Json
from core.configuration.profile_store import ProfileStore
from core.llm.client import LLMClient
from core.llm.credentials import find_key
from core.llm.pricing import is_paid
from core.presentation.preview_wording import warning_texts
from core.preview.options import Preview
from core.settings.profile import Profile
from core.tokens.counter import counter_for

ABOUT = "Ask a model what it still knows after a compaction: questions whose answers the source has."
_DRY_RUN_HINT = "see the questions with --dry-run"
_MAX_QUESTIONS = 200
"""Most questions of either kind."""


def run(arguments: Sequence[str]) -> int:
    """Return 0, also where single questions failed; 3 where none was answered."""
    options = parse_options(_parser(), arguments)
    plan_options = _plan_options(options)
    opened = open_conversation(options)
    judge = ProfileStore().load(options.judge) if options.judge else opened.profile
    if not options.dry_run:
        _check(opened.profile, judge, plan_options)
    print_warnings(opened)
    note_unread_settings(opened)
    preview = make_preview(opened, calls=False)
    note_unused_summary(opened, preview)
    output = _planned(opened, preview, plan_options, judge)
    if not expected_answer_count(output.plan):
        print_error("Nothing was compacted that could be asked for.")
    elif not options.dry_run:
        output = _ask_questions(output, plan_options)
    for text in output.plan.warnings:
        print_note(options, f"warning: {text}")
    if options.json:
        json_output.write_json("probe", probe_json(output))
    else:
        print_lines(probe_report(output))
    return 0


def _parser() -> CommandParser:
    parser = transcript_parser("probe", ABOUT)
    add_compaction_options(parser)
    about = f"questions from templates; {DEFAULT_QUESTIONS} by default"
    add_number(parser, "--questions", DEFAULT_QUESTIONS, about)
    add_number(parser, "--free", 0, "questions that a model writes and grades as well")
    add_text(parser, "--judge", "PROFILE", "who writes and grades them; --profile without it")
    add_flag(parser, "--baseline", "ask the same over the uncompacted history, where it fits")
    add_flag(parser, "--dry-run", "show questions, expected answers and price; call nothing")
    return parser


def _plan_options(options: CommonOptions) -> ProbePlan:
    for name, count, minimum in (("--questions", options.questions, 1), ("--free", options.free, 0)):
        if not minimum <= count <= _MAX_QUESTIONS:
            limits = f"Must be a number from {minimum} to {_MAX_QUESTIONS}."
            raise InputError(f"{name} {count} is out of range.", limits)
    if not options.free:
        judge = ("--judge", options.judge)
        refuse_options((judge,), "only grades questions of --free", "Add --free N, or leave it out.")
    return ProbePlan(options.questions, options.free, options.baseline)


def _check(answerer: Profile, judge: Profile, plan_options: ProbePlan) -> None:
    for profile, is_needed in ((answerer, True), (judge, plan_options.free_count > 0)):
        if is_needed and profile.is_offline:
            raise InputError(
                f"The {profile.name} profile answers no questions.",
                "Name a model with --profile, or see the questions with --dry-run.",
            )


def _planned(
    opened: OpenedConversation, preview: Preview, plan_options: ProbePlan, judge: Profile
) -> ProbeOutput:
    with ConsoleProgress(opened.options) as progress:
        facts = source_facts(preview, opened.stages, progress)
    plan = plan_round(preview, facts, plan_options, opened.profile, judge)
    return ProbeOutput(opened, preview, plan, opened.profile, judge, _price(preview, plan, opened, judge)[0])


def _price(
    preview: Preview, plan: ProbeRound, opened: OpenedConversation, judge: Profile
) -> tuple[str, bool]:
    """Return the price of all calls, an unwritten summary included, and whether anything is paid."""
    if opened.profile.is_offline:
        questions = number_format.plural(expected_answer_count(plan), "question")
        return f"{questions}; {opened.profile.name} answers none of them", False
    summary = _summary_cost(preview, opened.options)
    reserved = sum(preview.compaction.budgets.values()) if summary else 0
    total = total_cost([*summary, *probe_costs(plan, opened.profile, judge, reserved)])
    return total.total_text(rough=bool(summary)), total.paid


def _summary_cost(preview: Preview, options: CommonOptions) -> list[RunCostEstimate]:
    if not preview.unwritten or preview.compaction.no_op is not None:
        return []
    counter = preview.sizing.counter(counter_for(preview.window.model))
    requests = run_requests(preview, preview.writer, counter, options.focus)
    return [] if requests.is_empty else [run_cost(requests, preview.writer)]


def _ask_questions(output: ProbeOutput, plan_options: ProbePlan) -> ProbeOutput:
    """Ask the questions, once the price was agreed to; a summary by a model is written first."""
    opened, answerer, judge = output.opened, output.answerer, output.judge
    _, paid = _price(output.preview, output.plan, opened, judge)
    payer = next(filter(is_paid, (answerer, judge, output.preview.writer)), answerer)
    confirm_price(opened.options, payer, output.price, paid, _DRY_RUN_HINT)
    called_profiles = (answerer, judge) if plan_options.free_count else (answerer,)
    keys = {profile.name: find_key(profile) for profile in called_profiles}
    if output.preview.unwritten:
        opened.options.yes = True
        output = _planned(opened, make_preview(opened), plan_options, judge)
    cancelled = CancelOnInterrupt()
    make_client = partial(
        LLMClient,
        retries=configured_retries(output.preview),
        observer=partial(report_event, opened.options),
        cancelled=cancelled,
    )
    with cancelled:
        callers = [make_client(profile, keys.get(profile.name, "")) for profile in (answerer, judge)]
        return replace(output, answers=_answers(output.plan, callers, opened.options))


def _answers(
    plan: ProbeRound, callers: Sequence[LLMClient], options: CommonOptions
) -> tuple[ProbeAnswer, ...]:
    """Return the answers; CompactionFailed where there is none at all."""
    answers, count = list[ProbeAnswer](), expected_answer_count(plan)
    with ConsoleProgress(options) as progress:
        for answer in probe_answers(plan, *callers):
            answers.append(answer)
            progress(len(answers) / count, f"{len(answers):,} of {number_format.plural(count, 'question')}")
    if answers and all(probe_answer.score is None for probe_answer in answers):
        text = f"No question was answered: {answers[0].failure}."
        raise CompactionFailed(text, "Check the profile with a test call in the window's profiles dialog.")
    return tuple(answers)


def probe_json(output: ProbeOutput) -> dict[str, Json]:
    """Return the keys of ``probe --json``; null for what was not asked."""
    preview, answers = output.preview, output.answers
    warnings = (*warning_texts(output.opened.conversation), *preview.warnings, *output.plan.warnings)
    return {
        **head_json(output.opened, preview.history.scope),
        "strategy": preview.strategy.name,
        "mode": preview.mode,
        "answerer": fields(output.answerer, "profile=name model"),
        "judge": fields(output.judge, "profile=name model") if output.plan.free_count else None,
        "writer": fields(preview.writer, "profile=name model"),
        **sizes_json(preview),
        "price": output.price,
        "asked": expected_answer_count(output.plan),
        "answered": sum(item.score is not None for item in answers) if answers else None,
        "cost": sum_costs(answers) if answers else None,
        "scores": [
            (
                {
                    "kind": item.kind.value if item.kind else "all",
                    "asked": item.question_count,
                    "compacted": _estimate(item.compacted),
                    "whole": _estimate(item.uncompacted) if item.uncompacted.n else None,
                }
            )
            for item in kind_scores(answers)
        ]
        if answers
        else None,
        "difference": _estimate(score_difference(answers)) if output.plan.uncompacted and answers else None,
        "free": {item.value: _estimate(mean) for item, mean in dimension_scores(answers)} or None,
        "warnings": list(dict.fromkeys(warnings)),
        "questions": [
            fields(question, "kind question=text expected messages") for question in output.plan.questions
        ],
        "answers": list(map(_answer, answers)),
    }


def _estimate(estimate: ProbeEstimate) -> Json:
    bounds = {name: rounded(getattr(estimate, name)) for name in ("mean", "low", "high")}
    return {"answered": estimate.n, **bounds}


def _answer(answer: ProbeAnswer) -> Json:
    grades = {name.value: grade for name, grade in zip(GradeDimension, answer.grades, strict=False)}
    return {
        "kind": answer.question.kind,
        "free": answer.question.is_free,
        "over": "whole" if answer.is_uncompacted else "compacted",
        "question": answer.question.text,
        "expected": answer.question.expected,
        "given": answer.answer if answer.score is not None else None,
        "score": rounded(answer.score),
        "grades": grades or None,
        "failure": answer.failure or None,
        "cost": answer.cost,
    }
