"""Of the words in real transcripts and samples none is lost: each is read, or skipped for a known
reason."""

import json
from collections.abc import Mapping
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

from core.formats.registry import FORMATS
from tests.core.formats.census import (
    REFUSED,
    Census,
    census,
    census_of,
    files,
    own_files,
)
from tests.support.sampling import sampled


@cache
def looked_at() -> Mapping[str, Census]:
    """Return the census of all transcripts, or of every third file of each folder."""
    by_folder = groupby(files(), key=lambda path: path.parent)
    thirds = [path for _, paths in by_folder for path in [*paths][::3]]
    return census(sampled(files(), thirds))


def test_no_word_of_a_transcript_is_lost() -> None:
    if not files():
        pytest.skip("needs the transcripts in ../shared")
    lost = {name: dict(one.lost) for name, one in looked_at().items() if one.lost}
    assert lost == {}


def test_what_is_skipped_has_a_reason() -> None:
    if not files():
        pytest.skip("needs the transcripts in ../shared")
    found = {
        name: one.unexplained for name, one in looked_at().items() if one.unexplained
    }
    assert found == {}


def test_every_reader_reads_or_counts_all_words_of_our_samples(tmp_path: Path) -> None:
    found = census(own_files(tmp_path))
    assert found.keys() - {REFUSED} == {one.name for one in FORMATS} - IN_DATABASES
    assert {name: dict(one.lost) for name, one in found.items() if one.lost} == {}
    assert {
        name: one.unexplained for name, one in found.items() if one.unexplained
    } == {}


IN_DATABASES = {"crush", "zed"}


def test_the_census_sees_what_a_reader_loses(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    asked = {"role": "user", "content": "which tides are counted"}
    path.write_text(
        json.dumps(
            [
                asked,
                {
                    "role": "assistant",
                    "content": "42",
                    "aside": "never told to anybody",
                },
            ]
        )
    )
    found = census_of(path)
    assert found is not None
    assert (found[0], found[1].read, found[1].skipped, dict(found[1].lost)) == (
        "openai_chat",
        4,
        4,
        {},
    )
    path.write_text(json.dumps({"title": "a word too much", "messages": [asked]}))
    found = census_of(path)
    assert found is not None
    assert dict(found[1].lost) == {".title": 4}


def test_the_census_sees_a_long_text_that_is_skipped_without_a_reason(
    tmp_path: Path,
) -> None:
    path = tmp_path / "chat.json"
    said = {
        "role": "user",
        "content": "which tides",
        "aside": f"told to nobody {'at all ' * 9}",
    }
    path.write_text(json.dumps([said]))
    found = census_of(path)
    assert found is not None
    assert list(found[1].unexplained) == ["[user].aside"]
