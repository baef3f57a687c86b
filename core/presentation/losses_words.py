"""What is said of losses, in the same words in window, command line, reports and cards
(LOSS-2.5.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.facts.model import FILE_KINDS, FactKind
from core.losses.evidence import (
    COUNTED_KINDS,
    Evidence,
    EvidenceStatus,
    KindCount,
    Losses,
    MustMark,
    MustStatus,
    SentenceEvidence,
    SentenceStatus,
    counted_musts,
)
from core.losses.judge_questions import JudgeCalibration, Judgement, JudgeVerdict
from core.presentation.verdict_model import LossUnit, Phrase
from core.settings.profile import Profile
from core.strategies.excerpt_units import TOKENS as SUPPLEMENT_TOKENS

if TYPE_CHECKING:
    from core.losses.must_keep import MustEvidence
    from core.trials.requested_analyses import RequestedAnalyses
    from core.trials.side_by_side import ExplainedCompaction
    from core.trials.trial import Backtest

STATUS_WORDS = tuple(status.value for status in EvidenceStatus)
COUNTING = "counting…"
NOT_COUNTED = "not counted"
LOSSES = "losses"
ENTIRELY_GONE = "entirely gone"
"""Names the count of facts of which nothing is left, in the table and in the curve of One setting."""
LOSSES_ABOUT = (
    "needed names, your messages and attachments, instructions, running tasks and open errors that "
    "are gone"
)
"""Label of the number on the tab Losses (``Losses.gone_count``), wherever it is shown, and what it
counts."""
SAID_BY_NOBODY = "Said by nobody"
"""Label of what a summary gives to the person and no message of the person holds."""
UNKNOWN_SENSE = "Whether reworded sentences mean the same is not known."
_MAX_NAMED, _MAX_NAME = 3, 60  # names in a sentence, and characters of each

KIND_NAMES: Mapping[FactKind, tuple[str, str]] = {
    FactKind.YOUR_MESSAGE: ("your message", "your messages"),
    FactKind.ATTACHMENT: ("attachment", "attachments"),
    FactKind.INSTRUCTION: ("instruction", "instructions"),
    FactKind.RUNNING: ("running task", "running tasks"),
    FactKind.OPEN_ERROR: ("open error", "open errors"),
    FactKind.FILE_CHANGED: ("file changed", "files changed"),
    FactKind.FILE_ASKED: ("change asked for", "changes asked for"),
    FactKind.TODO: ("to-do", "to-dos"),
    FactKind.FILE_READ: ("file read", "files read"),
    FactKind.COMMAND: ("command", "commands"),
    FactKind.NAME: ("name", "names"),
}
"""One and several of a kind."""
KIND_ABOUT: Mapping[FactKind, str] = {
    FactKind.YOUR_MESSAGE: "what you said, a message each: no rows of a harness, no mere “go on”",
    FactKind.ATTACHMENT: "an image or a file that you sent",
    FactKind.INSTRUCTION: (
        "a sentence of a file that instructs agents which demands something: with a modal word "
        "(never, must …), or one that begins as an order"
    ),
    FactKind.RUNNING: (
        "a sub-agent or a background command with an id, of whose end nothing is recorded"
    ),
    FactKind.OPEN_ERROR: "the error line of the last failed run of a command that did not pass since",
    FactKind.FILE_CHANGED: (
        "a file that a call or a shell command wrote, edited, moved or deleted, as its result says"
    ),
    FactKind.FILE_ASKED: (
        "a file of which a change was asked for while its result says neither that it was made nor "
        "that it failed"
    ),
    FactKind.TODO: "an item of the newest to-do list",
    FactKind.FILE_READ: "a file that was only read",
    FactKind.COMMAND: "a shell command that does more than look around, as it was run",
    FactKind.NAME: (
        "a path, URL, identifier, id, number or quoted code, with its count and its last message"
    ),
}
_SENTENCE_KINDS = (
    (FactKind.YOUR_MESSAGE,),
    (FactKind.ATTACHMENT,),
    (FactKind.INSTRUCTION,),
    (FactKind.RUNNING,),
    FILE_KINDS,
    (FactKind.TODO,),
    (FactKind.OPEN_ERROR,),
)
"""The kinds that the sentences count; files are one."""


def losses_sentences(
    losses: Losses,
    analyses: RequestedAnalyses | None = None,
    *,
    with_counts: bool = True,
) -> list[str]:
    """Return all sentences about a result, with the ``analyses`` asked for. Nothing is said to be
    gone before the summary is written. Without counts those are left out that a list of what is
    gone tells one by one."""
    tokens, messages = losses.removed_tokens, losses.removed_messages
    size = f"{number_format.plural(tokens, 'token')} in {number_format.plural(messages, 'message')}"
    verb = "is" if tokens == 1 else "are"
    said = []
    if with_counts:
        said.append(f"{size} {verb} removed.")

    if losses.is_written:
        if with_counts:
            said += _standing_sentences(losses)
            said += _summary_sentences(losses)
        said += _later_sentences(losses, analyses)
    else:
        said.append(_unwritten_sentence(losses))

    if analyses is not None and analyses.backtest is not None:
        said.append(backtest_sentence(analyses.backtest))
    return said


def _unwritten_sentence(losses: Losses) -> str:
    kept = ", ".join(_counts(_told_kinds(losses), lambda count: count.word_for_word))
    if kept:
        stays = f"What stays outside the summary: {kept}"
    else:
        stays = "Nothing is known to stay"
    return f"{stays}; the rest depends on what {losses.summary_profile} writes."


def _standing_sentences(losses: Losses) -> Iterator[str]:
    """Yield what stands word for word, what stands in other words, and what is gone."""
    kinds = _told_kinds(losses)
    kept = ", ".join(_counts(kinds, lambda count: count.word_for_word))
    if kept:
        yield f"Word for word: {kept}."
    reworded = _reworded_shares(losses)
    if reworded:
        named = _with_sentences(reworded, losses, SentenceStatus.NEAREST)
        yield f"Not word for word: {', '.join(named)}."
    gone = _shares(kinds, lambda count: count.gone)
    if gone:
        named = _with_sentences(gone, losses, SentenceStatus.GONE)
        yield f"Gone: {', '.join(named)}."
    missing = _unmentioned(losses)
    if missing:
        yield f"Running and not mentioned: {len(missing):,} ({_listed(missing)})."


def _reworded_shares(losses: Losses) -> list[str]:
    return _shares(_told_kinds(losses), lambda count: count.reworded)


def _summary_sentences(losses: Losses) -> Iterator[str]:
    """Yield what the summary says and the session does not."""
    nowhere, unsaid = losses.summary.nowhere, losses.summary.unsaid
    if nowhere:
        names = _listed([one.text for one in nowhere])
        yield f"In the summary but nowhere in the session: {len(nowhere):,} ({names})."
    if unsaid:
        words = _joined([_quoted(one.text) for one in unsaid])
        yield f"{SAID_BY_NOBODY}: {len(unsaid):,} (in none of your messages: {words})."


def _later_sentences(
    losses: Losses, analyses: RequestedAnalyses | None
) -> Iterator[str]:
    """Yield what later turns needed, and whether reworded sentences still mean the same."""
    needed = needed_sentence(losses)
    if needed:
        yield needed
    judged = None if analyses is None else analyses.judged
    if judged is not None and judged.judgements:
        yield judged_sentence(judged.judgements, judged.profile, judged.calibration)
    elif _reworded_shares(losses):
        yield UNKNOWN_SENSE


def _told_kinds(losses: Losses) -> list[KindCount]:
    """Return the counts that the sentences tell: of the person's messages those of their
    sentences; what runs has a sentence of its own."""
    counts = (one for one in losses.kinds if one.kind is not FactKind.RUNNING)
    own = losses.your_sentences
    return [own if one.kind is FactKind.YOUR_MESSAGE else one for one in counts]


def _with_sentences(
    shares: Sequence[str], losses: Losses, status: SentenceStatus
) -> list[str]:
    """Return the shares, the first of which names the person's first sentences of that status."""
    own = (one for one in losses.worst_first if one.fact.kind is FactKind.YOUR_MESSAGE)
    found = [sentence for one in own for sentence in one.sentences]
    texts = [_quoted(one.text) for one in found if one.status is status]
    if not texts:
        return list(shares)
    return [f"{shares[0]} ({_joined(texts)})", *shares[1:]]


