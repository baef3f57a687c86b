"""Makes the Losses tab: what is lost and what stands, backtest, repeated compaction, lines to put
back, and what a model is asked."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from core.common import number_format
from core.common.excerpts import one_line_text
from core.facts.model import FILE_KINDS, FactKind
from core.llm.destination import destination_of
from core.losses.evidence import (
    SENTENCE_STATUS,
    Evidence,
    EvidenceStatus,
    KindCount,
    Losses,
)
from core.losses.judge import JudgeProgress
from core.losses.judge_questions import Judgement, JudgeQuestion, JudgeVerdict
from core.losses.losses_of import DecayRound
from core.presentation.changes_page import missing_sentences
from core.presentation.inspector_model import (
    DECAY_ROUNDS,
    LINE,
    NEEDED,
    NOWHERE,
    OPEN,
    REMOVED,
    UNSAID,
    AskPage,
    AskRow,
    DecayBar,
    DecayPage,
    KindBar,
    LinesPage,
    LossesPage,
    LossRow,
    LostPlaces,
    TextSpan,
)
from core.presentation.lists.row_texts import row_text
from core.presentation.losses_words import (
    KIND_NAMES,
    fact_note,
    judged_sentence,
    losses_head,
    losses_sentences,
)
from core.presentation.model import LabelledFigure, secrets_figure
from core.presentation.preview_columns import result_index_of
from core.presentation.verdict import losses_cell
from core.preview.options import Preview
from core.settings.profile import Profile
from core.strategies.excerpt_units import ExcerptUnit, Supplement, UnitKind
from core.transcript.compaction import FateKind
from core.transcript.scopes import ALL, BEFORE, CURRENT
from core.trials.requested_analyses import NONE_REQUESTED, RequestedAnalyses

# Messages listed for the text they lost, and their least tokens.
_MAX_REMOVED, _MIN_REMOVED = (
    8,
    100,
)
MAX_FACT_ROWS = 2_000
"""Most facts listed; the rest is counted."""
_MAX_NEAREST = 160  # characters of the nearest sentence in a row
_UNCHANGED = "Nothing was compacted, so every fact stands."


def losses_page(
    preview: Preview,
    losses: Losses,
    analyses: RequestedAnalyses = NONE_REQUESTED,
) -> LossesPage:
    """Return the page; ``analyses`` is what was asked about the result on demand."""
    no_op = preview.result.compaction.no_op
    all_rows = _rows(losses, preview.source.conversation.cwd)
    rows = tuple(islice(all_rows, MAX_FACT_ROWS))
    unlisted = sum(1 for _ in all_rows)  # a large session has a hundred thousand
    indices, words = lost_by_message(losses)
    heading, _ = losses_head(losses)
    sentences: tuple[str, ...] = (_UNCHANGED,)
    told: tuple[str, ...] = (_UNCHANGED,)
    if no_op is None:
        sentences = tuple(losses_sentences(losses, analyses))
        told = tuple(losses_sentences(losses, analyses, with_counts=False))
    return LossesPage(
        heading=heading,
        sentences=sentences,
        told=told,
        link=earlier_scope_link(losses, preview),
        bars=tuple(_bar(count, is_written=losses.is_written) for count in losses.kinds),
        rows=(*rows, *_removed(preview)),
        gone=losses.gone_count if losses.is_written else None,
        places=LostPlaces(indices, words, missing_sentences(losses)),
        unlisted=unlisted,
        can_repeat=no_op is None and not preview.result.result_source,
        cell=losses_cell(losses, analyses.backtest),
        asks_backtest=analyses.backtest is None and has_backtest(preview, losses),
    )


def has_backtest(preview: Preview, losses: Losses) -> bool:
    """Return whether a backtest can say what is not known: the result is that of a run, and nothing
    follows it."""
    is_run = preview.result.compaction.no_op is None and not (
        preview.result.result_source or preview.summary.provisional
    )
    return (
        is_run
        and losses.needed is None
        and preview.source.history.scope in (ALL, CURRENT)
    )


def earlier_scope_link(losses: Losses, preview: Preview) -> tuple[TextSpan, ...]:
    """Return a link to a scope after which the session goes on, where the shown one ends with
    it."""
    recorded = preview.source.conversation.recorded
    if (
        losses.needed is not None
        or preview.source.history.scope not in (ALL, CURRENT)
        or not recorded
    ):
        return ()
    number = number_format.message_number(recorded[0].boundary)
    return (
        TextSpan(f"See it as of {number}", f"scope:{BEFORE}1"),
        TextSpan(", after which the session goes on."),
    )


def _bar(count: KindCount, *, is_written: bool) -> KindBar:
    label = f"{number_format.count(count.word_for_word)} of {number_format.count(count.total)}"
    if count.gone and is_written:
        gone = number_format.signed(-count.gone)
    else:
        gone = ""
    counts = count.word_for_word, count.reworded, count.gone
    return KindBar(count.kind.value, KIND_NAMES[count.kind][1], counts, label, gone)


def _removed(preview: Preview) -> Iterator[LossRow]:
    run = preview.result.compaction
    sizes = {
        index: preview.source.counts[index]
        - sum(
            preview.result.after_counts[at]
            for at in [result_index_of(run, index)]
            if at >= 0
        )
        for index, fate in enumerate(run.fates)
        if fate.kind in (FateKind.EDITED, FateKind.PRUNED)
        and preview.source.counts[index] >= _MIN_REMOVED
    }
    for index in sorted(sizes, key=lambda index: -sizes[index])[:_MAX_REMOVED]:
        lead, text, _, _ = row_text(
            preview.messages[index], preview.source.conversation.cwd
        )
        note = f"{number_format.message_number(index)} · {number_format.signed(-sizes[index])} tokens"
        words = " ".join(filter(None, (lead, text)))
        yield LossRow(
            status=REMOVED,
            kind="",
            label=f"text {run.fates[index].kind.value}",
            fate=run.fates[index].kind.value,
            text=words,
            note=note,
            source_index=index,
        )


UNREQUESTED_LINES = LinesPage(
    link=(
        TextSpan(
            "Look for lines to put back, and test the strategy at earlier points",
            "studies:",
        ),
    )
)
"""Of a large session, until the person asks for its lines."""


def lines_page(offered: Supplement | None, lines_back: int) -> LinesPage:
    """Return the lines that can be put back, None where all were; ``lines_back`` were one by
    one."""
    if offered is None:
        return LinesPage(link=(TextSpan("Take the lines out again", "excerpts:out"),))
    return LinesPage(
        tuple(map(_line_row, offered.lines)), _lines_link(offered, lines_back)
    )


def _line_row(unit: ExcerptUnit) -> LossRow:
    place = number_format.message_number(unit.index)
    return LossRow(
        status=LINE,
        kind=_SPEAKERS[unit.kind],
        label=LINE,
        text=one_line_text(unit.text),
        note=place,
        source_index=unit.index,
        line=unit.text,
    )


_SPEAKERS: Mapping[UnitKind, str] = {
    UnitKind.PERSON: "you",
    UnitKind.INPUT: "in your message",
    UnitKind.MODEL: "the model",
    UnitKind.OTHER: "output",
}


def _lines_link(offered: Supplement, lines_back: int) -> tuple[TextSpan, ...]:
    """Return "Put the 40 most useful lines back · +432 tokens" as a link, and that which takes
    lines out again."""
    spans: list[TextSpan] = []
    if offered.lines:
        words = f"Put the {number_format.plural(len(offered.lines), 'most useful line')} back"
        tokens = f"{number_format.signed(offered.tokens)} tokens"
        spans.append(TextSpan(f"{words} · {tokens}", "excerpts:back"))
    if lines_back:
        spans += [TextSpan("  ")] if spans else []
        lines = number_format.plural(lines_back, "line")
        spans.append(TextSpan(f"Take the {lines} out again", "excerpts:out"))
    return tuple(spans)


_AFTER_NAMES = frozenset([FactKind.FILE_READ, FactKind.COMMAND, FactKind.NAME])
"""Kinds that a reader looks for last; of the names those that later turns needed come first."""


def _rows(losses: Losses, folder: str) -> Iterator[LossRow]:
    """Yield what nobody said, then the facts worst first up to the files changed, then the names
    that were needed later, the other facts, what no source has, and what stands."""
    for words in losses.summary.unsaid:
        number = number_format.message_number(words.result_index)
        yield LossRow(
            status=UNSAID,
            kind=UNSAID,
            label=UNSAID,
            text=one_line_text(words.text),
            note=f"result {number} gives it to you · in none of your messages",
            source_index=words.nearest_message,
            result_index=words.result_index,
            nearest=_shortened(words.nearest),
        )
    yield from _lost_rows(losses, folder)
    for item in losses.summary.nowhere:
        number = number_format.message_number(item.result_index)
        yield LossRow(
            status=NOWHERE,
            kind=item.kind.value,
            label=item.kind.value,
            text=one_line_text(item.text),
            note=f"result {number} · nowhere in the session",
            source_index=item.nearest_message,
            result_index=item.result_index,
            nearest=_shortened(item.nearest),
        )
    for one in losses.items:
        if one.status is EvidenceStatus.WORD_FOR_WORD:
            yield _evidence_row(one, folder, is_written=True)


def _lost_rows(losses: Losses, folder: str) -> Iterator[LossRow]:
    """Yield what was said and done before the names: they say little by themselves."""
    if losses.needed is not None:
        gone = losses.needed.gone
    else:
        gone = ()
    worst = losses.worst_first
    for one in worst:
        if one.fact.kind not in _AFTER_NAMES:
            yield from _missing_rows(one, folder, is_written=losses.is_written)

    for name in gone:
        uses = number_format.plural(name.uses, "time")
        note = (
            f"{number_format.message_number(name.message)} · used again later, {uses}"
        )
        yield _row(NEEDED, FactKind.NAME, name.text, note, name.message)

    needed = {name.text for name in gone}
    for one in worst:
        is_told = one.fact.kind is FactKind.NAME and one.fact.text in needed
        if one.fact.kind in _AFTER_NAMES and not is_told:
            yield from _missing_rows(one, folder, is_written=losses.is_written)


def _missing_rows(
    evidence: Evidence, folder: str, *, is_written: bool
) -> Iterator[LossRow]:
    """Yield a row for each sentence that is not there, those that are gone first; else one for the
    whole fact."""
    whole = _evidence_row(evidence, folder, is_written=is_written)
    if len(evidence.sentences) < 2 or not is_written:
        yield whole
        return
    for sentence in evidence.not_standing:
        yield replace(
            whole,
            status=SENTENCE_STATUS[sentence.status].value,
            text=one_line_text(sentence.text),
            result_index=sentence.result_index,
            nearest=_shortened(sentence.nearest),
        )


def _evidence_row(evidence: Evidence, folder: str, *, is_written: bool) -> LossRow:
    is_inside = bool(folder) and evidence.fact.kind in FILE_KINDS
    if is_inside:
        text = evidence.fact.text.removeprefix(f"{folder.rstrip('/')}/")
    else:
        text = evidence.fact.text
    if is_written or evidence.status is EvidenceStatus.WORD_FOR_WORD:
        status = evidence.status.value
    else:
        status = OPEN
    row = _row(
        status, evidence.fact.kind, text, fact_note(evidence), evidence.fact.first
    )
    return replace(
        row, result_index=evidence.result_index, nearest=_shortened(evidence.nearest)
    )


def _row(status: str, kind: FactKind, text: str, note: str, message: int) -> LossRow:
    return LossRow(
        status=status,
        kind=kind.value,
        label=KIND_NAMES[kind][1],
        text=one_line_text(text),
        note=note,
        source_index=message,
    )


def _shortened(text: str) -> str:
    return one_line_text(text, _MAX_NEAREST)


_MAX_FACTS = 3  # facts listed; the others are counted
_TEXT = 60  # characters of one


def lost_by_message(losses: Losses) -> tuple[array[int], tuple[str, ...]]:
    """Return the messages with something that is gone and counted, ascending, and what that is."""
    by_message: defaultdict[int, list[str]] = defaultdict(list)
    if losses.is_written:
        for name in losses.needed.gone if losses.needed is not None else ():
            by_message[name.message].append(
                f"needed later: {one_line_text(name.text, _TEXT)}"
            )
        for one in losses.worst_first:
            if (
                one.status is EvidenceStatus.GONE
                and one.fact.kind is not FactKind.NAME
                and one.fact.first >= 0
            ):
                words = f"{KIND_NAMES[one.fact.kind][0]}: {one_line_text(one.fact.text, _TEXT)}"
                by_message[one.fact.first].append(words)
    indices = array("l", sorted(by_message))
    return indices, tuple(_facts_text(by_message[index]) for index in indices)


def _facts_text(words: Sequence[str]) -> str:
    if len(words) > _MAX_FACTS:
        more_lines = [f"and {len(words) - _MAX_FACTS:,} more"]
    else:
        more_lines = []
    return "\n".join((*words[:_MAX_FACTS], *more_lines))


def decay_pages(rounds: Iterable[DecayRound], mark: str) -> Iterator[DecayPage]:
    bars: tuple[DecayBar, ...] = ()
    for number, decay_round in enumerate(islice(rounds, DECAY_ROUNDS), 1):
        bars = (*bars, _decay_bar(number, decay_round, mark))
        yield DecayPage(bars)


def _decay_bar(number: int, result: DecayRound, mark: str) -> DecayBar:
    if result.person_messages:
        value = result.word_for_word / result.person_messages
    else:
        value = None
    label = decay_text(result)
    after = f"After {number_format.plural(number, 'compaction')}"
    messages = number_format.plural(result.messages, "message")
    size_text = f"{number_format.tokens(mark, result.tokens)} tokens in {messages}"
    tip = " ".join(filter(None, (f"{after}: {label}, {size_text}.", result.no_op)))
    return DecayBar(value, label, tip)


def decay_text(result: DecayRound) -> str:
    """Return "9 of 14": messages of the person that stand word for word; a dash without any."""
    if result.person_messages:
        return f"{result.word_for_word:,} of {result.person_messages:,}"
    return number_format.UNKNOWN


# Formats what a model said of reworded sentences, and what it found in the result.


_TITLE = "Does it say the same? Does a model find it?"
_CALIBRATE = "First test it on 60 shipped pairs, to see what its verdicts are worth"
_NOTHING = "There is nothing to ask: what the result holds stands in it word for word."
_UNWRITTEN = "The summary is not written yet: compact first."
_UNCHANGED_SENTENCES = "Nothing was compacted that a model could be asked about."
_TONES = {
    JudgeVerdict.SAME: "ok",
    JudgeVerdict.CHANGED: "warn",
    JudgeVerdict.OPPOSITE: "error",
    JudgeVerdict.MISSING: "warn",
    JudgeVerdict.UNKNOWN: "muted",
    JudgeVerdict.FOUND: "ok",
    JudgeVerdict.PARTLY_FOUND: "warn",
    JudgeVerdict.NOT_FOUND: "error",
}
_MAX_TEXT = 600


def ask_obstacle(judged: JudgeProgress) -> str:
    """Return why the profile cannot be asked about the shown result, or nothing."""
    return profile_obstacle(judged.preview, judged.profile) or (
        "" if judged.questions else _NOTHING
    )


def profile_obstacle(preview: Preview, profile: Profile) -> str:
    """Return why a profile cannot be asked about a preview, or nothing."""
    if profile.is_offline:
        return f"The profile {profile.name} calls no model that could answer: choose another one."
    if fault := destination_of(profile).fault:
        return fault
    if preview.summary.unwritten or preview.summary.provisional:
        return _UNWRITTEN
    return _UNCHANGED_SENTENCES if preview.result.compaction.no_op is not None else ""


def ask_offer(judged: JudgeProgress) -> str:
    """Return "Ask a model · 26 sentences, 3 questions, at most $0.02"; without a price where no
    model is chosen, and "" where nothing is to be asked."""
    if not judged.questions:
        return ""
    if profile_obstacle(judged.preview, judged.profile):
        price = ""
    else:
        price = f", {judged.price.text}"
    return f"Ask a model · {asked_text(judged.questions)}{price}"


def asked_text(questions: Sequence[JudgeQuestion]) -> str:
    """Return "26 sentences, 3 questions"."""
    finds = sum(bool(one.points) for one in questions)
    sentences = len(questions) - finds
    counts = ((sentences, "sentence"), (finds, "question"))
    return ", ".join(
        number_format.plural(count, word) for count, word in counts if count
    )


def ask_page(judged: JudgeProgress) -> AskPage:
    reason = ask_obstacle(judged)
    total = len(judged.questions)
    asked = asked_text(judged.questions)
    ask = f"Ask {judged.profile.name} · {asked}, {judged.price.text}"
    said = {one.question: one for one in judged.judgements}
    return AskPage(
        title=_TITLE,
        facts=_facts(judged, reason),
        button_text=_offline_button(asked) if reason else ask,
        reason=reason,
        rows=tuple(_judgement_row(one, said.get(one)) for one in judged.questions),
        status=_status(judged, reason),
        option_text=_CALIBRATE,
        done=len(judged.judgements),
        total=total,
        is_running=not judged.is_over,
    )


def _offline_button(asked: str) -> str:
    if asked:
        return f"Ask · {asked}"
    return "Ask"


def _judgement_row(question: JudgeQuestion, said: Judgement | None) -> AskRow:
    text = one_line_text(question.statement, _MAX_TEXT)
    details = (*_expected(question, said), *_details(said))
    if said is None:
        return AskRow(question.kind, text, details)
    return AskRow(
        question.kind, text, details, said.verdict.value, _TONES[said.verdict]
    )


def _expected(
    question: JudgeQuestion, said: Judgement | None
) -> Iterator[tuple[str, str, str]]:
    """Yield the points that an answer has to have, the missing ones marked."""
    for point in question.points:
        is_missing = said is not None and point in said.missing
        yield (
            "expected",
            one_line_text(point, _MAX_TEXT),
            "missing" if is_missing else "",
        )


def _facts(judged: JudgeProgress, reason: str) -> tuple[LabelledFigure, ...]:
    if reason:
        return ()
    if judged.calibration:
        known = judged.calibration.text
    else:
        known = "not asked yet: its verdicts are unproven"
    return (
        LabelledFigure(
            "Goes to",
            f"{destination_of(judged.profile).name}, as {judged.profile.model}",
        ),
        LabelledFigure("Price", judged.price.total_text()),
        secrets_figure(judged.secrets),
        LabelledFigure("On 60 shipped pairs", known),
    )


def _details(judgement: Judgement | None) -> tuple[tuple[str, str, str], ...]:
    if judgement is None:
        return ()
    if judgement.quote:
        label = "answer" if judgement.question.points else "quote"
        return ((label, one_line_text(judgement.quote, _MAX_TEXT), ""),)
    if judgement.reason:
        return (("reason", judgement.reason, ""),)
    return ()


def _status(judged: JudgeProgress, reason: str) -> str:
    if reason:
        return reason
    if not judged.judgements:
        return (
            "Each verdict has a quote that is checked; without one it is “cannot tell”. What a model "
            "finds is compared word for word with the source."
        )
    return judged_sentence(judged.judgements, judged.profile, judged.calibration)
