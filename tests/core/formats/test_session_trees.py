"""Rows that follow one that is not in the file are named and linked again; what the person took
back is a branch."""

from pathlib import Path

from core.app.services.repair import plan_repair
from core.export.export import export_history
from core.formats.registry import load_conversation
from core.lint.lint import lint_history
from core.transcript.model import Conversation, LostParent, joined_text
from core.transcript.scopes import ALL, history_of_scope
from tests.core.formats.session_lines import Line, claude_line, read_lines

SKILL = (
    "<command-message>review</command-message>\n<command-name>/review</command-name>"
)


def claude_rows(lost: str) -> list[Line]:
    return [
        claude_line("u1", None, "Build it."),
        claude_line("a1", "u1", "Built."),
        claude_line("u2", lost, "And test it."),
        claude_line("a2", "u2", "Tested."),
        claude_line("u3", "a2", "And ship it."),
    ]


def pi_rows(lost: str) -> list[Line]:
    words = [("u1", None), ("u2", "u1"), ("u3", lost), ("u4", "u3")]
    header = {"type": "session", "version": 3, "id": "s", "cwd": "/w"}
    entries = [
        {
            "type": "message",
            "id": id_,
            "parentId": parent,
            "message": {"role": "user", "content": f"Words of {id_}."},
        }
        for id_, parent in words
    ]
    return [header, *entries]


def droid_rows(lost: str) -> list[Line]:
    start = {
        "type": "session_start",
        "id": "s",
        "title": "t",
        "owner": "o",
        "cwd": "/w",
    }
    return [start, *pi_rows(lost)[1:]]


def mended(conversation: Conversation, folder: Path) -> Conversation:
    plan = plan_repair(
        conversation, history_of_scope(conversation, ALL), conversation.format
    )
    assert [one.rule for one in plan.changes] == ["lost-parent"]
    path = folder / "mended.jsonl"
    path.write_bytes(export_history(plan.content, conversation.format).data)
    return load_conversation(path)


def test_a_lost_parent_is_named_with_line_and_reach(tmp_path: Path) -> None:
    for rows, found in (
        (claude_rows, LostParent(3, 3, 5)),
        (pi_rows, LostParent(4, 2, 4)),
        (droid_rows, LostParent(4, 2, 4)),
    ):
        conversation = read_lines(tmp_path, rows("gone"))
        assert conversation.report.lost_parents == (found,)
        assert len(conversation.messages) == found.total


def test_lint_says_what_a_resume_reaches(tmp_path: Path) -> None:
    conversation = read_lines(tmp_path, claude_rows("gone"))
    findings = lint_history(
        conversation, history_of_scope(conversation, ALL), "anthropic"
    )
    assert [one.text for one in findings if one.rule == "anthropic.lost-parent"] == [
        "Line 3 follows one that is not in the file; a resume reaches 3 of 5 rows."
    ]


def test_repair_links_lost_rows_again(tmp_path: Path) -> None:
    for rows in (claude_rows, pi_rows):
        again = mended(read_lines(tmp_path, rows("gone")), tmp_path)
        assert again.report.lost_parents == ()
        assert len(again.messages) == len(rows("gone")) - (rows is pi_rows)


def test_rows_that_hang_together_have_no_lost_parent(tmp_path: Path) -> None:
    for rows, parent in ((claude_rows, "a1"), (pi_rows, "u2"), (droid_rows, "u2")):
        assert read_lines(tmp_path, rows(parent)).report.lost_parents == ()


def test_an_excerpt_that_begins_with_a_lost_parent_is_whole(tmp_path: Path) -> None:
    conversation = read_lines(tmp_path, claude_rows("a1")[2:])
    assert conversation.report.lost_parents == ()


def test_a_rewind_to_a_slash_command_is_a_branch(tmp_path: Path) -> None:
    lines = [
        claude_line("u1", None, "Build it."),
        claude_line("a1", "u1", "Built."),
        claude_line("u2", "a1", SKILL),
        claude_line("u3", "u2", "Review it so: …", isMeta=True),
        claude_line("a2", "u3", "The old review."),
        claude_line("u4", "a1", f"{SKILL}\n<command-args>deep</command-args>"),
        claude_line("u5", "u4", "Review it deeply: …", isMeta=True),
        claude_line("a3", "u5", "The new review."),
    ]
    conversation = read_lines(tmp_path, lines)
    assert [one.title for one in conversation.branches] == ["/review deep", "/review"]
    texts = [joined_text(one) for one in conversation.messages]
    assert "The new review." in texts
    assert "The old review." not in texts


def test_commands_in_a_row_are_no_branches(tmp_path: Path) -> None:
    lines = [
        claude_line("u1", None, "Build it."),
        claude_line("a1", "u1", "Built."),
        claude_line("u2", "a1", "<command-name>/model</command-name>"),
        claude_line(
            "u3", "u2", "<local-command-stdout>Set model</local-command-stdout>"
        ),
        claude_line("u4", "u3", SKILL),
        claude_line("u5", "u4", "Review it so: …", isMeta=True),
        claude_line("a2", "u5", "The review."),
        claude_line("u6", "a2", "Thanks."),
    ]
    assert read_lines(tmp_path, lines).branches == ()