def missing_text(evidence: Evidence) -> str:
    """Return what a result lacks of a fact: of a message its missing sentences, gone ones first."""
    if evidence.not_standing:
        return _joined([_quoted(found.text) for found in evidence.not_standing])
    return evidence.fact.text


def gone_names_sentence(losses: Losses) -> str:
    """Return "10 names are gone: pool.py, 9090, …."; "" where none is."""
    gone = [
        one.fact.text
        for one in losses.worst_first
        if one.fact.kind is FactKind.NAME and one.status is EvidenceStatus.GONE
    ]
    if not gone:
        return ""
    verb = "is" if len(gone) == 1 else "are"
    return f"{number_format.plural(len(gone), 'name')} {verb} gone: {_listed(gone)}."


def _unmentioned(losses: Losses) -> list[str]:
    """Return the ids of what runs and is not mentioned in the result."""
    running = (one for one in losses.items if one.fact.kind is FactKind.RUNNING)
    return [one.fact.text for one in running if one.status is EvidenceStatus.GONE]


def backtest_sentence(backtest: Backtest) -> str:
    """Return "Backtest: at 5 points of its own past it would have kept 62 % of the 88 names that
    the next turns used (95 % interval 31 to 88 %).", or how far it is, or why there is no figure."""
    points = number_format.plural(backtest.planned, "point")
    if backtest.obstacle:
        return f"Backtest: {number_format.UNKNOWN} {backtest.obstacle}"
    if backtest.share is None:
        return f"Backtest: {len(backtest.points)} of {points}…"
    judged = number_format.plural(len(backtest.judged), "point")
    names = f"the {backtest.needed:,} names that the next turns used"
    kept = number_format.percent(backtest.share, 0)
    if backtest.interval is not None:
        ends = number_format.percent_range(
            backtest.interval.low, backtest.interval.high
        )
        names += f" (95 % interval {ends})"
    return (
        f"Backtest: at {judged} of its own past it would have kept {kept} of {names}."
    )


