"""Savings of each density pass in real transcripts: ``python -m tests.corpus_density`` writes the table.

The transcripts are not part of the project; where they are missing, the table stays as it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.formats.registry import load_conversation
from core.strategies.base import DensityConfig
from core.strategies.density.optimize import apply_density, optimize_history
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.model import Conversation
from tests.corpus_census import files
from tests.docs_tables import markdown
from tests.source_tree import ROOT

PAGE = ROOT / "resources" / "help" / "density.md"
MARKS = re.compile(r"(<!-- savings -->\n).*?(\n?<!-- /savings -->)", re.DOTALL)
HEAD = ("format", "files", "messages", "tokens", "read-write", "file dedupe", "recency")
MAX_PASSES = 10
"""Conversations of one file that are looked at."""
RETENTION = 3
"""Results of each tool that recency pruning keeps, as the setting's default has it."""


@dataclass(frozen=True, slots=True)
class Savings:
    """Sums over conversations: messages, tokens, and the tokens that each pass alone removes."""

    messages: int
    tokens: int
    passes: tuple[int, ...]


def conversations(path: Path) -> Iterator[Conversation]:
    first = load_conversation(path)
    yield first
    for number in range(2, min(first.siblings, MAX_PASSES) + 1):
        yield load_conversation(path, conversation=number)


def savings(conversation: Conversation, counter: TokenCounter) -> Savings:
    """Return the savings of each pass in a conversation, as if it were the only one."""
    history = conversation.messages
    nothing = DensityConfig(False, False, False, RETENTION, conversation.cwd or "/")
    configs = (
        replace(nothing, read_write_pruning=True),
        replace(nothing, file_dedupe=True),
        replace(nothing, recency_pruning=True),
    )
    before = sum(map(counter.message, history))
    left = (apply_density(history, optimize_history(history, config)) for config in configs)
    return Savings(
        len(history), before, tuple(before - sum(map(counter.message, messages)) for messages in left)
    )


def rows() -> Iterator[tuple[str, ...]]:
    """Return one line per format, then one for all."""
    counter = counter_for("")
    found: dict[str, list[list[Savings]]] = defaultdict(list)
    for path in files():
        read = list(conversations(path))
        found[f"`{read[0].format}`"].append([savings(one, counter) for one in read])
    everything = [file for of_format in found.values() for file in of_format]
    for name, of_format in (*found.items(), ("all", everything)):
        yield _row(name, of_format)


def _row(name: str, found: Sequence[Sequence[Savings]]) -> tuple[str, ...]:
    every = [one for file in found for one in file]
    tokens = sum(one.tokens for one in every)
    saved = [sum(column) for column in zip(*(one.passes for one in every), strict=True)]
    messages = sum(one.messages for one in every)
    return name, f"{len(found):,}", f"{messages:,}", f"{tokens:,}", *(_share(one, tokens) for one in saved)


def _share(saved: int, tokens: int) -> str:
    return f"{100 * saved / tokens:.1f} %" if saved else "–"


def page_with_table(text: str) -> str:
    """Return the page with the present table."""
    table = markdown(HEAD, list(rows()))
    return MARKS.sub(lambda match: f"{match[1]}{table}\n{match[2].lstrip()}", text)


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text("utf-8")), "utf-8")
