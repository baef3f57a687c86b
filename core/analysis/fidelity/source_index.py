"""Indexes a history only by the words of a few given texts, for fast lookup of their needles."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress

from core.analysis.fidelity.fact_texts import contains_needle, flat_text, searchable_text
from core.common.json_value import Json
from core.transcript.model import Message, Progress, no_progress, tool_calls

_WORD = re.compile(r"\w+")
_MAX_FROM_EACH_END = 100
"""Most messages with a common word to search from each end."""


@dataclass(frozen=True, slots=True)
class SourceIndex:
    """Texts with the places of each word, ascending. The first ``message_count`` texts are messages by
    index; the others are only known to exist."""

    texts: Sequence[str]
    words: Mapping[str, Sequence[int]]
    message_count: int
    _plain_cache: dict[int, str] = field(default_factory=dict)

    def plain(self, place: int) -> str:
        if place not in self._plain_cache:
            self._plain_cache[place] = flat_text(self.texts[place])
        return self._plain_cache[place]

    def contains(self, needle: str, *, exact: bool = False, is_cut: bool = False) -> bool:
        """Return whether a needle occurs as whole words; ``exact`` and ``is_cut`` as in
        ``TextIndex.places``."""
        search_text = needle if exact else flat_text(needle)
        return any(self._matches(search_text, self._candidates(search_text, is_cut), exact, is_cut))

    def messages_with(self, needle: str, *, exact: bool) -> list[int]:
        """Return messages that mention a needle, ascending, the first and last if there are very many. A
        single word matches in any case."""
        search_text = needle if exact else flat_text(needle)
        candidates = [place for place in self._candidates(search_text, False) if place < self.message_count]
        if len(candidates) > 2 * _MAX_FROM_EACH_END:
            candidates = [*candidates[:_MAX_FROM_EACH_END], *candidates[-_MAX_FROM_EACH_END:]]
        if _WORD.fullmatch(search_text):
            return candidates
        return list(compress(candidates, self._matches(search_text, candidates, exact)))

    def _matches(
        self, search_text: str, candidates: Sequence[int], exact: bool, is_cut: bool = False
    ) -> Iterator[bool]:
        """Yield for each candidate whether it holds the needle."""
        for place in candidates:
            yield contains_needle(search_text, self.texts[place] if exact else self.plain(place), is_cut)

    def _candidates(self, needle: str, is_cut: bool) -> Sequence[int]:
        """Return the texts with the rarest word of a needle."""
        words_in_needle = _WORD.findall(needle.lower())
        words_in_needle = words_in_needle[:-1] if is_cut else words_in_needle
        if not words_in_needle:
            return range(len(self.texts)) if is_cut else ()
        return min((self.words.get(word, ()) for word in words_in_needle), key=len)


def source_index(
    messages: Sequence[Message],
    summary_texts: Iterable[str],
    known_texts: Sequence[str] = (),
    progress: Progress = no_progress,
) -> SourceIndex:
    """Index messages by the words of the texts ``summary_texts``, in linear time. ``known_texts`` are
    texts that a summary may repeat though no message contains them."""
    summary_words = frozenset(word for text in summary_texts for word in _WORD.findall(text.lower()))
    texts = source_texts(messages, known_texts)
    words: defaultdict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        progress(place / len(texts), "Looking where the summary comes from")
        for word in summary_words.intersection(_WORD.findall(text.lower())):
            words[word].append(place)
    return SourceIndex(texts, words, len(messages))


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