def backtest_share(backtest: Backtest | None) -> str:
    """Return the shortest form of a backtest, "" while it has no figure."""
    if backtest is None or backtest.share is None:
        return ""
    share = number_format.percent(backtest.share, 0)
    return f"keeps {share} of what its turns used"


def losses_count(count: int) -> str:
    """Return "12 losses", "1 loss", "no losses"."""
    if count:
        return number_format.plural(count, "loss", LOSSES)
    return f"no {LOSSES}"


def needed_sentence(losses: Losses) -> str:
    """Return "Later turns used 39 names: 24 are here, 4 by name alone, 11 gone (…)."; "" where the
    session ends."""
    if (needed := losses.needed) is None:
        return ""
    if not needed.used:
        return "Later turns used no name that was said before."
    names = number_format.plural(needed.used, "name")
    alone = needed.kept_alone
    if not needed.gone and not alone:
        return f"Later turns used {names}: {'it is' if needed.used == 1 else 'all are'} here."
    gone = _listed([name.text for name in needed.gone])
    if needed.used == 1:
        how = "here by name alone" if alone else f"gone ({gone})"
        return f"Later turns used {names}: it is {how}."
    parts = [f"{needed.kept:,} {'is' if needed.kept == 1 else 'are'} here"]
    if alone:
        parts.append(f"{alone:,} by name alone")
    if needed.gone:
        parts.append(f"{len(needed.gone):,} gone ({gone})")
    return f"Later turns used {names}: {', '.join(parts)}."


