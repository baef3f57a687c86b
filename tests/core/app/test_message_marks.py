"""Marks of messages: kept in the state folder by content, found again after growth, moves and edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.app.pins import MARKS, load_section, save_section
from tests.builders import human, talk

TALK = talk(12)


def test_they_follow_their_message(tmp_path: Path) -> None:
    save_section(MARKS, TALK, {7: ""}, tmp_path)
    grown = (*TALK[:4], human("put in between"), *TALK[4:], human("and more"))
    assert load_section(MARKS, grown, tmp_path) == {8: ""}
    assert load_section(MARKS, TALK[:6], tmp_path) == {}  # it is not there any more


def test_of_equal_messages_the_nearest_is_meant(tmp_path: Path) -> None:
    talked = (*TALK, human("go on"), *talk(5, "more "), human("go on"))
    save_section(MARKS, talked, {18: ""}, tmp_path)
    assert load_section(MARKS, talked, tmp_path) == {18: ""}
    assert load_section(MARKS, (*talked[:6], *talked[7:]), tmp_path) == {17: ""}


def test_sections_do_not_touch_each_other_and_an_empty_file_goes(tmp_path: Path) -> None:
    save_section(MARKS, TALK, {1: ""}, tmp_path)
    save_section("pins", TALK, {2: "keep"}, tmp_path)
    save_section(MARKS, TALK, {}, tmp_path)
    assert load_section("pins", TALK, tmp_path) == {2: "keep"}
    save_section("pins", TALK, {}, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"marks": [[1]]}', '{"marks": {"a": 1}}', "\0", '{"marks": [["1", 2, 3]]}']
)
def test_a_spoilt_file_holds_nothing(tmp_path: Path, text: str) -> None:
    save_section(MARKS, TALK, {1: ""}, tmp_path)
    [file] = tmp_path.iterdir()
    file.write_text(text)
    assert load_section(MARKS, TALK, tmp_path) == {}
