"""A digest of one message without a model: its most informative sentences in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from core.facts import prose_facts, user_constraints
from core.facts.sentences import authored_prose, clean_text, plain_text, sentences
from core.summarize.token_budget import fitting_count
from core.transcript.model import Message, Speaker

_MAX_CHARACTERS = 20_000  # characters of a message that are read
_MAX_SENTENCES = 12  # sentences considered
_CLAUSE = re.compile(r"(?<=[a-z)\]][.!?;])\s+")
"""Where a long sentence may be split, since users do not always begin with a capital."""

_MIN_CHARACTERS = 16  # shorter sentences of a model without identifiers are uninformative
_NOISE = re.compile(r"\*\*|^#+ ")


def message_digest(message: Message, max_tokens: int, count: Callable[[str], int]) -> str:
    """Return a digest of at most ``max_tokens`` tokens by ``count``; "" where not even a word fits. For
    users: the first sentence, demands, and the last question. For models: the first sentence that is no
    announcement, decisions, findings, and the end. Chosen sentences stay in their order."""
    full_text = plain_text(message)[:_MAX_CHARACTERS]
    text = clean_text(full_text) or full_text
    cleaned = (_NOISE.sub("", sentence) for sentence in sentences(authored_prose(text) or text))
    parts = (
        part
        for sentence in cleaned
        for part in ((sentence,) if count(sentence) <= max_tokens else _CLAUSE.split(sentence))
    )
    texts = list(dict.fromkeys(parts))
    if not texts:
        return _cut(" ".join(text.split()), max_tokens, count)
    ranking = _rank_user(text, texts) if message.speaker is Speaker.HUMAN else _rank_model(text, texts)
    ranked = list(dict.fromkeys(ranking))
    chosen: set[int] = set()
    for index in ranked[:_MAX_SENTENCES]:
        if count(_joined(texts, chosen | {index})) <= max_tokens:
            chosen.add(index)
    return _joined(texts, chosen) if chosen else _cut(texts[ranked[0]], max_tokens, count)


def _rank_user(text: str, texts: list[str]) -> Iterator[int]:
    """Yield indices of sentences, most valuable first."""
    demands = {fact.text for fact in user_constraints.rule_candidates(text, 0)}
    yield 0
    yield from (index for index, sentence in enumerate(texts) if sentence in demands)
    yield from (index for index in range(len(texts) - 1, -1, -1) if texts[index].endswith("?"))
    yield from range(1, len(texts))


def _rank_model(text: str, texts: list[str]) -> Iterator[int]:
    """Yield indices like ``_rank_user_sentences``; announcements count only without other sentences."""
    informative = [index for index, candidate in enumerate(texts) if _is_informative(candidate)] or list(
        range(len(texts))
    )
    decided = set(prose_facts.decisions(text))
    found = {sentence for sentence, _ in prose_facts.findings(text)}
    yield informative[0]
    yield from (index for index in informative if texts[index] in decided)
    yield from (index for index in informative if texts[index] in found)
    yield informative[-1]
    yield from informative


def _is_informative(sentence: str) -> bool:
    if prose_facts.is_announcement(sentence):
        return False
    return len(sentence) >= _MIN_CHARACTERS or any(prose_facts.identifiers(sentence))


def _joined(texts: list[str], chosen: set[int]) -> str:
    closed = (
        texts[index] if texts[index][-1] in ".!?:;,…" else f"{texts[index]};" for index in sorted(chosen)
    )
    return " ".join(closed).removesuffix(";")


def _cut(text: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """Return the longest beginning of a text that fits with an ellipsis: in words, else in characters."""
    if count(text) <= max_tokens:
        return text
    return _fitting(text.split(), " ", max_tokens, count) or _fitting(
        list(text[: max_tokens * 8]), "", max_tokens, count
    )


def _fitting(parts: list[str], separator: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """Return as many of the first parts as fit; "" where not even one does."""
    most = min(len(parts), max_tokens * 8)
    fitting = fitting_count(most, lambda n: count(f"{separator.join(parts[:n])} …") <= max_tokens)
    return f"{separator.join(parts[:fitting])} …" if fitting else ""
