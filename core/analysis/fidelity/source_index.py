"""Indexes a history only by the words of a few given texts, for fast lookup of their needles."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from core.analysis.fidelity.fact_texts import WORD, TextIndex, flat_text, searchable_text
from core.common.json_value import Json
from core.transcript.model import Message, Progress, no_progress, tool_calls

_DIGITS = re.compile(r"\d+")  # of a value that is written together with its unit


class _FlatTexts(dict[int, str]):
    """Texts flattened when they are looked at."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self._texts = texts

    def __missing__(self, place: int) -> str:
        self[place] = flat_text(self._texts[place])
        return self[place]


def source_index(
    messages: Sequence[Message],
    summary_texts: Iterable[str],
    known_texts: Sequence[str] = (),
    progress: Progress = no_progress,
) -> TextIndex:
    """Index messages by the words of ``summary_texts``, in linear time; the first places are those of the
    messages. ``known_texts`` are texts that a summary may repeat though no message contains them."""
    summary_words = frozenset(
        word
        for text in summary_texts
        for word in (
            *WORD.findall(text.lower()),
            *_DIGITS.findall(text),
            *_DIGITS.findall(text.replace(",", "")),
        )
    )
    texts = source_texts(messages, known_texts)
    words: defaultdict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts) if summary_words else ():
        progress(place / len(texts), "Looking where the summary comes from")
        for word in summary_words.intersection(WORD.findall(text.lower())):
            words[word].append(place)
    return TextIndex(texts, _FlatTexts(texts), words)


def source_texts(messages: Sequence[Message], known_texts: Sequence[str] = ()) -> list[str]:
    """Return the text of each message, then spelling variants, known texts and argument keys."""
    texts = list(map(searchable_text, messages))
    texts += [text.replace("\\", "/") for text in texts if "\\" in text]  # Windows paths with slashes
    keys = {
        key for message in messages for call in tool_calls(message) for key in _argument_names(call.arguments)
    }
    return [*texts, *known_texts, " ".join(sorted(keys))]


def _argument_names(arguments: Json) -> Iterable[str]:
    return map(str, arguments) if isinstance(arguments, Mapping) else ()
