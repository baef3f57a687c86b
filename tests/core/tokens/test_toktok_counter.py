"""Counts of toktok equal tiktoken's."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.tokens.counter import TokenCounter, method_for
from core.tokens.encodings import count_text, count_texts, has_toktok, load_encoding

ODD = (
    "",
    " ",
    "plain words and a number 12345",
    "<|endoftext|> is text here, <|fim_prefix|> too",
    "naïve café 日本語のテキスト 한국어 עברית",
    "👩‍👩‍👧‍👦🏳️‍🌈 zero\u200bwidth\u2028line",
    "half \ud83d a character",
    "\n" * 500,
    " " * 3_000 + "x",
    "=" * 2_000,
    "iVBORw0KGgoAAAANSUhEUgAA" * 100,
    "def f(x):\n\treturn {'a': [1, 2, 3]}\r\n",
)
MOST = 3_000_000
"""Characters of the corpus to compare."""
LONGEST = 20_000
"""Characters of one of its texts."""

pytestmark = pytest.mark.skipif(not has_toktok(), reason="toktok-rs has no wheel for this machine")


class _Collector(TokenCounter):
    """Collects the texts that would be counted."""

    def __init__(self) -> None:
        super().__init__(method_for(""))
        self.found: dict[str, None] = {}

    def text(self, text: str) -> int:
        self.found[text[:LONGEST]] = None
        return 0


def _mixed(seed: int) -> str:
    dice = random.Random(seed)
    return "".join(
        chr(dice.choice((32, 10, 65, 97, 0x4E00, 0x1F600)) + dice.randrange(20)) for _ in range(400)
    )


def _texts(folder: Path) -> Iterator[str]:
    """Return texts of each file of the corpus, so that every format, tool and language occurs."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in files:
        collector, room = _Collector(), MOST // len(files)
        try:
            collector.messages(load_conversation(path).messages)
        except InputError:
            continue
        for text in collector.found:
            room -= len(text)
            if room < 0:
                break
            yield text


def _differing(texts: list[str], encoding: str) -> list[str]:
    """Return the beginnings of texts that toktok counts otherwise, together or one by one."""
    oracle = load_encoding(encoding)
    counts = zip(texts, count_texts(texts, encoding), strict=True)
    return [
        text[:80]
        for text, count in counts
        if not count == count_text(text, encoding) == len(oracle.encode_ordinary(_as_tiktoken_reads(text)))
    ]


def _as_tiktoken_reads(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_it_counts_like_tiktoken(encoding: str) -> None:
    assert _differing([*ODD, *map(_mixed, range(200))], encoding) == []


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_it_counts_the_corpus_like_tiktoken(corpus: Path, encoding: str) -> None:
    texts = list(_texts(corpus))
    assert len(texts) > 1_000
    assert _differing(texts, encoding) == []
