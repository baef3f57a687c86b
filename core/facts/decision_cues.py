"""Tells by weighted cues whether a sentence of the model states a decision or a finding.

The weights in ``decision_cues.tsv`` are a logistic regression over labelled sessions, which
``python -m tests.labelled.training`` repeats. A cue is a word, a pair of words, the start or the form of a
sentence that occurs in at least four sessions, so that none of them comes from the subject of one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from math import fsum
from pathlib import Path

CUES = Path(__file__).with_suffix(".tsv")
BIAS = "<sentence>"
_WORD = re.compile(r"`[^`]*`|[a-zà-ÿ']+|\d+|[?!:→]")
_SHORT, _LONG = 6, 25  # words


def states_decision(sentence: str, *, is_only: bool) -> bool:
    """``is_only``: the message has no other sentence."""
    weights = _weights()
    # fsum: the order of a set, which differs between processes, must not decide
    return fsum(weights.get(cue, 0.0) for cue in sentence_cues(sentence, is_only=is_only)) >= 0


def sentence_cues(sentence: str, *, is_only: bool) -> frozenset[str]:
    """Return the cues of a sentence; code and numbers count by their kind."""
    words = list(map(_general, _WORD.findall(sentence.lower().replace("’", "'"))))
    pairs = [" ".join(pair) for pair in pairwise(words)]
    starts = (f"^ {start}" for start in (*words[:1], *pairs[:1]))
    length = "<short>" if len(words) < _SHORT else "<long>" if len(words) > _LONG else "<medium>"
    return frozenset((*words, *pairs, *starts, length, "<only>" if is_only else "<among others>", BIAS))


def _general(word: str) -> str:
    return "<code>" if word[0] == "`" else "<number>" if word.isdigit() else word


@cache
def _weights() -> Mapping[str, float]:
    rows = (line.split("\t") for line in CUES.read_text(encoding="utf-8").splitlines())
    return {cue: float(weight) for cue, weight in rows}