def loss_units(losses: Losses) -> tuple[LossUnit, ...]:
    """Return what is missing, worst first: needed names, what counts of the other facts, then what
    is there in part of both."""
    needed = losses.needed
    own = _person_messages(losses)
    units = []
    if needed is not None and needed.gone:
        gone = f"{len(needed.gone):,} of {needed.used:,} needed names"
        name = gone if needed.used > 1 else "the one needed name"
        units.append(LossUnit(f"{name} gone", MustStatus.GONE))
    for kind in losses.kinds:
        if kind.kind in COUNTED_KINDS and kind.gone:
            units.append(LossUnit(f"{_of_kind(kind.gone, kind)} gone", MustStatus.GONE))
    if needed is not None and needed.kept_alone:
        names = f"{needed.kept_alone:,} of {needed.used:,} needed names"
        name = names if needed.used > 1 else "the one needed name"
        units.append(LossUnit(f"{name} by name alone", MustStatus.IN_PART))
    if own is not None and own.reworded:
        text = f"{_of_kind(own.reworded, own)} not word for word"
        units.append(LossUnit(text, MustStatus.IN_PART))
    return tuple(units)


def _person_messages(losses: Losses) -> KindCount | None:
    return next(
        (one for one in losses.kinds if one.kind is FactKind.YOUR_MESSAGE), None
    )


def losses_head(losses: Losses) -> tuple[str, str]:
    """Return the shortest form of the losses, and its tone: "error" from a fifth of the needed
    names gone on, "ok" where later turns needed names and all of them are there."""
    if not losses.is_written:
        return " · ".join(one.text for one in unwritten_units(losses)), ""

    missing = loss_units(losses)
    if not missing:
        return _all_here(losses)
    needed = losses.needed
    is_much = needed is not None and len(needed.gone) * 5 >= needed.used > 0
    return " · ".join(one.text for one in missing), "error" if is_much else ""


def unwritten_units(losses: Losses) -> tuple[LossUnit, ...]:
    """Return what is known before a model has written: what stays of what the person said, and that
    the rest depends on the model."""
    rest = LossUnit(
        f"the rest depends on {losses.summary_profile}", MustStatus.NOT_WRITTEN
    )
    if not losses.messages_word_for_word:
        return (rest,)
    return (
        LossUnit(_stay(*losses.messages_word_for_word), MustStatus.NOT_WRITTEN),
        rest,
    )


def _all_here(losses: Losses) -> tuple[str, str]:
    """Return what is here where nothing that counts is gone."""
    if losses.needed is not None:
        used = losses.needed.used
    else:
        used = 0
    own = _person_messages(losses)
    parts, count = [], 0
    if used:
        parts.append(
            "the one needed name" if used == 1 else f"all {used:,} needed names"
        )
        count += used
    if own is not None:
        parts.append(f"your {person_messages(own.total)}")
        count += own.total

    # Where it is known what was needed, the names that nobody needed are not of interest.
    if used:
        others = ""
    else:
        others = others_gone(losses.kinds)
    if not parts:
        return others or "nothing that counts is gone", ""
    is_one = len(parts) == 1 and count == 1
    here = f"{' and '.join(parts)} {'is' if is_one else 'are'} here"
    return f"{here} · {others}" if others else here, "ok" if used else ""


def others_gone(kinds: Sequence[KindCount]) -> str:
    """Return "6 files and 37 names gone": what nobody knows to be needed."""
    groups = (
        FILE_KINDS,
        (FactKind.TODO,),
        (FactKind.COMMAND,),
        (FactKind.NAME,),
    )
    gone = _shares(kinds, lambda count: count.gone, groups)
    listed = " and ".join(filter(None, (", ".join(gone[:-1]), *gone[-1:])))
    if gone:
        return f"{listed} gone"
    return ""


def person_messages(count: int) -> str:
    if count == 1:
        return "message"
    return f"{count:,} messages"


