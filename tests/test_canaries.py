"""Planted statements over several rounds of compaction: ``python -m tests.canaries``."""

from __future__ import annotations

from core.facts.sentences import plain_text
from core.strategies.registry import find_strategy
from core.summarize.offline_summarizer import read_facts
from core.summarize.verbatim_summarizer import newest_of_subject, statements, without_label
from tests.builders import ai, human
from tests.canaries import own_session, surviving, table


def test_pinned_hybrid_carries_planted_statements_through_three_rounds() -> None:
    pinned = find_strategy("pinned-hybrid")
    assert surviving(pinned, own_session(11), 0.3, rounds=3) == 1.0
    assert surviving(find_strategy("mask-observations"), own_session(11), 0.3, rounds=3) < 1.0
    row = table([pinned], seeds=(7,)).splitlines()[-1]
    assert row.startswith("| `pinned-hybrid` | ")
    assert row.count("%") == 6


def test_sessions_are_the_same_for_a_seed_and_hold_the_values() -> None:
    session = own_session(3)
    assert session == own_session(3)
    assert session != own_session(4)
    text = "\n".join(plain_text(message) for message in session.messages)
    assert all(word in text for words in session.values for word in words)


def test_statements_are_kept_once_without_labels_and_with_their_newest_value() -> None:
    said = (
        "FACT: The contact for invoices is Mara Quint.",
        "Thanks, that looks right.",
        "The service listens on port 4810.",
        "The service listens on port 5920.",
        "The service listens on port 5920.",
        "Go on.",
    )
    messages = [message for text in said for message in (human(text), ai("Done."))]
    lines = [line.text for line in statements(read_facts(messages))]
    assert lines == ["- The contact for invoices is Mara Quint.", "- The service listens on port 5920."]
    assert without_label("[12:04] HARD CONSTRAINT: Stay below 5 GB.") == "Stay below 5 GB."
    assert newest_of_subject(["Use port 1.", "Never push."]) == ["Use port 1.", "Never push."]
