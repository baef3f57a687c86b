"""Packed texts behave like any sequence."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.presentation.packed_texts import PackedTexts

SOME = ("", "read_file", "naïve …", "日本語", "half \ud83d", "", "end")
several = st.lists(st.text(max_size=4), max_size=6)


@given(several, several, st.integers(-8, 14), st.integers(-8, 14))
def test_they_are_cut_and_joined_like_tuples(
    first: list[str], second: list[str], start: int, end: int
) -> None:
    plain, packed = (*first, *second), PackedTexts.joined((PackedTexts(first), PackedTexts(second)))
    assert len(packed) == len(plain)
    assert tuple(packed) == plain
    assert [packed[at] for at in range(-len(plain), len(plain))] == [*plain, *plain]
    assert tuple(packed[start:end]) == plain[start:end]
    assert tuple(packed[::-1]) == plain[::-1]
    assert tuple(PackedTexts.joined((packed[:start], packed[end:]))) == plain[:start] + plain[end:]
    assert packed == PackedTexts(plain)


def test_others_are_not_equal() -> None:
    assert PackedTexts(SOME) != PackedTexts((*SOME[:-1], "End"))
    assert PackedTexts(SOME) != PackedTexts(SOME[1:])
    assert PackedTexts(("ab", "c")) != PackedTexts(("a", "bc"))
    assert PackedTexts(SOME) != SOME


def test_a_number_that_is_not_there_is_an_error() -> None:
    for number in (len(SOME), -len(SOME) - 1):
        with pytest.raises(IndexError):
            PackedTexts(SOME)[number]


def test_a_part_is_sent_without_the_rest() -> None:
    whole = PackedTexts(["x" * 10_000, *SOME])
    sent = pickle.dumps(whole[1:])
    assert len(sent) < 1_000
    assert tuple(pickle.loads(sent)) == SOME
    assert pickle.loads(pickle.dumps(whole)) == whole
