"""Planted statements over several rounds of compaction: ``python -m tests.studies.canaries``."""

import re
from datetime import date

import pytest

from core.facts.sentences import DIGEST_TITLE, plain_text, searchable_text
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.summarize.earlier_summary import read_snapshot
from core.summarize.summary_lines import SnapshotSlot, slot_lines, without_label
from tests.studies.canaries import (
    MARKS,
    PAGE,
    kit_survival,
    measure,
    own_session,
    own_survival,
    page_with_canaries,
    real_sentences,
    talk_session,
)
from tests.support.builders import ai, human


@pytest.mark.req("LOSS-3.7")
def test_pinned_hybrid_carries_planted_statements_through_three_rounds() -> None:
    pinned = find_strategy("excerpt")
    assert own_survival(pinned, 11, 0.3, rounds=3) == 1.0
    assert own_survival(find_strategy("mask-observations"), 11, 0.3, rounds=3) < 1.0


@pytest.mark.req("LOSS-3.7")
def test_pinned_hybrid_carries_the_statements_of_the_kit_by_its_own_runner() -> None:
    pinned = find_strategy("excerpt")
    assert kit_survival(pinned, 7, 0.3) >= 0.95
    assert kit_survival(pinned, 7, 0.2) >= 0.85
    assert kit_survival(pinned, 7, 0.1) >= 0.45


def test_sessions_are_the_same_for_a_seed_and_hold_the_values() -> None:
    session = own_session(3)
    assert session == own_session(3)
    assert session != own_session(4)
    text = "\n".join(plain_text(message) for message in session.messages)
    assert all(value in text for value in session.values)


@pytest.mark.req("LOSS-3.3")
def test_statements_are_kept_once_without_labels() -> None:
    said = (
        "FACT: The contact for invoices is Mara Quint.",
        "Thanks.",
        "The service listens on port 4810.",
        "The service listens on port 5920.",
        "The service listens on port 5920.",
        "Go on.",
    )
    messages = [message for text in said for message in (human(text), ai("Done."))]
    lines = [
        line.text
        for line in slot_lines(read_snapshot(messages), "")[SnapshotSlot.REQUESTS]
    ]
    assert sorted(lines) == [
        "- The contact for invoices is Mara Quint.",
        "- The service listens on port 4810.",
        "- The service listens on port 5920.",
    ]
    assert (
        without_label("[12:04] HARD CONSTRAINT: Stay below 5 GB.") == "Stay below 5 GB."
    )


@pytest.mark.req("LOSS-3.3")
def test_what_was_said_again_with_other_numbers_waits_behind_all_requests() -> None:
    said = (
        "The cap is 40 euros. Never exceed it.",
        "Our forms stand in the folder of the rooms.",
        "The cap is 75 euros. Never exceed it.",
    )
    messages = [message for text in said for message in (human(text), ai("Done."))]
    slots = slot_lines(read_snapshot(messages), "")
    assert [line.text for line in slots[SnapshotSlot.RULES]] == [f"- {said[2]}"]
    assert [line.text for line in slots[SnapshotSlot.REQUESTS]] == [
        f"- {said[1]}",
        f"- {said[0]}",
    ]
    summary = "\n".join(
        line.text
        for line in (*slots[SnapshotSlot.REQUESTS], *slots[SnapshotSlot.RULES])
    )
    read_again = slot_lines(
        read_snapshot((human(f"{DIGEST_TITLE}\nRequests:\n{summary}"),)), ""
    )
    assert read_again[SnapshotSlot.REQUESTS][-1].text == f"- {said[0]}"


@pytest.mark.req("LOSS-3.3")
def test_a_summary_of_a_summary_still_knows_which_number_is_the_newer() -> None:
    earlier = (
        f"{DIGEST_TITLE}\nRules of the user:\n- Keep 75 files. Never more.\n"
        "Requests:\n- Our forms stand in the folder of the rooms.\n- Keep 40 files. Never more."
    )
    slots = slot_lines(read_snapshot((human(earlier),)), "")
    assert [line.text for line in slots[SnapshotSlot.RULES]] == [
        "- Keep 75 files. Never more."
    ]
    assert slots[SnapshotSlot.REQUESTS][-1].text == "- Keep 40 files. Never more."


@pytest.mark.req("LOSS-3.4.1")
def test_a_rule_keeps_what_a_short_message_says_before_it() -> None:
    messages = (
        human("The cap is 40 euros. Never exceed it without asking me. Thanks."),
        ai("Yes."),
    )
    lines = [
        line.text
        for line in slot_lines(read_snapshot(messages), "")[SnapshotSlot.RULES]
    ]
    assert lines == [
        "- The cap is 40 euros. Never exceed it without asking me. Thanks."
    ]


def test_the_results_have_a_row_for_every_strategy() -> None:
    found = MARKS.search(PAGE.read_text("utf-8"))
    assert found is not None
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", found[0], re.MULTILINE)) == sorted(
        COMPACTION_STRATEGIES
    )
    assert "Measured on " in found[0]


def test_the_table_is_written_between_its_marks() -> None:
    row = measure(find_strategy("top-down-truncation"), seeds=(7,))
    page = page_with_canaries(
        "<!-- canaries -->\n<!-- /canaries -->", {"none": row}, row, date(2026, 1, 2)
    )
    assert "Measured on 2026-01-02" in page
    assert "`excerpt` keeps 10 %, " in page
    assert page.splitlines()[-2].startswith("| `none` | ")
    assert page.splitlines()[-2].count("%") == 6


def test_real_filler_is_fifty_sentences_of_which_none_stands_twice() -> None:
    found = real_sentences()
    assert len(found) == len(set(found)) == 50


def test_a_talk_says_each_statement_in_passing_between_other_sentences() -> None:
    session = talk_session(3)
    whole = "\n".join(map(searchable_text, session.messages))
    assert all(whole.count(value) == 1 for value in session.values)
    filler = [one for one in real_sentences() if one in whole]
    assert len(filler) > 40
    assert all(whole.count(one) == 1 for one in filler)