def _stay(stays: int, total: int) -> str:
    if total == 1:
        if stays:
            return "your message stays"
        return "your message may not stay"
    return f"{stays:,} of your {person_messages(total)} {'stays' if stays == 1 else 'stay'}"


def _of_your_messages(count: int, total: int) -> str:
    if count == total == 1:
        return "your message"
    return f"{count:,} of your messages"


def _of_your_sentences(count: int, total: int) -> str:
    if count == total == 1:
        return "your sentence"
    return f"{count:,} of your sentences"


def _of_kind(count: int, found: KindCount) -> str:
    singular, plural = KIND_NAMES[found.kind]
    if found.kind is FactKind.YOUR_MESSAGE:
        return _of_your_messages(count, found.total)
    return f"{count:,} {singular if count == 1 else plural}"


def _counts(
    kinds: Sequence[KindCount], figure: Callable[[KindCount], int]
) -> Iterator[str]:
    """Yield "31 of your 36 sentences", "31 of 40 files"."""
    for group in _SENTENCE_KINDS:
        found = [one for one in kinds if one.kind in group]
        if total := sum(one.total for one in found):
            count = sum(map(figure, found))
            is_own = group[0] is FactKind.YOUR_MESSAGE
            if is_own and count == total == 1:
                yield "your sentence"
                continue
            noun = _noun(group, total)
            yield f"{count:,} of {'your ' if is_own else ''}{total:,} {noun}"


def _shares(
    kinds: Sequence[KindCount],
    figure: Callable[[KindCount], int],
    groups: Sequence[Sequence[FactKind]] = _SENTENCE_KINDS,
) -> list[str]:
    """Return "5 of your sentences", "2 files", without those of which there are none."""
    parts = []
    for group in groups:
        found = [one for one in kinds if one.kind in group]
        if count := sum(map(figure, found)):
            is_own = group[0] is FactKind.YOUR_MESSAGE
            own = _of_your_sentences(count, sum(one.total for one in found))
            parts.append(own if is_own else f"{count:,} {_noun(group, count)}")
    return parts


def _noun(group: Sequence[FactKind], count: int) -> str:
    if group[0] is FactKind.YOUR_MESSAGE:
        return "sentence" if count == 1 else "sentences"
    if group[0] is FactKind.FILE_CHANGED:
        return "file" if count == 1 else "files"
    return KIND_NAMES[group[0]][count != 1]


def _quoted(sentence: str) -> str:
    return f"“{one_line_text(sentence, _MAX_NAME)}”"


def _listed(names: Iterable[str]) -> str:
    return _joined([one_line_text(name, _MAX_NAME) for name in names])


def _joined(texts: Sequence[str]) -> str:
    if len(texts) > _MAX_NAMED:
        more = ["…"]
    else:
        more = []
    return ", ".join((*texts[:_MAX_NAMED], *more))


def judged_sentence(
    judgements: Sequence[Judgement],
    profile: Profile,
    calibration: JudgeCalibration | None,
) -> str:
    """Return "haiku (m, unproven) of 26 sentences: 20 say the same, 3 changed, 1 opposite, 2
    missing; of 3 questions: 2 found, 1 not found."."""
    statements = [one for one in judgements if not one.question.points]
    finds = [one for one in judgements if one.question.points]
    groups = ((statements, "sentence"), (finds, "question"))
    parts = [f"of {_verdict_counts(some, word)}" for some, word in groups if some]
    judge = f"{profile.name} ({profile.model}, {proven_words(calibration)})"
    return f"{judge} {'; '.join(parts) or 'of nothing'}."


def _verdict_counts(judgements: Sequence[Judgement], word: str) -> str:
    """Return "26 sentences: 20 say the same, 6 missing"."""
    counts = Counter(one.verdict for one in judgements)
    words = {JudgeVerdict.SAME: "say the same", JudgeVerdict.UNKNOWN: "it cannot tell"}
    said = ", ".join(
        f"{counts[verdict]:,} {words.get(verdict, verdict.value)}"
        for verdict in JudgeVerdict
        if counts[verdict]
    )
    return f"{number_format.plural(len(judgements), word)}: {said}"


