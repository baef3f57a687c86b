"""Tells by weighted cues whether a sentence states a decision or a finding, or a constraint.

The weights in the ``.tsv`` files are logistic regressions. A cue is a word, a pair of words, the start,
the form or the context of a sentence (in a list or not, sentences of its text)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from math import fsum
from pathlib import Path

DECISION_CUES = Path(__file__).with_name("decision_cues.tsv")
CONSTRAINT_CUES = Path(__file__).with_name("constraint_cues.tsv")
BIAS = "<bias>"
_WORD = re.compile(r"`[^`]*`|[a-zà-ÿ']+|\d+|[?!:→]")
_SHORT, _LONG = 6, 25  # words
_MAX_SIZE = 6  # bits of the number of sentences, 32 and more


def accepts(weighted: Path, cues: Iterable[str], *, at_least: float = 0.0) -> bool:
    """Return whether the weights in a file accept a sentence with these cues."""
    weights = _weights(weighted)
    # fsum: the order of a set, which differs between processes, must not decide
    return fsum(map(weights.__getitem__, weights.keys() & cues)) >= at_least


def sentence_cues(sentence: str, *context: str, is_item: bool, count: int) -> frozenset[str]:
    """Return the cues of a sentence; code and numbers count by their kind. ``context``: further cues;
    ``is_item``: it belongs to an item of a list; ``count``: sentences of its text."""
    words = list(map(_general, _WORD.findall(sentence.lower().replace("’", "'"))))
    pairs = [" ".join(pair) for pair in pairwise(words)]
    starts = (f"^ {start}" for start in (*words[:1], *pairs[:1]))
    length = "<short>" if len(words) < _SHORT else "<long>" if len(words) > _LONG else "<medium>"
    form = "<item>" if is_item else "<line>"
    size = f"<text {min(_MAX_SIZE, count.bit_length())}>"
    return frozenset((*words, *pairs, *starts, length, form, size, *context, BIAS))


def _general(word: str) -> str:
    return "<code>" if word[0] == "`" else "<number>" if word.isdigit() else word


@cache
def _weights(weighted: Path) -> Mapping[str, float]:
    rows = (line.split("\t") for line in weighted.read_text(encoding="utf-8").splitlines())
    return {cue: float(weight) for cue, weight in rows}
