"""Of the words in real transcripts and samples none is lost: each is read, or skipped for a known
reason."""

import json
from pathlib import Path

import pytest

from tests.core.formats.census import census_of, files, word_census


def test_no_word_of_a_transcript_is_lost() -> None:
    if not files():
        pytest.skip("needs the transcripts in ../shared")
    lost = {name: dict(one.lost) for name, one in word_census().items() if one.lost}
    assert lost == {}


def test_the_census_sees_what_a_reader_loses(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    asked = {"role": "user", "content": "which tides are counted"}
    path.write_text(
        json.dumps(
            [asked, {"role": "assistant", "content": "42", "aside": "never told to anybody"}]
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
