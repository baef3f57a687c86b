"""How summaries say that words are the person's, in the languages of ``attributions.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_COMPOUND = r"\b(?:nutzer|benutzer|anwender)(?:nachrichten|anweisungen|wünsche|anfragen|vorgaben)\b"
_OTHERS = (
    r"\b(?:assistant|the agent|the model|der assistent|l['’]assistant|el asistente|o assistente)\b",
    r"\bассистент\b|助手|模型|アシスタント",
    r"\b(?:I|we)(?: \w+)? (?:said|asked|replied|answered|wrote|suggested|told|proposed|explained)\b",
    r"\b(?:(?:auf )?meine|ich)\b",
    r"\b(?:errors?|logs?|output|file|command|readme|tests?)\b",
    r"\bthe (?:tool|script|build|server|worker|profile|page|title)\b",
)
"""Who and what else is quoted in the same sentence."""


@dataclass(frozen=True, slots=True)
class Language:
    """``own``: the words for the person; ``common``: frequent words, none where the script tells
    the language."""

    own: re.Pattern[str]
    common: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionPatterns:
    """``subject``: who the person is called; ``speech``: verbs of saying; ``order``: the person and
    a verb of wishing; ``title``: the heading of a section of the person's words; ``label``: what
    stands before such words in the same line; ``other``: somebody else."""

    languages: Mapping[str, Language]
    subject: re.Pattern[str]
    speech: re.Pattern[str]
    order: re.Pattern[str]
    title: re.Pattern[str]
    label: re.Pattern[str]
    other: re.Pattern[str]


def _read_patterns() -> AttributionPatterns:
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    tables: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(text)
    languages = {
        name: Language(
            _any([*one["person"], *one["of_person"]]),
            frozenset(" ".join(one["common"]).split()),
        )
        for name, one in tables.items()
    }
    words = tables.values()
    persons = [_group(one["person"]) for one in words]
    titles = list(_titles(words))
    orders = [
        rf"{_group(one['person'])}[^.!?\"“]{{0,12}}?{_group(one['orders'])}"
        for one in words
        if one["orders"]
    ]
    label = rf"^[\s\[*_]*{_group([*titles, *persons])}[\s\]*_]*[:：]\s*"
    return AttributionPatterns(
        languages=languages,
        subject=_any(
            pattern for one in words for pattern in (*one["of_person"], *one["person"])
        ),
        speech=_any(pattern for one in words for pattern in one["speech"]),
        order=_any(orders),
        title=_any([*titles, _COMPOUND]),
        label=re.compile(label, re.IGNORECASE),
        other=_any(_OTHERS),
    )


def _titles(words: Iterable[Mapping[str, list[str]]]) -> Iterator[str]:
    """Yield "messages of the user" and "user messages" of each language."""
    for one in words:
        things = _group(one["things"])
        yield rf"{things}[:\s]*{_group(one['of_person'])}"
        yield rf"{_group(one['person'])}[\s的の]*(?:\w+ )?{things}"


def _group(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


PATTERNS = _read_patterns()
