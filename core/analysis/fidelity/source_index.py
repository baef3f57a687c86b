"""Indexes a history only by the words of a few given texts, for fast lookup of their needles."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress

from core.analysis.fidelity.fact_texts import contains_needle, flat_text, text_of
from core.common.json_value import Json
from core.transcript.model import Message, Progress, no_progress, tool_calls

_WORD = re.compile(r"\w+")
_MANY = 100
"""Most messages with a common word to search from each end."""


@dataclass(frozen=True, slots=True)
class SourceIndex:
    """Texts with the places of each word, ascending. The first ``messages`` texts are messages by index; the
    others are only known to exist."""

    texts: Sequence[str]
    words: Mapping[str, Sequence[int]]
    messages: int
    _flat: dict[int, str] = field(default_factory=dict)

    def plain(self, place: int) -> str:
        if place not in self._flat:
            self._flat[place] = flat_text(self.texts[place])
        return self._flat[place]

    def has(self, needle: str, *, exact: bool = False, is_cut: bool = False) -> bool:
        """Return whether a needle occurs as whole words; ``exact`` and ``is_cut`` as in
        ``TextIndex.places``."""
        wanted = needle if exact else flat_text(needle)
        return any(self._matches(wanted, self._candidates(wanted, is_cut), exact, is_cut))

    def mentions(self, needle: str, *, exact: bool) -> list[int]:
        """Return messages that mention a needle, ascending, the first and last if there are very many. A
        single word matches in any case."""
        wanted = needle if exact else flat_text(needle)
        candidates = [place for place in self._candidates(wanted, False) if place < self.messages]
        if len(candidates) > 2 * _MANY:
            candidates = [*candidates[:_MANY], *candidates[-_MANY:]]
        if _WORD.fullmatch(wanted):
            return candidates
        return list(compress(candidates, self._matches(wanted, candidates, exact)))

    def _matches(
        self, wanted: str, candidates: Sequence[int], exact: bool, is_cut: bool = False
    ) -> Iterator[bool]:
        """Yield for each candidate whether it holds the needle."""
        for place in candidates:
            yield contains_needle(wanted, self.texts[place] if exact else self.plain(place), is_cut)

    def _candidates(self, needle: str, is_cut: bool) -> Sequence[int]:
        """Return the texts with the rarest word of a needle."""
        words_in_needle = _WORD.findall(needle.lower())
        words_in_needle = words_in_needle[:-1] if is_cut else words_in_needle
        if not words_in_needle:
            return range(len(self.texts)) if is_cut else ()
        return min((self.words.get(word, ()) for word in words_in_needle), key=len)


def source_index(
    messages: Sequence[Message],
    about: Iterable[str],
    known: Sequence[str] = (),
    progress: Progress = no_progress,
) -> SourceIndex:
    """Index messages by the words of the texts ``about``, in linear time. ``known`` are texts that a summary
    may repeat though no message contains them."""
    wanted = frozenset(word for text in about for word in _WORD.findall(text.lower()))
    texts = source_texts(messages, known)
    words: defaultdict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        progress(place / len(texts), "Looking where the summary comes from")
        for word in wanted.intersection(_WORD.findall(text.lower())):
            words[word].append(place)
    return SourceIndex(texts, words, len(messages))


def source_texts(messages: Sequence[Message], known: Sequence[str] = ()) -> list[str]:
    """Return the text of each message, then spelling variants, known texts and argument keys."""
    texts = list(map(text_of, messages))
    texts += [text.replace("\\", "/") for text in texts if "\\" in text]  # Windows paths with slashes
    keys = {key for message in messages for call in tool_calls(message) for key in _keys(call.arguments)}
    return [*texts, *known, " ".join(sorted(keys))]


def _keys(arguments: Json) -> Iterable[str]:
    return map(str, arguments) if isinstance(arguments, Mapping) else ()
