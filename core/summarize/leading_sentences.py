"""The first meaningful sentences of a text, and its last question."""

from __future__ import annotations

import re

from core.facts.sentences import sentences, shorten

_STARTS_WORK = re.compile(
    r"^(?:let me|now (?:let|i)|i'll|i will|i(?:'m| am) going to|let's|perfect|great|good|looking (?:at|for)|"
    r"next,|first,)(?!\w)",
    re.IGNORECASE,
)


_FEWEST_CHARACTERS = 12  # of a sentence of a model that says anything


def leading_sentences(
    text: str, limit: int, *, titles: bool = False, max_sentences: int = 0
) -> str:
    """Return the first meaningful sentences of a text, at most ``limit`` characters, on one line.
    Announcements ("Now let me look …") are replaced by what follows them, if anything does. With
    ``titles`` every sentence counts, as in a user's text. ``max_sentences``: number of sentences; 0
    for any."""
    chosen: list[str] = []
    fallback = ""
    remaining = limit
    for sentence in sentences(text):
        if titles:
            words = sentence
        else:
            words = sentence.replace("**", "")
        if not titles and _says_little(words):
            fallback = fallback or words
            continue
        is_full = bool(max_sentences) and len(chosen) >= max_sentences
        if chosen and (is_full or len(words) > remaining):
            break
        chosen.append(words)
        remaining -= len(words) + 1
    # What a colon announces was left out.
    while len(chosen) > 1 and chosen[-1].endswith(":"):
        chosen.pop()
    closed = [*map(_closed, chosen[:-1]), *chosen[-1:]]
    return shorten(" ".join(closed) or fallback, limit)


def _says_little(words: str) -> bool:
    if len(words) < _FEWEST_CHARACTERS:
        return True
    return bool(_STARTS_WORK.match(words)) or _opens_a_list(words)


def _closed(words: str) -> str:
    if words[-1] in ".!?:;,…":
        return words
    return f"{words};"


def is_announcement(sentence: str) -> bool:
    """Return True for an announcement ("Now let me look …", "Here it is:")."""
    return bool(_STARTS_WORK.match(sentence)) or sentence.endswith(":")


def _opens_a_list(words: str) -> bool:
    """Return True for a line with a colon that only introduces a list."""
    return words.endswith(":") and (
        len(words) < 25 or words.lower().startswith(("here is", "here's"))
    )


def last_question(text: str) -> str:
    return next(
        (words for words in reversed(tuple(sentences(text))) if words.endswith("?")), ""
    )
