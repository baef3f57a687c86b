"""Who speaks is decided by the file's own marks; what was sent is in the conversation."""

from pathlib import Path
from typing import Any

from core.formats.registry import load_conversation
from core.transcript.model import Speaker, Thinking, joined_text
from tests.core.formats.session_lines import said
from tests.core.formats.small_files import saved

TASK = "Fix the pear counter."
CONFIG = {
    "agent": {
        "instance_template": "Fix this: {{task}}",
        "format_error_template": "Please always give EXACTLY ONE action, found {{actions|length}}.",
        "timeout_template": "The command {{action}} timed out.",
    }
}


def mini_run(*later: dict[str, Any], **info: Any) -> dict[str, Any]:
    start = [
        {"role": "system", "content": "You act."},
        {"role": "user", "content": TASK},
        {"role": "assistant", "content": "```bash\nls\n```"},
    ]
    return {
        "info": {"mini_version": "1.15.0", "config": CONFIG, **info},
        "messages": [*start, *later],
        "trajectory_format": "mini-swe-agent-1",
    }


def user(text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **fields}


def test_format_errors_and_the_submission_are_the_harness(tmp_path: Path) -> None:
    error = user("Please always give EXACTLY ONE action, found 2.")
    run = mini_run(error, user("+pear\n"), submission="+pear\n")
    assert said(load_conversation(saved(tmp_path, run))) == [TASK]


def test_a_marked_interruption_is_the_person_only_where_it_says_so(
    tmp_path: Path,
) -> None:
    run = mini_run(
        user("Not so.", extra={"interrupt_type": "UserInterruption"}),
        user("No call was found.", extra={"interrupt_type": "FormatError"}),
        user("And count the plums."),
    )
    assert said(load_conversation(saved(tmp_path, run))) == [
        TASK,
        "Not so.",
        "And count the plums.",
    ]


def test_a_task_that_begins_as_a_template_is_the_person(tmp_path: Path) -> None:
    run = mini_run(user("<returncode>0</returncode>"))
    run["messages"][1]["content"] = (
        "Please always give EXACTLY ONE action, found in the docs."
    )
    assert len(said(load_conversation(saved(tmp_path, run)))) == 1


def continue_session(**item: Any) -> dict[str, Any]:
    asked = {"message": {"role": "user", "content": "What does plum.py do?"}, **item}
    answer = {"message": {"role": "assistant", "content": "It ripens plums."}}
    return {"sessionId": "s", "workspaceDirectory": "/w", "history": [asked, answer]}


def test_what_the_person_attached_stands_in_front_of_the_question(
    tmp_path: Path,
) -> None:
    attached = [{"name": "plum.py", "content": "MAGIC_PLUM_FACTOR = 7"}]
    conversation = load_conversation(
        saved(tmp_path, continue_session(contextItems=attached))
    )
    texts = [joined_text(one) for one in conversation.messages]
    assert texts[:2] == ["MAGIC_PLUM_FACTOR = 7", "What does plum.py do?"]
    assert said(conversation) == ["What does plum.py do?"]


def test_an_attachment_that_the_message_repeats_counts_once(tmp_path: Path) -> None:
    attached = [{"name": "plum.py", "content": "plum.py"}]
    conversation = load_conversation(
        saved(tmp_path, continue_session(contextItems=attached))
    )
    assert len(conversation.messages) == 2


def test_the_system_prompt_comes_from_the_log_of_what_was_sent(tmp_path: Path) -> None:
    sent = [
        {"prompt": "<system>\nYou ripen plums.\n\n<user>\nWhat does plum.py do?\n\n"}
    ]
    session = continue_session()
    session["history"][1] |= {
        "promptLogs": sent,
        "reasoning": {"text": "It multiplies."},
    }
    conversation = load_conversation(saved(tmp_path, session))
    assert conversation.system.texts == ("You ripen plums.",)
    assert Thinking("It multiplies.") in conversation.messages[-1].blocks
    assert conversation.messages[-1].speaker is Speaker.AI


def copilot_prompt(sent: str) -> dict[str, Any]:
    data = {"content": "Count the plums.", "transformedContent": sent}
    return {
        "type": "user.message",
        "id": "e2",
        "timestamp": "2026-01-01T00:00:00Z",
        "data": data,
    }


def test_what_copilot_added_to_a_prompt_is_the_harness(tmp_path: Path) -> None:
    start = {
        "type": "session.start",
        "id": "e1",
        "data": {"sessionId": "s", "producer": "x"},
    }
    sent = "<current_datetime>noon</current_datetime>\n\nCount the plums.\n\n<todos>none</todos>"
    conversation = load_conversation(saved(tmp_path, (start, copilot_prompt(sent))))
    assert said(conversation) == ["Count the plums."]
    assert joined_text(conversation.messages[1]) == (
        "<current_datetime>noon</current_datetime>\n<todos>none</todos>"
    )
    plain = load_conversation(
        saved(tmp_path, (start, copilot_prompt("Count the plums.")))
    )
    assert len(plain.messages) == 1


def test_an_output_that_its_record_marks_is_the_harness(tmp_path: Path) -> None:
    run = mini_run(
        user("two files", extra={"returncode": 0, "raw_output": "two files"})
    )
    assert said(load_conversation(saved(tmp_path, run))) == [TASK]
