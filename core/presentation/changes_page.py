"""Makes the list of changes of a message: lines that were removed or added, the message that
supersedes it, and what the summary holds of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from core.common import excerpts
from core.common.number_format import message_number, plural
from core.facts.model import FactKind
from core.facts.sentences import (
    authored_text,
    pasted_file,
    pasted_lines,
    searchable_text,
    without_files,
)
from core.losses.evidence import (
    TOLD_BY_SENTENCE,
    Evidence,
    EvidenceStatus,
    Losses,
    SentenceEvidence,
    SentenceStatus,
    WordSpan,
)
from core.presentation.inspector_model import (
    ChangeLine,
    MessageChanges,
    SourceSentence,
    WordPart,
)
from core.presentation.losses_words import KIND_NAMES
from core.presentation.message_body import MAX_BLOCK_LENGTH, body_blocks
from core.preview.options import Preview
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message

_ORDER = (SentenceStatus.GONE, SentenceStatus.NEAREST, SentenceStatus.STANDS)


def sentence_rows(losses: Losses, index: int) -> tuple[SourceSentence, ...]:
    """Return the sentences of source message ``index``: those that are gone, those that something
    comes near, those that stand. Nothing before the summary is written, as nothing is known."""
    if not losses.is_written:
        return ()
    found = [
        (one, fact)
        for fact in _facts_by_message(losses, index)
        for one in fact.sentences
    ]
    found.sort(key=lambda pair: _ORDER.index(pair[0].status))
    return tuple(_row(one, fact, number) for number, (one, fact) in enumerate(found))


def missing_sentences(losses: Losses) -> tuple[tuple[int, int], ...]:
    """Return the message and the number of every sentence that does not stand, in order."""
    if not losses.is_written:
        return ()
    indices = {
        one.fact.first
        for one in losses.items
        if one.not_standing and one.fact.first >= 0
    }
    return tuple(
        (index, row.number)
        for index in sorted(indices)
        for row in sentence_rows(losses, index)
        if row.number >= 0
    )


def _facts_by_message(losses: Losses, index: int) -> Iterator[Evidence]:
    for one in losses.items:
        if one.fact.first == index and one.fact.kind in TOLD_BY_SENTENCE:
            yield one


def _row(sentence: SentenceEvidence, fact: Evidence, number: int) -> SourceSentence:
    differs = sentence.differs
    is_missing = sentence.status is not SentenceStatus.STANDS
    return SourceSentence(
        status=sentence.status.value,
        kind=KIND_NAMES[fact.fact.kind][0],
        parts=word_parts(sentence.text, differs.missing),
        nearest=word_parts(sentence.nearest, differs.added) if sentence.nearest else (),
        result_index=sentence.result_index,
        number=number if is_missing else -1,
    )


def word_parts(text: str, words: Sequence[WordSpan]) -> tuple[WordPart, ...]:
    """Return a text in parts, so that these words of it can be marked."""
    parts: list[WordPart] = []
    at = 0
    for word in words:
        if word.start > at:
            parts.append(WordPart(text[at : word.start]))
        at = word.start + len(word.text)
        parts.append(WordPart(text[word.start : at], differs=True))
    if at < len(text):
        parts.append(WordPart(text[at:]))
    return tuple(parts)


MAX_LINES = 400
"""The most lines of a message that are compared or shown."""
# Facts with a line each; names that stand there, in one line.
_MAX_FACTS, _MAX_NAMES = (
    60,
    12,
)
_MAX_FACT_CHARS = 200
_SAME_AROUND = 2  # unchanged lines shown around a change
_KINDS = {
    EvidenceStatus.WORD_FOR_WORD: "found",
    EvidenceStatus.REWORDED: "reworded",
    EvidenceStatus.GONE: "gone",
}


def message_changes(
    preview: Preview, index: int, losses: Losses | None = None
) -> MessageChanges:
    """Return what became of source message ``index``; nothing for a kept one."""
    compaction = preview.result.compaction
    fate, message = compaction.fates[index], preview.messages[index]
    if fate.kind is FateKind.KEPT:
        return MessageChanges(index, ())

    lines: Iterable[ChangeLine]
    found: tuple[str, ...] = ()
    own = _own_results(compaction, index)
    if own:
        new = [line for at in own for line in _lines(compaction.messages[at])]
        lines = _difference(_lines(message), new)
    elif fate.kind is FateKind.SUMMARISED:
        text = "\n".join(_lines(message))
        facts = _facts_of(losses, index, searchable_text(message))
        lines = _in_summary(text, facts, losses)
        found = tuple(_standing_texts(facts))
    elif fate.kind is FateKind.EXCERPTED:
        standing = compaction.figures.excerpts
        found = tuple(line.text for line in standing if line.source_index == index)
        lines = _excerpted(_lines(message), found)
    else:
        lines = _removed(preview, message, fate.last.links)
    if losses is None:
        return MessageChanges(index, tuple(lines), found)
    sentences = sentence_rows(losses, index)
    pasted = _pasted_words(preview, index, losses)
    return MessageChanges(index, tuple(lines), found, sentences, pasted)


def _pasted_words(preview: Preview, index: int, losses: Losses) -> str:
    """Return "178 pasted lines of retry.py: 2 stand", "" for a message without such lines."""
    own = [
        one.fact.text
        for one in losses.items
        if one.fact.first == index and one.fact.kind is FactKind.YOUR_MESSAGE
    ]
    if not own or not losses.is_written:
        return ""
    text, authored = authored_text(preview.messages[index]), "\n".join(own)
    pasted = list(pasted_lines(text, authored))
    if not pasted:
        return ""
    there = set[str]()
    for message in preview.result.compaction.messages:
        there.update(map(str.strip, searchable_text(message).splitlines()))
    standing = sum(line in there for line in pasted)
    words = plural(len(pasted), "pasted line")
    name = pasted_file(text)
    is_all_of_it = not any(pasted_lines(without_files(text), authored))
    if name and is_all_of_it:
        words += f" of {name}"
    verb = "stands" if standing == 1 else "stand"
    return f"{words}: {standing:,} {verb}"


def _own_results(compaction: Compaction, index: int) -> list[int]:
    """Return the messages of the result that hold a source message, if the first holds no other."""
    results = [at for at, sources in enumerate(compaction.origins) if index in sources]
    is_alone = bool(results) and len(compaction.origins[results[0]]) == 1
    return results if is_alone else []


def _standing_texts(facts: Sequence[Evidence]) -> list[str]:
    return [
        one.fact.text for one in facts if one.status is EvidenceStatus.WORD_FOR_WORD
    ]


def _lines(message: Message) -> list[str]:
    texts = (
        block.text or block.title for block in body_blocks(message, MAX_BLOCK_LENGTH)
    )
    return "\n".join(texts).split("\n")


def _difference(old: Sequence[str], new: Sequence[str]) -> Iterator[ChangeLine]:
    """Yield lines that went and came, with a few unchanged ones around."""
    first, second = old[:MAX_LINES], new[:MAX_LINES]
    for tag, start, end, new_start, new_end in SequenceMatcher(
        None, first, second, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            yield from _unchanged(first[start:end])
            continue
        yield from (ChangeLine("added", line) for line in second[new_start:new_end])
        yield from (ChangeLine("removed", line) for line in first[start:end])
    if len(old) > MAX_LINES or len(new) > MAX_LINES:
        hidden = max(0, len(old) - MAX_LINES) + max(0, len(new) - MAX_LINES)
        yield ChangeLine("note", f"and {plural(hidden, 'more line')}, not compared")


def _unchanged(lines: Sequence[str]) -> Iterator[ChangeLine]:
    if len(lines) <= 2 * _SAME_AROUND + 1:
        yield from (ChangeLine("same", line) for line in lines)
        return
    yield from (ChangeLine("same", line) for line in lines[:_SAME_AROUND])
    yield ChangeLine("note", plural(len(lines) - 2 * _SAME_AROUND, "unchanged line"))
    yield from (ChangeLine("same", line) for line in lines[-_SAME_AROUND:])


def _removed(
    preview: Preview, message: Message, links: Sequence[int]
) -> Iterator[ChangeLine]:
    """Yield the message that the reason names, then what is removed."""
    for link in links[:1]:
        yield ChangeLine("head", f"Instead of it: {message_number(link)}")
        yield from _shown("same", _lines(preview.messages[link]))
    yield ChangeLine("head", "Removed")
    yield from _shown("removed", _lines(message))


def _excerpted(lines: Sequence[str], standing: Sequence[str]) -> Iterator[ChangeLine]:
    """Yield the lines that stand, then the text with them underlined."""
    yield ChangeLine("head", "Its text; what stands in the result is underlined")
    for line in _shown("same", lines):
        yield replace(line, matches=_ranges(line.text, list(standing)))


def _shown(kind: str, lines: Sequence[str]) -> Iterator[ChangeLine]:
    yield from (ChangeLine(kind, line) for line in lines[:MAX_LINES])
    if len(lines) > MAX_LINES:
        yield ChangeLine("note", f"and {plural(len(lines) - MAX_LINES, 'more line')}")


def _in_summary(
    text: str, facts: Sequence[Evidence], losses: Losses | None
) -> Iterator[ChangeLine]:
    """Yield the facts of a message, each word for word, reworded or gone in the result; then its
    text with what was found again."""
    if losses is not None and not losses.is_written:
        yield ChangeLine(
            "note", f"What stays of it depends on what {losses.summary_profile} writes."
        )
    elif facts:
        yield from _standing(facts)
    found = _standing_texts(facts)
    if found:
        head = "Its text; what stands in the result is underlined"
    else:
        head = "Its text"
    yield ChangeLine("head", head)
    for line in _shown("same", text.split("\n")):
        yield (
            replace(line, matches=_ranges(line.text, found))
            if line.kind == "same"
            else line
        )


def _standing(facts: Sequence[Evidence]) -> Iterator[ChangeLine]:
    """Yield what is gone and reworded one by one, then the sentences that stand there, then some of
    the names: all are underlined in the text."""
    what = plural(len(facts), "name or sentence", "names and sentences")
    counts = _status_counts(facts)
    head = f"{what} that Foldline recognises in it. In the result: {counts}"
    yield ChangeLine("head", head)

    changed: list[Evidence] = []
    sentences: list[Evidence] = []
    names: list[str] = []
    for one in facts:
        if one.status is not EvidenceStatus.WORD_FOR_WORD:
            changed.append(one)
        elif one.fact.kind in TOLD_BY_SENTENCE:
            sentences.append(one)
        else:
            names.append(one.fact.text)

    single = [*changed, *sentences]
    for one in single[:_MAX_FACTS]:
        text = excerpts.one_line_text(one.fact.text, _MAX_FACT_CHARS)
        yield ChangeLine(_KINDS[one.status], text)
        if one.status is EvidenceStatus.REWORDED and one.nearest:
            nearest = excerpts.one_line_text(one.nearest, _MAX_FACT_CHARS)
            yield ChangeLine("nearest", nearest)
    if len(single) > _MAX_FACTS:
        yield ChangeLine("note", f"and {len(single) - _MAX_FACTS:,} more")
    if names:
        yield ChangeLine("found", _listed_names(names))


def _status_counts(facts: Sequence[Evidence]) -> str:
    counts = Counter(one.status for one in facts)
    return ", ".join(
        f"{counts[status]:,} {status.value}" for status in _KINDS if counts[status]
    )


def _listed_names(names: Sequence[str]) -> str:
    shown = names[:_MAX_NAMES]
    listed = ", ".join(excerpts.one_line_text(name, _MAX_FACT_CHARS) for name in shown)
    if len(names) > _MAX_NAMES:
        listed += f" and {len(names) - _MAX_NAMES:,} more"
    return listed


def _ranges(line: str, found: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return where the longest of these texts stand in a line, not inside other words."""
    texts = sorted({text for text in found if text in line}, key=len, reverse=True)
    if not texts:
        return ()
    pattern = "|".join(map(re.escape, texts))
    return tuple(
        match.span() for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", line)
    )


def _facts_of(losses: Losses | None, index: int, text: str) -> list[Evidence]:
    """Return what was recognised in a message: what is gone first, then what is reworded; nothing
    before the summary is written."""
    if losses is None or not losses.is_written:
        return []
    order = (EvidenceStatus.GONE, EvidenceStatus.REWORDED, EvidenceStatus.WORD_FOR_WORD)
    found = [
        one
        for one in losses.items
        if one.fact.first <= index <= one.fact.last
        and (
            one.fact.first == index
            if one.fact.kind in TOLD_BY_SENTENCE
            else one.fact.text in text
        )
    ]
    return sorted(found, key=lambda one: order.index(one.status))