def proven_words(calibration: JudgeCalibration | None) -> str:
    """Return what the verdicts of a model are worth: "told apart 28 of 30 pairs", "unproven"."""
    if calibration is None:
        return "unproven"
    return f"told apart {calibration.told_apart} of {calibration.pairs} pairs"


def fact_note(evidence: Evidence) -> str:
    """Return where a fact is, and what stands of it: "#89, #301 · 3 of 4 sentences word for
    word"."""
    fact = evidence.fact
    indices = [index for index in dict.fromkeys((fact.first, fact.last)) if index >= 0]
    parts = [
        ", ".join(map(number_format.message_number, indices)) or "in an earlier summary"
    ]
    standing = len(evidence.sentences) - len(evidence.not_standing)
    if len(evidence.sentences) > 1 and evidence.not_standing:
        parts.append(f"{standing} of {len(evidence.sentences)} sentences word for word")
    elif evidence.status is EvidenceStatus.REWORDED:
        parts.append("not word for word")
    if fact.kind is FactKind.TODO:
        parts.append(fact.detail)
    if evidence.needed:
        parts.append("used again later")
    return " · ".join(filter(None, parts))


MUST_KEEP = "must keep"
MUST_GLYPHS: Mapping[MustStatus, str] = {
    MustStatus.WORD_FOR_WORD: "✓",
    MustStatus.IN_PART: "◐",
    MustStatus.GONE: "✕",
    MustStatus.NOT_WRITTEN: "?",
    MustStatus.NOT_SAID: "–",
}
MUST_LOOKS: Mapping[MustStatus, tuple[str, str]] = {
    MustStatus.GONE: ("dropped", "error"),
    MustStatus.IN_PART: ("half", "warn"),
    MustStatus.NOT_WRITTEN: ("unknown", "quiet"),
    MustStatus.WORD_FOR_WORD: ("ok", "ok"),
    MustStatus.NOT_SAID: ("dash", "quiet"),
}
"""The name of the glyph that is painted, and its tone."""
NOTHING_NEAR = "nothing in the result comes near"
_MAX_TEXT = 100  # characters of a must, and of its nearest sentence


def must_counts(musts: Sequence[MustEvidence | MustMark]) -> Phrase:
    """Return "✕ 1", "◐ 2" and "✓ 3" with their tones, without those of which there are none; what
    nobody said counts only where nothing else does."""
    counts = Counter(one.status for one in counted_musts(musts) or musts)
    return tuple(
        (f"{MUST_GLYPHS[status]} {counts[status]:,}", MUST_LOOKS[status][1])
        for status in MustStatus
        if counts[status]
    )


def must_head(musts: Sequence[MustEvidence | MustMark]) -> str:
    """Return "✕ 1 ◐ 2 ✓ 3"."""
    return " ".join(text for text, _ in must_counts(musts))


def must_state(must: MustEvidence) -> str:
    """Return "word for word", "3 of 4 sentences", "gone since recorded 1"."""
    if must.gone_since is not None:
        return f"gone since recorded {must.gone_since}"
    if must.status is MustStatus.IN_PART and len(must.sentences) > 1:
        return f"{must.standing} of {len(must.sentences)} sentences"
    return must.status.value


def must_detail(must: MustEvidence) -> str:
    """Return the nearest sentence of a must that is not there as it is; "" for one that is."""
    if must.status is MustStatus.GONE:
        return NOTHING_NEAR
    worst = must.worst
    if must.status is not MustStatus.IN_PART or worst is None:
        return ""
    return worst.nearest or NOTHING_NEAR


