"""A plain digest of one message without a model: its most telling sentences, in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from core.facts import prose_facts, user_constraints
from core.facts.sentences import clean_text, plain_text, sentences
from core.facts.user_text import own_words
from core.transcript.model import Message, Speaker

_LONGEST = 20_000  # characters of a message that are looked at
_MOST = 12  # sentences that are tried
_CLAUSE = re.compile(r"(?<=[a-z)\]][.!?;])\s+")
"""Where a long sentence may be parted: people do not always begin with a capital."""

_FEW_CHARACTERS = 16  # a shorter sentence of a model that names nothing says little
_NOISE = re.compile(r"\*\*|^#+ ")


def message_digest(message: Message, most: int, count: Callable[[str], int]) -> str:
    """What a message says, in at most ``most`` tokens by ``count``; "" where not even a word fits.

    Of a person: the first sentence, demands, and the last question. Of a model: the first sentence that
    is no announcement, what was decided and found, and how it ends. Chosen sentences stay in their order.
    """
    whole = plain_text(message)[:_LONGEST]
    text = clean_text(whole) or whole
    found = (_NOISE.sub("", one) for one in sentences(own_words(text) or text))
    parts = (part for one in found for part in ((one,) if count(one) <= most else _CLAUSE.split(one)))
    said = list(dict.fromkeys(parts))
    if not said:
        return _cut(" ".join(text.split()), most, count)
    worth = _human(text, said) if message.speaker is Speaker.HUMAN else _model(text, said)
    weighed = list(dict.fromkeys(worth))
    chosen: set[int] = set()
    for place in weighed[:_MOST]:
        if count(_joined(said, chosen | {place})) <= most:
            chosen.add(place)
    return _joined(said, chosen) if chosen else _cut(said[weighed[0]], most, count)


def _human(text: str, said: list[str]) -> Iterator[int]:
    """Places of sentences in the order of their worth."""
    demands = {fact.text for fact in user_constraints.rule_candidates(text, 0)}
    yield 0
    yield from (place for place, one in enumerate(said) if one in demands)
    yield from (place for place in range(len(said) - 1, -1, -1) if said[place].endswith("?"))
    yield from range(1, len(said))


def _model(text: str, said: list[str]) -> Iterator[int]:
    """The same for a model; announcements count only where there is nothing else."""
    told = [place for place, one in enumerate(said) if _tells(one)] or list(range(len(said)))
    decided = set(prose_facts.decisions(text))
    found = {sentence for sentence, _ in prose_facts.findings(text)}
    yield told[0]
    yield from (place for place in told if said[place] in decided)
    yield from (place for place in told if said[place] in found)
    yield told[-1]
    yield from told


def _tells(sentence: str) -> bool:
    if prose_facts.is_announcement(sentence):
        return False
    return len(sentence) >= _FEW_CHARACTERS or any(prose_facts.identifiers(sentence))


def _joined(said: list[str], chosen: set[int]) -> str:
    ended = (said[place] if said[place][-1] in ".!?:;,…" else f"{said[place]};" for place in sorted(chosen))
    return " ".join(ended).removesuffix(";")


def _cut(text: str, most: int, count: Callable[[str], int]) -> str:
    """The longest beginning of a text that fits with an ellipsis behind it: in words, else in characters."""
    if count(text) <= most:
        return text
    return _fitting(text.split(), " ", most, count) or _fitting(list(text[: most * 8]), "", most, count)


def _fitting(parts: list[str], joint: str, most: int, count: Callable[[str], int]) -> str:
    """As many of the first parts as fit; "" where not even one does."""
    low, high = 0, min(len(parts), most * 8)
    while low < high:
        middle = (low + high + 1) // 2
        if count(f"{joint.join(parts[:middle])} …") <= most:
            low = middle
        else:
            high = middle - 1
    return f"{joint.join(parts[:low])} …" if low else ""
