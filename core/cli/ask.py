"""``foldline ask``: asks a model whether reworded sentences of a compacted session still mean the
same, and whether it finds in the result what the source has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from core.app.services.ask import AskService, model_client
from core.cli.active_settings import active_settings
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_compaction_options,
    add_flag,
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
from core.cli.output.console import ConsoleProgress, print_lines, print_note
from core.cli.output.json_output import write_json
from core.cli.output.model_call import CancelOnInterrupt, confirm_price, report_event
from core.cli.output.tables import aligned_table, titled_section
from core.common import number_format
from core.common.errors import CompactionFailed, InputError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.losses.judge import (
    JudgeProgress,
    calibration_questions,
    judge,
    judge_price,
    remember_calibration,
)
from core.losses.judge_questions import Judgement, JudgeQuestion, JudgeVerdict
from core.presentation.losses_json import judged_json
from core.presentation.losses_page import asked_text
from core.presentation.losses_words import judged_sentence
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import RETRIES
from core.settings_store.profile_store import ProfileStore

ABOUT = (
    "Ask a model about a result: does what is not word for word say the same, and does it find what the "
    "source has? Quotes and answers are checked. Summaries are offline, or the text of --summary-file."
)
_MAX_TEXT = 90  # characters of a statement or a quote in the table


def run(arguments: Sequence[str]) -> None:
    """Exit code 0, whatever the verdicts; 3 where nothing was answered."""
    options = parse_options(command_parser(), arguments)
    if not options.file:
        _calibrate_alone(options)
        return
    transcript = open_conversation(options)
    profile = transcript.profile
    if profile.is_offline and not options.dry_run:
        hint = "Name one with a model (--profile), or see the questions with --dry-run."
        raise InputError(
            f"The profile {profile.name} calls no model that could answer.", hint
        )
    print_warnings(transcript)
    note_unread_settings(transcript)
    transcript.profile = BUILT_IN  # the summary is written offline
    transcript.current_preview = make_preview(transcript, calls=False)
    note_unused_summary(transcript, transcript.current_preview)
    transcript.profile = profile
    service = AskService(transcript)
    if options.calibrate and not options.dry_run:
        _calibrate(service, transcript)
    found = service.plan()
    if not options.dry_run:
        found = ask_judge(
            service, transcript, found, "see the questions with --dry-run"
        )
    if options.json:
        write_json("ask", _json(transcript, found))
    else:
        print_lines(_report(transcript, found))


def command_parser() -> CommandParser:
    parser = transcript_parser("ask", ABOUT, opens_current=True, needs_file=False)
    add_compaction_options(parser)
    about = "first put 60 shipped pairs to the model, and print how it did; without FILE nothing else"
    add_flag(parser, "--calibrate", about)
    add_flag(
        parser, "--dry-run", "show what would be asked, and the price; call nothing"
    )
    return parser


def _calibrate(service: AskService, transcript: OpenedConversation) -> None:
    """Put the shipped pairs to the model, and print how it did."""
    found = ask_judge(
        service,
        transcript,
        service.plan(calibration_questions()),
        "leave --calibrate out",
    )
    calibration = remember_calibration(found.profile, found.judgements)
    print_note(
        transcript.options,
        f"{found.profile.name} ({found.profile.model}): {calibration.text}.",
    )


def _calibrate_alone(options: CommonOptions) -> None:
    """Put the shipped pairs to the model of the profile, and print how it did and what follows."""
    if not options.calibrate or options.json or options.dry_run:
        raise InputError(
            "foldline ask needs a FILE.",
            "Name a transcript; only --calibrate alone works without one.",
        )
    active = active_settings(options)
    profile = active.profile
    questions = calibration_questions()
    if profile.is_offline:
        raise InputError(
            f"The profile {profile.name} calls no model that could answer.",
            "Name one with a model (--profile).",
        )
    price = judge_price(questions, profile)
    if price.calls:
        confirm_price(
            options, (profile,), price.total_text(), 0, "leave --calibrate out"
        )
    cancelled = CancelOnInterrupt()
    judgements = list[Judgement]()
    retries = active.layers.resolve().integer(RETRIES)
    client = model_client(profile, retries, cancelled, partial(report_event, options))
    with ConsoleProgress(options) as progress, cancelled:
        for one in judge(questions, client):
            judgements.append(one)
            progress(
                len(judgements) / len(questions),
                f"{len(judgements)} of {len(questions)}",
            )
    calibration = remember_calibration(profile, judgements)
    if calibration.is_enough:
        end = ""
    else:
        end = " Its verdicts are withheld."
    print_lines([f"{profile.name} ({profile.model}): {calibration.text}.{end}"])


def judging_profile(name: str) -> Profile:
    """Return the profile of ``--judge``; raise InputError where it has no model."""
    profile = ProfileStore().load(name)
    if profile.is_offline:
        raise InputError(
            f"The profile {profile.name} calls no model that could judge.",
            "Name one with a model (--judge).",
        )
    return profile


def ask_judge(
    service: AskService,
    transcript: OpenedConversation,
    judged: JudgeProgress,
    alternative: str,
) -> JudgeProgress:
    """Ask what was planned, after a yes to its price; ``alternative`` is the way out without one.
    Raises CompactionFailed where nothing was judged."""
    if not judged.questions:
        return judged
    if judged.price.calls:
        price = judged.price.total_text()
        confirm_price(
            transcript.options, (judged.profile,), price, judged.secrets, alternative
        )
    count = len(judged.questions)
    asked_words = asked_text(judged.questions)
    transcript.is_cancelled = CancelOnInterrupt()
    with ConsoleProgress(transcript.options) as progress, transcript.is_cancelled:
        for asked in service.ask(judged, partial(report_event, transcript.options)):
            done = len(asked.judgements)
            progress(done / count, f"{done:,} of {asked_words}")
    if asked.judgements and all(one.reason for one in asked.judgements):
        raise CompactionFailed(
            f"Nothing was judged: {asked.judgements[0].reason}.", "Try another profile."
        )
    return asked


def _report(transcript: OpenedConversation, judged: JudgeProgress) -> Iterator[str]:
    name = transcript.conversation.document.name
    if not judged.questions:
        yield f"{name} · nothing to ask: what the result holds stands in it word for word"
        yield from transcript.scope_lines
        return
    if not judged.judgements:
        yield f"{name} · {asked_text(judged.questions)} to ask, {_price(judged)}"
        yield from transcript.scope_lines
        yield from aligned_table([_question_row(one) for one in judged.questions])
        return
    yield f"{name} · {judged_sentence(judged.judgements, judged.profile, judged.calibration)}"
    yield from transcript.scope_lines
    for verdict in JudgeVerdict:
        if verdict not in (JudgeVerdict.SAME, JudgeVerdict.FOUND):
            rows = [_row(one) for one in judged.judgements if one.verdict is verdict]
            yield from titled_section(
                f"{verdict.value.capitalize()}, {len(rows):,}", aligned_table(rows)
            )


def _price(judged: JudgeProgress) -> str:
    if judged.profile.is_offline:
        return f"{judged.profile.name} answers nothing"
    return judged.price.total_text()


def _question_row(question: JudgeQuestion) -> tuple[str, ...]:
    return (
        question.kind,
        number_format.message_number(question.message),
        one_line_text(question.statement, _MAX_TEXT),
    )


def _row(judgement: Judgement) -> tuple[str, ...]:
    number = number_format.message_number(judgement.question.message)
    text = judgement.quote or judgement.reason
    if judgement.missing:
        text = f"not in its answer: {' / '.join(judgement.missing)}"
    return (
        judgement.question.kind,
        number,
        one_line_text(judgement.question.statement, _MAX_TEXT),
        one_line_text(text, _MAX_TEXT),
    )


def _json(transcript: OpenedConversation, judged: JudgeProgress) -> dict[str, Json]:
    preview = transcript.displayed_preview()
    counts = Counter(one.verdict for one in judged.judgements)
    return {
        **head_json(transcript, preview.source.history.scope),
        "strategy": preview.strategy.name,
        "asked": len(judged.questions),
        "price": _price(judged),
        "verdicts": {verdict.value: counts[verdict] for verdict in JudgeVerdict},
        "questions": [_question_json(one) for one in judged.questions],
        **judged_json(judged),
    }


def _question_json(question: JudgeQuestion) -> dict[str, Json]:
    return {
        "kind": question.kind,
        "statement": question.statement,
        "message": question.message,
        "expected": question.points,
    }
