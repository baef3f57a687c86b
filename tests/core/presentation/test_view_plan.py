"""Rows of a list: collapsed runs, cuts, recorded compactions, filters."""

from array import array

import pytest

from core.common.excerpts import main_argument
from core.common.json_value import Json
from core.presentation.lists import row_texts
from core.presentation.lists.row_plan import (
    RECORDED_ROWS,
    RowKind,
    RowPlan,
    adjacent_change,
    change_words,
    counterpart_message,
    merged_runs,
    row_plan,
    run_text,
)
from core.presentation.lists.row_texts import row_text
from core.presentation.model import KINDS, SPEAKERS, CutRow, FateRun, RecordedRow
from core.transcript.model import Media, Message, MessageFlag, Opaque, Thinking
from tests.support.builders import ai, call, flagged, human, response, tool

KEPT, EDITED, PRUNED, SUMMARISED = range(4)
FATES = bytes([KEPT] * 83 + [SUMMARISED] * 245 + [KEPT] * 84)
TOKENS = array("q", [10]) * 412
CUTS = (
    CutRow(83, "cut 1 · before #84", "top"),
    CutRow(328, "cut 2 · before #329", "bottom"),
)


def shape(made: RowPlan) -> list[tuple[int, int]]:
    return [made.kind_and_index(row) for row in range(len(made))]


def test_a_long_run_folds_to_twelve_one_and_four() -> None:
    made = row_plan(412, FATES, tokens=TOKENS)
    assert len(made) == 83 + 12 + 1 + 4 + 84
    assert made.kind_and_index(95) == (RowKind.COLLAPSED, 0)
    assert made.collapsed[0].text == "229 more summarised · #96–#324 · 2,290 tokens"
    assert made.kind_and_index(94) == (RowKind.MESSAGE, 94)
    assert made.kind_and_index(96) == (RowKind.MESSAGE, 324)


@pytest.mark.parametrize(("length", "rows"), [(24, 24), (25, 17)])
def test_a_run_folds_from_25_messages_on(length: int, rows: int) -> None:
    assert len(row_plan(length, bytes([SUMMARISED]) * length)) == rows


def test_a_cut_ends_a_run_so_that_no_fold_hides_it() -> None:
    made = row_plan(60, bytes([SUMMARISED]) * 60, (CutRow(30, "cut 1", "top"),))
    kinds = [kind for kind, _ in shape(made)]
    assert (kinds.count(RowKind.COLLAPSED), kinds.count(RowKind.CUT)) == (2, 1)


def test_recorded_compactions_stand_before_cuts_and_open() -> None:
    recorded = (
        RecordedRow(
            boundary=2,
            number=1,
            text="— context compacted —",
            detail="recorded 1",
            tone="",
            summary="What was done",
        ),
    )
    cuts = (
        CutRow(2, "cut 1", "top"),
        CutRow(3, "— context compacted —", "", is_compaction=True),
    )
    made = row_plan(3, bytes(3), cuts, recorded, frozenset({(RowKind.RECORDED, 0)}))
    kinds = [kind for kind, _ in shape(made)]
    summary = [RowKind.SUMMARY] * RECORDED_ROWS
    assert kinds == [
        0,
        0,
        RowKind.RECORDED,
        *summary,
        RowKind.CUT,
        0,
        RowKind.COMPACTED,
    ]


def test_a_filter_looks_inside_folds_and_keeps_cuts() -> None:
    made = row_plan(412, FATES, CUTS, hidden=frozenset({KEPT}))
    assert len(made) == 245 + 2
    assert made.rows[0] == 0  # the next row
    assert made.rows[200] == 118
    assert not made.collapsed


RUNS = (
    FateRun(KEPT, (0, 83), (0, 83)),
    FateRun(SUMMARISED, (83, 328), (83, 85)),
    FateRun(PRUNED, (328, 330), (85, 85)),
    FateRun(KEPT, (330, 412), (85, 167)),
)


@pytest.mark.parametrize(
    ("message", "goal"), [(7, 7), (200, 83), (329, -1), (331, 86), (500, -1)]
)
def test_what_stands_for_a_message_on_the_other_side(message: int, goal: int) -> None:
    assert counterpart_message(RUNS, message) == goal


def test_a_removed_message_does_not_split_the_fold_around_it() -> None:
    first, gone = (
        FateRun(SUMMARISED, (3, 5), (3, 5), results=1),
        FateRun(PRUNED, (5, 6), (5, 5)),
    )
    rest = FateRun(SUMMARISED, (6, 9), (3, 5), results=1)
    kept = FateRun(KEPT, (9, 10), (5, 6), results=1)
    whole = first._replace(before=(3, 9))
    assert merged_runs((first, gone, rest, kept)) == (whole, kept)
    assert merged_runs((gone, first, kept, rest)) == (gone, first, kept, rest)


