"""Marks of messages: kept in the state folder by content, found again after growth, moves and edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.app.pins import MARKS, load_section, save_section
from core.common.errors import InputError
from tests.builders import exchange, human, talk

TALK = talk(12)


def test_notes_come_back_for_the_same_messages(tmp_path: Path) -> None:
    save_section(MARKS, TALK, {3: "", 7: "why this?"}, tmp_path)
    assert load_section(MARKS, TALK, tmp_path) == {3: "", 7: "why this?"}
    assert load_section(MARKS, talk(12, "other "), tmp_path) == {}


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


def test_two_windows_take_nothing_from_each_other(tmp_path: Path) -> None:
    had = save_section(MARKS, TALK, {1: "", 5: "old"}, tmp_path)
    assert save_section(MARKS, TALK, {**had, 2: ""}, tmp_path, former=had) == {1: "", 2: "", 5: "old"}
    other = {1: "", 5: "new", 9: ""}  # knows nothing of the 2
    assert save_section(MARKS, TALK, other, tmp_path, former=had) == {1: "", 2: "", 5: "new", 9: ""}
    assert save_section(MARKS, TALK, {5: "new", 9: ""}, tmp_path, former=other) == {2: "", 5: "new", 9: ""}
    assert load_section(MARKS, TALK, tmp_path) == {2: "", 5: "new", 9: ""}


def test_ids_and_times_do_not_count(tmp_path: Path) -> None:
    save_section(MARKS, (*TALK, *exchange("toolu_1", "bash", "done")), {13: ""}, tmp_path)
    assert load_section(MARKS, (*TALK, *exchange("call_9", "bash", "done")), tmp_path) == {13: ""}


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"marks": [[1]]}', '{"marks": {"a": 1}}', "\0", '{"marks": [["1", 2, 3]]}']
)
def test_a_spoilt_file_holds_nothing(tmp_path: Path, text: str) -> None:
    save_section(MARKS, TALK, {1: ""}, tmp_path)
    [file] = tmp_path.iterdir()
    file.write_text(text)
    assert load_section(MARKS, TALK, tmp_path) == {}


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(InputError):
        save_section(MARKS, TALK, {1: ""}, blocked / "below")


def test_without_messages_there_is_nothing_to_keep(tmp_path: Path) -> None:
    save_section(MARKS, (), {}, tmp_path)
    assert load_section(MARKS, (), tmp_path) == {}
