"""Sources of the sentences of a summary."""

from core.losses.evidence import Losses, SummaryEvidence
from core.losses.summary_check import (
    MAX_LINKS,
    QUOTED_WORDS,
    LinkedSentence,
    summary_links,
)
from core.losses.summary_evidence import SummaryPart, sentences_in
from core.losses.texts import source_index
from core.presentation.summary_page import (
    ALL_FOUND,
    links_text,
    summary_page,
    summary_verdict,
)
from core.transcript.model import Message
from tests.support.builders import ai, call, human, response, talk, tool

SOURCE = (
    *talk(4),
    human(
        "Please keep the public signature of `should_retry`, the billing service overrides it."
    ),
    ai("I look at src/net/retry.py.", call("Read", "r", file_path="src/net/retry.py")),
    tool(
        response(
            "r", "Read", "HTTP 429 after max_delay = 30\nclass RetryError(Exception)"
        )
    ),
    ai(
        "The cause is that the pool hands out closed connections.",
        call("bash", "b", command="pytest -q tests/net"),
    ),
    tool(
        response(
            "b", "bash", "FAILED tests/net/test_retry.py: RetryError: gave up after 429"
        )
    ),
    *talk(4),
)
RULED, READ, SHOWN, CAUSE, FAILED = range(4, 9)


def linked(
    text: str, source: tuple[Message, ...] = SOURCE
) -> tuple[LinkedSentence, ...]:
    part = SummaryPart(0, text, tuple(range(len(source))))
    return summary_links(part, source, source_index(source, (text,)))


def one(text: str) -> LinkedSentence:
    (only,) = linked(text)
    return only


def links_by_message(sentence: LinkedSentence) -> dict[int, tuple[str, ...]]:
    return {link.message: link.facts for link in sentence.links}


def test_tags_headings_and_empty_lines_are_no_sentences() -> None:
    text = (
        "<state_snapshot>\n<goal>\nFix it. Then test it well.\n</goal>\n## Files changed\n"
        "- `a.py`: edited\n3. **Next**\nNone noted.\n</state_snapshot>\n"
        "Full transcript before this summary: `x`"
    )
    found = [sentence.text for sentence in sentences_in(text)]
    assert found == ["Fix it. Then test it well.", "`a.py`: edited"]
    assert all(
        text[sentence.start :].startswith(sentence.text)
        for sentence in sentences_in(text)
    )


def test_a_sentence_said_as_it_was_leads_to_who_said_it() -> None:
    found = links_by_message(
        one("- The cause is that the pool hands out closed connections.")
    )
    assert found == {CAUSE: (QUOTED_WORDS,)}


def test_shared_facts_are_named_the_most_telling_first() -> None:
    assert (
        "src/net/retry.py" in links_by_message(one("- `src/net/retry.py`: read"))[READ]
    )
    assert set(links_by_message(one("It gave up with RetryError after 429."))) == {
        SHOWN,
        FAILED,
    }
    assert links_by_message(one("- Ran `pytest -q tests/net`: failed")) == {
        CAUSE: ("pytest -q tests/net",)
    }
    assert links_by_message(one("max_delay is 30 there"))[SHOWN] == ("max_delay",)


def test_sources_are_few_and_the_best_come_first() -> None:
    source = (
        *(ai(f"I touched src/a.py, step {at}.") for at in range(40)),
        human("src/a.py has a leak"),
    )
    (found,) = linked("src/a.py has a leak", source)
    assert len(found.links) <= MAX_LINKS
    assert found.links[0].message == 40


def test_what_no_message_says_has_no_source_and_names_from_nowhere_are_marked() -> None:
    plain, made_up = linked(
        "Everybody was happy about it in the end.\nSee lib/made/up.py and src/net/retry.py."
    )
    assert (plain.links, plain.nowhere) == ((), ())
    assert made_up.nowhere == ("lib/made/up.py",)
    assert READ in links_by_message(made_up)


def test_words_for_people() -> None:
    plain, read = linked(
        "Everybody was happy about it in the end.\n- `src/net/retry.py`: read"
    )
    assert "".join(span.text for span in links_text(plain)) == "no source found"
    spans = links_text(read)
    assert "".join(span.text for span in spans) == "from #6: src/net/retry.py"
    assert [span.link for span in spans if span.link] == [f"before:{READ}"]
    clean = ALL_FOUND
    assert (summary_verdict(()), summary_verdict((), "1 gone")) == (
        f"{clean}.",
        f"{clean}; 1 gone.",
    )
    sections = (("goal", True), ("tasks", True))
    assert (
        summary_verdict((), "1 gone", sections) == "All 2 sections are there; 1 gone."
    )
    assert (
        summary_verdict((), "", (("goal", False), *sections[1:]))
        == "1 of 2 sections are there."
    )
    assert (
        summary_page(
            -1,
            (),
            (),
            losses=Losses(
                removed_tokens=0,
                removed_messages=0,
                items=(),
                summary=SummaryEvidence(),
            ),
        ).tone
        == "ok"
    )
    assert summary_page(-1, (), (), sections=(("goal", False),)).tone == "warn"
