"""The texts of a history, searchable for the words of a few other texts: quick to make, quick to ask."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.analysis.fidelity.fact_texts import contains_needle, flat_text, text_of
from core.common.json_value import Json
from core.transcript.model import Message, Progress, no_progress, tool_calls

_WORD = re.compile(r"\w+")
_MANY = 100
"""Places with a word that are looked at from each end; of what is said so often no more is told by more."""


@dataclass(frozen=True, slots=True)
class SourceIndex:
    """Texts by place; ``words`` says where each word of the other texts stands, ascending.

    The first ``messages`` texts are those of messages, by place; others are only known to be there.
    """

    texts: Sequence[str]
    words: Mapping[str, Sequence[int]]
    messages: int
    _flat: dict[int, str] = field(default_factory=dict)

    def plain(self, place: int) -> str:
        """A text on one line, small."""
        if place not in self._flat:
            self._flat[place] = flat_text(self.texts[place])
        return self._flat[place]

    def has(self, needle: str, *, exact: bool = False, is_cut: bool = False) -> bool:
        """True where a needle out of the other texts stands somewhere as words of its own. ``exact`` and
        ``is_cut`` as in ``TextIndex.places``."""
        wanted = needle if exact else flat_text(needle)
        return any(self._hold(wanted, self._near(wanted, is_cut), exact, is_cut))

    def mentions(self, needle: str, *, exact: bool) -> list[int]:
        """Messages that mention a needle, ascending; of very many the first and the last. A single word
        counts however it is spelled."""
        wanted = needle if exact else flat_text(needle)
        near = [place for place in self._near(wanted, False) if place < self.messages]
        if len(near) > 2 * _MANY:
            near = [*near[:_MANY], *near[-_MANY:]]
        if _WORD.fullmatch(wanted):
            return near
        return [place for place, holds in zip(near, self._hold(wanted, near, exact), strict=True) if holds]

    def _hold(self, wanted: str, near: Sequence[int], exact: bool, is_cut: bool = False) -> Iterator[bool]:
        """Place by place whether a needle stands there."""
        for place in near:
            yield contains_needle(wanted, self.texts[place] if exact else self.plain(place), is_cut)

    def _near(self, needle: str, is_cut: bool) -> Sequence[int]:
        """The places with the rarest word of a needle."""
        found = _WORD.findall(needle.lower())
        found = found[:-1] if is_cut else found
        if not found:
            return range(len(self.texts)) if is_cut else ()
        return min((self.words.get(word, ()) for word in found), key=len)


def source_index(
    messages: Sequence[Message],
    about: Iterable[str],
    known: Sequence[str] = (),
    progress: Progress = no_progress,
) -> SourceIndex:
    """Index messages by the words of the texts ``about``; linear in both.

    ``known`` are texts that a summary may repeat though no message says them.
    """
    wanted = frozenset(word for text in about for word in _WORD.findall(text.lower()))
    texts = source_texts(messages, known)
    words: defaultdict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        progress(place / len(texts), "Looking where the summary comes from")
        for word in wanted.intersection(_WORD.findall(text.lower())):
            words[word].append(place)
    return SourceIndex(texts, words, len(messages))


def source_texts(messages: Sequence[Message], known: Sequence[str] = ()) -> list[str]:
    """What a history says, message by message, and behind that in what other ways it may be told."""
    texts = list(map(text_of, messages))
    texts += [text.replace("\\", "/") for text in texts if "\\" in text]  # paths of Windows, told as others
    keys = {key for message in messages for call in tool_calls(message) for key in _keys(call.arguments)}
    return [*texts, *known, " ".join(sorted(keys))]


def _keys(arguments: Json) -> Iterable[str]:
    return map(str, arguments) if isinstance(arguments, Mapping) else ()