@pytest.mark.parametrize(
    ("side", "message", "step", "start", "number"),
    [
        ("before", 0, 1, 83, 1),
        ("before", 83, 1, 328, 2),
        ("before", 411, -1, 328, 2),
        ("before", 200, -1, 83, 1),  # inside a change: back to its start
        ("after", 84, 1, 328, 2),
        ("after", 90, -1, 328, 2),
    ],
)
def test_from_change_to_change(
    side: str, message: int, step: int, start: int, number: int
) -> None:
    found = adjacent_change(RUNS, side, message, step)
    assert found is not None
    assert (found.run.before[0], found.number, found.total) == (start, number, 2)


PNG = "iVBORw0KGgoAAAANSUhEUgAABAAAAAMACAIAAAA="


def lead_and_text(message: Message) -> tuple[str, str]:
    return row_text(message)[:2]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"command": "pytest -q", "description": "Run"}, "pytest -q"),
        ({"command": ["bash", "-lc", "ls"]}, "bash -lc ls"),
        ({"command": "view", "path": "a.py"}, "view a.py"),
        ({"pattern": "def x", "path": "src"}, "def x"),
        ({"query": "SELECT 1"}, "SELECT 1"),
        ({"input": "*** Begin Patch\n*** Update File: a.py\n@@\n+x"}, "a.py"),
        ({"todos": [{}, {}]}, "2 todos"),
        ({"depth": 3, "who": "me"}, "me"),
        ('{"broken', '{"broken'),
        ([1], "[1]"),
        (None, ""),
    ],
)
def test_the_main_argument_of_a_call(arguments: Json, text: str) -> None:
    assert main_argument(arguments) == text


SHELL = (
    "Chunk ID: 60ff87\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n"
)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (f"{SHELL}\n3 passed\n", "3 passed"),
        (SHELL, "Process exited with code 0"),
        ("OBSERVATION:\n\nfound 3 files\n", "found 3 files"),
        ("OBSERVATION:\n", "OBSERVATION:"),
        ("services:\n  web:\n", "services:"),
    ],
    ids=["of a shell", "empty", "a label", "nothing behind it", "a line of a file"],
)
def test_what_a_tool_says_of_itself_gives_way_to_its_output(
    output: str, text: str
) -> None:
    assert lead_and_text(tool(response("a", "bash", output))) == ("", text)


@pytest.mark.parametrize("mark", ["📄 ", "🔧 ", "💭 ", "✏️ ", "💬 "])
def test_a_picture_before_a_note_is_left_out(mark: str) -> None:
    noted = f"{mark}[Compressed] Earlier"
    for message in (tool(response("a", "Read", noted)), human(noted)):
        assert row_text(message)[1] == "[Compressed] Earlier"
    assert row_text(human(mark + "look at this"))[1] == mark + "look at this"


def test_a_failed_result_is_marked_and_shows_the_error() -> None:
    lead, text, _, error = row_text(tool(response("a", "bash", None, "E boom")))
    assert (lead, text, error) == ("", "E boom", True)


def test_rows_have_one_line_without_control_characters() -> None:
    text = row_text(human("a\tb\r\n\x1b[31mc\u202e\x00d" + "x" * 500))[1]
    assert text.startswith("a b c d")
    assert len(text) == 200
    assert text.isprintable()


def test_thinking_media_and_opaque_content_say_what_they_are() -> None:
    assert lead_and_text(ai("", Thinking("the pool\nis small"))) == (
        "",
        "thinking: the pool is small",
    )
    assert lead_and_text(human("", Media("image/png", PNG))) == (
        "",
        "image 1,024 × 768",
    )
    assert lead_and_text(human("look", Media("application/pdf", ""))) == (
        "",
        "look · application/pdf",
    )
    assert lead_and_text(ai("", Opaque("encrypted_content", "x" * 41_000))) == (
        "",
        "encrypted, 41 kB",
    )
    assert lead_and_text(ai("")) == ("", "empty")


def test_columns_hold_speaker_kind_and_tokens() -> None:
    messages = (
        human("hi"),
        ai("", call("ls")),
        tool(response("ls")),
        flagged(MessageFlag.RECORDED_SUMMARY),
    )
    made = row_texts.message_rows(messages, array("q", [1, 2, 3, 4]))
    assert [SPEAKERS[code] for code in made.speakers] == [
        "human",
        "ai",
        "tool",
        "human",
    ]
    assert [KINDS[code] for code in made.kinds] == ["human", "call", "tool", "summary"]
    assert list(made.tokens) == [1, 2, 3, 4]


def test_changes_are_said_in_words() -> None:
    assert run_text(RUNS[1]) == "245 summarised · #84–#328 → #84–#85"
    assert run_text(RUNS[2]) == "2 pruned · #329–#330"

    found = adjacent_change(RUNS, "before", 0, 1)
    assert found is not None
    assert change_words(found) == "245 summarised · #84–#328 → #84–#85 · change 1 of 2"