def must_lines(musts: Sequence[MustEvidence]) -> Iterator[str]:
    """Yield a line for each must, and one for what comes near it."""
    for one in musts:
        if one.message < 0:
            number = ""
        else:
            number = f" {number_format.message_number(one.message)}"
        text = one_line_text(one.text, _MAX_TEXT)
        yield f"{MUST_GLYPHS[one.status]} {text} · {must_state(one)}{number}"
        if detail := must_detail(one):
            yield f"    {one_line_text(detail, _MAX_TEXT)}"


def missed_musts(
    musts: Sequence[MustEvidence], *, allows_part: bool
) -> list[MustEvidence]:
    """Return the musts for which a check fails."""
    if allows_part:
        missed = {MustStatus.GONE}
    else:
        missed = {MustStatus.GONE, MustStatus.IN_PART}
    return [one for one in musts if one.status in missed]


def missed_sentence(must: MustEvidence) -> str:
    """Return "must keep: “Never …” is gone", "… is there in part: “the nearest sentence”", "…
    is gone since recorded 1 …" where the agent's own compaction lost it."""
    text = one_line_text(must.text, _MAX_TEXT)
    if must.status is MustStatus.GONE:
        return f"must keep: “{text}” is {must_state(must)}"
    near = one_line_text(must_detail(must), _MAX_TEXT)
    if must.gone_since is not None:
        return f"must keep: “{text}” is {must_state(must)}, there in part: “{near}”"
    return f"must keep: “{text}” is there in part: “{near}”"


def must_json(must: MustEvidence) -> dict[str, Json]:
    return {
        "text": must.text,
        "kind": must_kind(must),
        "status": must.status.value,
        "message": must.message if must.message >= 0 else None,
        "gone_since": must.gone_since,
        "sentences": list(map(sentence_json, must.sentences)),
    }


def must_kind(must: MustEvidence) -> str:
    if must.is_name:
        return "name"
    return "message" if len(must.sentences) > 1 else "sentence"


def sentence_json(sentence: SentenceEvidence) -> dict[str, Json]:
    """Return a sentence with its status; ``differs`` are the words that it or its nearest sentence
    has alone, null where none is near."""
    is_near = sentence.status is SentenceStatus.NEAREST
    differs = sentence.differs
    return {
        "text": sentence.text,
        "status": sentence.status.value,
        "nearest": sentence.nearest or None,
        "differs": {
            "missing": [word.text for word in differs.missing],
            "added": [word.text for word in differs.added],
        }
        if is_near
        else None,
    }


# What a recorded compaction left, the same in window and command line (REPAIR-8).

_MAX_FACT = 80


def explained_sentences(explained: ExplainedCompaction) -> list[str]:
    """Return what is and is not in its result, and what a supplement would add; its sizes are said
    elsewhere."""
    if explained.losses is None:
        return [explained.obstacle]
    if explained.fault:
        fault = f"Its summary is not one: the model {explained.fault}."
    else:
        fault = ""
    said = losses_sentences(explained.losses)[1:]
    return [*filter(None, (fault, *said, supplement_sentence(explained)))]


def supplement_sentence(explained: ExplainedCompaction) -> str:
    """Return "The agent's summary kept 37 % of the 57 names that were needed next; …"; "" where
    nothing was needed."""
    if explained.losses is not None:
        needed = explained.losses.needed
    else:
        needed = None
    more = explained.supplemented
    if needed is None or more is None or needed.share is None or more.share is None:
        return ""
    names = number_format.plural(needed.used, "name")
    return (
        f"What the agent kept has {number_format.percent(needed.share, 0)} of the {names} that it used "
        f"next; with {SUPPLEMENT_TOKENS:,} tokens of excerpts it would have been "
        f"{number_format.percent(more.share, 0)}."
    )


def explained_rows(explained: ExplainedCompaction) -> list[tuple[str, str, str]]:
    """Return kind, place and text of what is not there word for word, the worst first."""
    return [
        (
            KIND_NAMES[one.fact.kind][0],
            fact_note(one),
            one_line_text(missing_text(one), _MAX_FACT),
        )
        for one in explained.worst
    ]
