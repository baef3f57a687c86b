"""Does it say the same? What a model is asked about a result: facts that do not stand there word
for word, and sentences of its summaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.facts.model import FactKind
from core.facts.sentences import searchable_text
from core.losses.judge.model import JudgeQuestion
from core.losses.model import Losses
from core.losses.source_texts import nearest_sentence, source_index
from core.losses.summary_sentences import (
    SummaryPart,
    find_summaries,
    sentences_in,
)
from core.losses.texts import TextIndex
from core.preview.options import Preview
from core.transcript.compaction import Compaction
from core.transcript.model import Progress, no_progress

_ASKED = (
    FactKind.YOUR_MESSAGE,
    FactKind.INSTRUCTION,
    FactKind.OPEN_ERROR,
    FactKind.TODO,
)
"""Kinds whose sense a model can judge; of the others strings say all."""
SUMMARY_SENTENCE = "sentence of the summary"
_MAX_STATEMENT, _MAX_TEXT = (
    1_500,
    12_000,
)  # characters; of a text those around its nearest sentence
_SHORTENED = "…"


def judge_questions(
    preview: Preview, losses: Losses, progress: Progress = no_progress
) -> tuple[JudgeQuestion, ...]:
    """Return the questions: the facts worst first, then the sentences. None of a summary that is
    not written, and none where the result has no new text."""
    if not losses.is_written:
        return ()
    compaction = preview.written_compaction
    parts = find_summaries(compaction)
    if not parts:
        return ()
    return *_facts(losses, compaction, parts), *_sentences(preview, parts, progress)


def _facts(
    losses: Losses, compaction: Compaction, parts: Sequence[SummaryPart]
) -> Iterator[JudgeQuestion]:
    summaries = "\n\n".join(part.text for part in parts)
    indices = {part.index for part in parts}
    asked = (one for one in losses.worst_first if one.fact.kind in _ASKED)
    for one in asked:
        for sentence in one.not_standing:
            text = summaries
            if sentence.result_index >= 0 and sentence.result_index not in indices:
                text = searchable_text(compaction.messages[sentence.result_index])
            yield JudgeQuestion(
                _statement(sentence.text),
                around(text, sentence.nearest),
                one.fact.kind.value,
                one.fact.first,
            )


def _statement(text: str) -> str:
    if len(text) <= _MAX_STATEMENT:
        return text
    return f"{text[:_MAX_STATEMENT]}{_SHORTENED}"


def _sentences(
    preview: Preview, parts: Sequence[SummaryPart], progress: Progress
) -> Iterator[JudgeQuestion]:
    texts = [part.text for part in parts]
    source: TextIndex = source_index(
        preview.messages, texts, preview.source.conversation.names, progress
    )
    for part in parts:
        covered = frozenset(part.origins)
        for sentence in sentences_in(part.text):
            if source.contains(sentence.text):
                continue  # it stands there as it is
            nearest, message = nearest_sentence(
                sentence.text, preview.messages, source, covered
            )
            if nearest and message >= 0:
                text = around(searchable_text(preview.messages[message]), nearest)
                yield JudgeQuestion(
                    sentence.text, text, SUMMARY_SENTENCE, message, is_summary=True
                )


def around(text: str, sentence: str) -> str:
    """Return a text, or of a long one what stands around a sentence."""
    if len(text) <= _MAX_TEXT:
        return text
    if sentence:
        at = text.find(sentence[:200])
    else:
        at = 0
    start = max(0, at - _MAX_TEXT // 2)
    return text[start : start + _MAX_TEXT]
