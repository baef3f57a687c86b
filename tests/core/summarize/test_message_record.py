"""Messages as a text record, and parsed back."""

from __future__ import annotations

from core.facts.model import FactCategory
from core.summarize.message_record import conversation_text, recorded_messages
from core.summarize.offline_summarizer import read_facts
from core.transcript.model import Speaker, tool_calls, tool_responses
from tests.builders import ai, call, human, response, tool

MESSAGES = (
    human("Never push to main."),
    ai("I look.", call("Read", "a", file_path="/a.py"), call("bash", "b", command="make"), thinking="hm"),
    tool(response("a", "Read", "text"), response("b", "bash", "", error="exit code 2")),
)


def test_each_block_is_told_with_who_speaks() -> None:
    assert conversation_text(MESSAGES, 0).splitlines() == [
        "[User]: Never push to main.",
        "",
        "[Assistant]: I look.",
        '[Assistant tool call]: Read({"file_path": "/a.py"})',
        '[Assistant tool call]: bash({"command": "make"})',
        "",
        "[Tool result]: text",
        "[Tool error]: exit code 2",
    ]


def test_a_record_is_read_back() -> None:
    back = recorded_messages(f"<recent-context>\n{conversation_text(MESSAGES, 0)}\n</recent-context>")
    assert [message.speaker for message in back] == [
        *(Speaker.HUMAN, Speaker.AI, Speaker.AI, Speaker.AI),
        *(Speaker.TOOL, Speaker.TOOL),
    ]
    calls = [one for message in back for one in tool_calls(message)]
    assert [(one.name, one.arguments) for one in calls] == [
        ("Read", {"file_path": "/a.py"}),
        ("bash", {"command": "make"}),
    ]
    answers = [one for message in back for one in tool_responses(message)]
    assert [one.call_id for one in answers] == [one.id for one in calls]
    assert recorded_messages("no record") == ()


def test_offline_takes_the_facts_of_a_record_over() -> None:
    checkpoint = (
        f"<conversation-checkpoint>\n<recent-context>\n{conversation_text(MESSAGES, 0)}\n</recent-context>"
    )
    facts = read_facts((human(checkpoint), ai("Done.")))
    assert [fact.text for fact in facts.of_category(FactCategory.CONSTRAINT)] == ["Never push to main."]
    assert [fact.key for fact in facts.of_category(FactCategory.FILE_READ)] == ["/a.py"]
