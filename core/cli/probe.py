"""``foldline probe``: what a model still knows after a compaction, by questions whose answers are known."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from core.analysis.compare.paid_compare import total_cost
from core.analysis.cost.run_cost import RunCostEstimate, run_cost, run_requests
from core.analysis.fidelity.evaluate import source_facts
from core.analysis.probes.cost import probe_costs
from core.analysis.probes.model import ProbeAnswer
from core.analysis.probes.questions import MANY
from core.analysis.probes.runner import ProbePlan, ProbeRound, expected_answers, plan_of, probe_answers
from core.app.model_run import configured_retries
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_compaction_options,
    common_options,
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
from core.cli.output.confirm import confirm_price
from core.cli.output.console import ConsoleProgress, print_error, print_lines, print_note
from core.cli.output.notes import ProbeOutput
from core.cli.output.probe_json import probe_json
from core.cli.output.probe_text import probe_report
from core.cli.usage import whole_number
from core.common import number_format
from core.common.errors import CompactionFailed, InputError
from core.configuration.profile_store import ProfileStore
from core.llm.client import LLMClient
from core.llm.credentials import find_key
from core.llm.pricing import is_paid
from core.preview.options import Preview
from core.settings.profile import Profile
from core.tokens.counter import counter_for

ABOUT = "Ask a model what it still knows after a compaction: questions whose answers the source has."
_INSTEAD = "see the questions with --dry-run"
_MOST = 200
"""Questions of either sort that are asked at most."""


def run(arguments: Sequence[str]) -> int:
    """0 also where single questions failed, which is told; 3 where none was answered."""
    found = _parser().parse_args(arguments)
    options = common_options(found)
    wish = _wish(found)
    opened = open_conversation(options)
    judge = ProfileStore().load(found.judge) if found.judge else opened.profile
    if not found.dry_run:
        _check(opened.profile, judge, wish)
    print_warnings(opened)
    note_unread_settings(opened)
    made = make_preview(opened, calls=False)
    note_unused_summary(opened, made)
    asked_of = _planned(opened, made, wish, judge)
    if not expected_answers(asked_of.plan):
        print_error("Nothing was compacted that could be asked for.")
    elif not found.dry_run:
        asked_of = _called(asked_of, wish)
    for text in asked_of.plan.warnings:
        print_note(options, f"warning: {text}")
    if options.json:
        json_output.write_json("probe", probe_json(asked_of))
    else:
        print_lines(probe_report(asked_of))
    return 0


def _parser() -> CommandParser:
    parser = transcript_parser("probe", ABOUT)
    add_compaction_options(parser)
    parser.add_argument(
        "--questions",
        type=whole_number,
        default=MANY,
        metavar="N",
        help=f"questions from templates; {MANY} by default",
    )
    parser.add_argument(
        "--free",
        type=whole_number,
        default=0,
        metavar="N",
        help="questions that a model writes and grades as well",
    )
    parser.add_argument(
        "--judge", default="", metavar="PROFILE", help="who writes and grades them; --profile without it"
    )
    parser.add_argument(
        "--baseline", action="store_true", help="ask the same over the uncompacted history, where it fits"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show questions, expected answers and price; call nothing"
    )
    return parser


def _wish(found: argparse.Namespace) -> ProbePlan:
    for name, count, least in (("--questions", found.questions, 1), ("--free", found.free, 0)):
        if not least <= count <= _MOST:
            raise InputError(
                f"{name} {count} is out of range.", f"It takes a number from {least} to {_MOST}."
            )
    if not found.free:
        refuse_options(
            (("--judge", found.judge),), "grades only what --free asks", "Add --free N, or leave it out."
        )
    return ProbePlan(found.questions, found.free, found.baseline)


def _check(answerer: Profile, judge: Profile, wish: ProbePlan) -> None:
    for profile, is_needed in ((answerer, True), (judge, wish.free > 0)):
        if is_needed and profile.is_offline:
            raise InputError(
                f"The {profile.name} profile answers no questions.",
                "Name a model with --profile, or see the questions with --dry-run.",
            )


def _planned(opened: OpenedConversation, made: Preview, wish: ProbePlan, judge: Profile) -> ProbeOutput:
    progress = ConsoleProgress(opened.options)
    try:
        facts = source_facts(made, opened.stages, progress)
    finally:
        progress.done()
    plan = plan_of(made, facts, wish, opened.profile, judge)
    return ProbeOutput(opened, made, plan, opened.profile, judge, _price(made, plan, opened, judge)[0])


def _price(made: Preview, plan: ProbeRound, opened: OpenedConversation, judge: Profile) -> tuple[str, bool]:
    """What all calls can come to, the summary's included where it is still to be written, and whether
    anything is paid."""
    if opened.profile.is_offline:
        return (
            (
                f"{number_format.plural(expected_answers(plan), 'question')}; "
                f"{opened.profile.name} answers none of them"
            ),
            False,
        )
    summary = _summary_bill(made, opened.options)
    room = sum(made.compaction.budgets.values()) if summary else 0
    whole = total_cost([*summary, *probe_costs(plan, opened.profile, judge, room)])
    return whole.rough_words if summary else whole.words, whole.paid


def _summary_bill(made: Preview, options: CommonOptions) -> list[tuple[RunCostEstimate, bool]]:
    if not made.unwritten or made.compaction.no_op is not None:
        return []
    counter = made.sizing.counter(counter_for(made.window.model))
    asks = run_requests(made, made.writer, counter, options.focus)
    return [] if asks.is_empty else [(run_cost(asks, made.writer), is_paid(made.writer))]


def _called(found: ProbeOutput, wish: ProbePlan) -> ProbeOutput:
    """Ask, once the price was agreed to; a summary that a model writes is written first."""
    from core.cli.output.model_call import (  # late: only those who call a model need it
        CancelOnInterrupt,
        report_event,
    )

    opened, answerer, judge = found.opened, found.answerer, found.judge
    _, paid = _price(found.made, found.plan, opened, judge)
    payer = next(filter(is_paid, (answerer, judge, found.made.writer)), answerer)
    confirm_price(opened.options, payer, found.price, paid, _INSTEAD)
    keys = {one.name: find_key(one) for one in (answerer, judge)} if wish.free else {}
    keys |= {answerer.name: find_key(answerer)}
    if found.made.unwritten:
        agreed = replace(opened, options=replace(opened.options, yes=True))
        found = _planned(opened, make_preview(agreed), wish, judge)
    stopped = CancelOnInterrupt()
    make = partial(
        LLMClient,
        retries=configured_retries(found.made),
        watch=partial(report_event, opened.options),
        cancelled=stopped,
    )
    with stopped:
        callers = [make(one, keys.get(one.name, "")) for one in (answerer, judge)]
        return replace(found, given=_answers(found.plan, callers, opened.options))


def _answers(
    plan: ProbeRound, callers: Sequence[LLMClient], options: CommonOptions
) -> tuple[ProbeAnswer, ...]:
    """The answers; CompactionFailed where there is none at all."""
    progress, found, every = ConsoleProgress(options), list[ProbeAnswer](), expected_answers(plan)
    try:
        for given in probe_answers(plan, *callers):
            found.append(given)
            progress(len(found) / every, f"{len(found):,} of {number_format.plural(every, 'question')}")
    finally:
        progress.done()
    if found and all(one.score is None for one in found):
        text = f"No question was answered: {found[0].failure}."
        raise CompactionFailed(text, "Check the profile with a test call in the window's profiles dialog.")
    return tuple(found)
