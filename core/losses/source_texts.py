"""The texts of a history, indexed only by the words of a few given texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from core.common.json_value import Json
from core.facts.sentences import plain_text, searchable_text
from core.losses.texts import (
    TextIndex,
    content_words,
    split_sentences,
    text_index,
)
from core.transcript.model import Message, Progress, Speaker, no_progress, tool_calls

_DIGITS = re.compile(r"\d+")  # of a value that is written together with its unit
_MAX_MESSAGES = 300  # words in more messages are not searched
_MAX_CANDIDATES = 8  # messages compared by sentence
_MAX_CHARACTERS = 20_000  # characters of a message to split into sentences
_NEAR_SHARE = 0.34  # of the content words of a sentence


def source_index(
    messages: Sequence[Message],
    summary_texts: Iterable[str],
    known_texts: Sequence[str] = (),
    progress: Progress = no_progress,
) -> TextIndex:
    """Index messages by the words of ``summary_texts``, in linear time; the first places are those
    of the messages. ``known_texts`` are texts that a summary may repeat though no message contains
    them."""
    needles = [
        needle
        for text in summary_texts
        for needle in (
            text,
            *_DIGITS.findall(text),
            *_DIGITS.findall(text.replace(",", "")),
        )
    ]
    return text_index(_source_texts(messages, known_texts), progress, needles=needles)


def _source_texts(messages: Sequence[Message], known_texts: Sequence[str]) -> list[str]:
    """Return the text of each message, then spelling variants, known texts and argument keys."""
    texts = list(map(searchable_text, messages))
    texts += [
        text.replace("\\", "/") for text in texts if "\\" in text
    ]  # Windows paths with slashes
    keys = {
        key
        for message in messages
        for call in tool_calls(message)
        for key in _argument_names(call.arguments)
    }
    return [*texts, *known_texts, " ".join(sorted(keys))]


def _argument_names(arguments: Json) -> Iterable[str]:
    if isinstance(arguments, Mapping):
        return map(str, arguments)
    return ()


def similar_messages(
    words: frozenset[str],
    messages: Sequence[Message],
    source: TextIndex,
    covered: frozenset[int],
) -> list[int]:
    """Return the messages that say most of the rarer words, best first; results of tools say
    nothing, and those in ``covered`` count double."""
    hits: Counter[int] = Counter()
    for word in words:
        indices = source.words.get(word, ())
        if len(indices) <= _MAX_MESSAGES:
            hits.update(indices)
    candidates = [
        index
        for index in hits
        if index < len(messages) and messages[index].speaker is not Speaker.TOOL
    ]
    weights = {
        index: hits[index] * (1.0 if index in covered else 0.5) for index in candidates
    }
    return sorted(candidates, key=lambda index: (-weights[index], index))[
        :_MAX_CANDIDATES
    ]


def nearest_sentence(
    sentence: str,
    messages: Sequence[Message],
    source: TextIndex,
    covered: frozenset[int] = frozenset(),
) -> tuple[str, int]:
    """Return the sentence of the source that shares most words with a sentence, and its message;
    ("", -1) where none shares a third of them."""
    words = content_words(sentence)
    best, best_count = ("", -1), max(1.0, _NEAR_SHARE * len(words))
    for index in similar_messages(words, messages, source, covered):
        for candidate in split_sentences(plain_text(messages[index])[:_MAX_CHARACTERS]):
            count = len(words & content_words(candidate))
            if count > best_count or (count == best_count and best[1] < 0):
                best, best_count = (" ".join(candidate.split()), index), float(count)
    return best
