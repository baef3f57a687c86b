"""The reasons for fates and cuts."""

from dataclasses import replace

import pytest

from core.presentation.inspector_model import TextSpan, WhyPage
from core.presentation.why import linked_spans, why_message
from core.presentation.why_cut import why_cut
from core.transcript.model import ListedConversation
from core.transcript.pins import MessagePin, PinKind
from tests.builders import ai, call, conversation, response, talk, tool
from tests.core.presentation.test_view_screen import made, session


def text(spans: tuple[TextSpan, ...]) -> str:
    return "".join(span.text for span in spans)


def section(page: WhyPage, title: str) -> str:
    return next(text(one.text) for one in page.sections if one.title == title)


def test_numbers_of_messages_become_links() -> None:
    assert linked_spans("see #3 and #9.", 5) == (
        TextSpan("see "),
        TextSpan("#3", "before:2"),
        TextSpan(" and #9."),
    )


def test_a_call_leads_to_the_conversation_of_its_sub_agent() -> None:
    listed = (
        ListedConversation(1, "all"),
        ListedConversation(2, "look", 3, "sub-agent", "t1"),
        ListedConversation(3, "count", 3, "sub-agent", "t2"),
    )
    start = ai("", call("Task", "t1"), call("Task", "t2"))
    source = conversation(
        start, tool(response("t1", "Task"), response("t2", "Task")), *talk(9), listed=listed
    )
    page = why_message(made(source), "before", 0)
    links = [span.link for one in page.sections for span in one.text if span.link.startswith("conversation")]
    assert links == ["conversation:2", "conversation:3"]
    assert "Open the sub-agent's conversation 2: look" in section(page, "Sub-agent")
    assert not any(one.title == "Sub-agent" for one in why_message(made(source), "before", 5).sections)


def test_a_summarised_message_leads_to_its_summary_and_partner() -> None:
    page = why_message(made(session()), "before", 6)
    assert "after:4" in {span.link for one in page.sections for span in one.text}
    assert section(page, "Pair") == "Call and response stay on one side: with #8."


def test_a_pin_that_the_strategy_does_not_look_at_is_said() -> None:
    pins = {0: MessagePin(PinKind.KEEP), 1: MessagePin(PinKind.NOTE, "ask again")}
    page = why_message(replace(made(session()), pins=pins), "before", 0)
    assert section(page, "Pinned to keep") == "middle-out does not obey pins: use pinned-hybrid."
    assert "strategy:pinned-hybrid" in {span.link for one in page.sections for span in one.text}
    others = [made(session(), strategy="pinned-hybrid"), made(session())]
    for index, other in enumerate(others):
        page = why_message(replace(other, pins=pins), "before", index)
        assert not any(one.title.startswith("Pinned") for one in page.sections)


@pytest.mark.parametrize("strategy", ["middle-out", "one-shot", "top-down-truncation", "high-density"])
def test_no_message_is_without_a_reason(strategy: str) -> None:
    one = made(session(), strategy=strategy, limit=1800)
    for side, count in (("before", len(one.messages)), ("after", len(one.compaction.messages))):
        for index in range(count):
            page = why_message(one, side, index)
            assert page.title
            assert text(page.sentence)


def test_a_cut_that_moved_shows_the_pair_and_the_reference() -> None:
    parallel = ai("", call("ls", "a"), call("ls", "b"))
    messages = (*talk(7), parallel, tool(response("a", "ls")), *talk(2), tool(response("b", "ls")), *talk(2))
    page = why_cut(made(conversation(*messages), bottom=0.35), "bottom")
    titles = [text(step.title) for step in page.steps]
    assert any(title == "Not a valid boundary" for title in titles)
    assert "orphaned the result of b" in section(page, "Reference (llxprt)")
    assert page.steps[-1].tone == "end"
