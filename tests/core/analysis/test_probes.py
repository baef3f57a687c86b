"""Probe questions: templates, grading, scores, free questions and their judge."""

from __future__ import annotations

import pytest
from hypothesis import given as example

from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.fidelity.source_facts import extract_source_facts
from core.analysis.probes.model import (
    GradeDimension,
    ProbeAnswer,
    ProbeKind,
    ProbeQuestion,
    dimension_scores,
    kind_scores,
    mean_estimate,
    score_difference,
)
from core.analysis.probes.questions import compacted_material, grade_by_facts, select_questions
from core.analysis.probes.runner import parse_grades, parse_question, question_request
from core.common.paths import BundledSample, bundled_samples
from core.configuration.layers import SettingLayers
from core.formats.registry import load_conversation
from core.preview.preview import compute_preview
from core.settings.keys import STRATEGY
from core.strategies.one_shot import NAME as ONE_SHOT
from core.transcript.model import Message
from tests.core.analysis.fidelity_judging import make_compaction
from tests.core.analysis.probing import ERROR, truncated_preview
from tests.core.histories import histories

GOLD = "Never touch `legacy_mode`."


def asked_of(
    messages: tuple[Message, ...], most: int = 20, keep: tuple[int, ...] = ()
) -> list[ProbeQuestion]:
    """Return questions about a history with only some messages kept."""
    fates = make_compaction(messages, keep=keep).fates
    return list(select_questions(compacted_material(messages, fates, extract_source_facts(messages)), most))


def of_kind(kind: ProbeKind) -> list[ProbeQuestion]:
    run = truncated_preview()
    past = compacted_material(run.messages, run.compaction.fates, extract_source_facts(run.messages))
    return [one for one in select_questions(past, 60) if one.kind is kind]


# which are asked


def test_each_kind_asks_for_what_it_is_about() -> None:
    expected = {kind: "\n".join(one.expected for one in of_kind(kind)) for kind in ProbeKind}
    assert GOLD in expected[ProbeKind.CONSTRAINT]
    assert "/srv/app/upload.py" in expected[ProbeKind.ARTIFACT]
    assert "retry_limit = 7" in expected[ProbeKind.RECALL]
    assert "pending: Describe the retry policy" in expected[ProbeKind.CONTINUATION]
    assert ERROR in expected[ProbeKind.CONTINUATION]
    assert "because the store allows one connection" in expected[ProbeKind.DECISION]
    assert set(expected[ProbeKind.NEGATIVE].splitlines()) == {"Not in the context."}


def test_no_fact_is_asked_for_twice() -> None:
    asked = [fact for one in asked_of(truncated_preview().messages, 60) for fact in one.facts]
    assert len(asked) == len(set(asked))


def test_what_stayed_as_it_was_is_not_asked_for() -> None:
    messages = truncated_preview().messages
    assert asked_of(messages, keep=tuple(range(len(messages)))) == []
    kept = asked_of(messages, 60, keep=(0,))
    assert all(0 not in one.messages for one in kept)
    assert GOLD not in "\n".join(one.expected for one in kept)


def test_the_choice_is_the_same_every_time_and_takes_kinds_by_turns() -> None:
    messages = truncated_preview().messages
    assert asked_of(messages, 7) == asked_of(messages, 7)
    assert {one.kind for one in asked_of(messages, 6)} == set(ProbeKind)
    assert len(asked_of(messages, 3)) == 3


@example(histories())
def test_what_is_expected_is_right_and_silence_is_wrong(history: tuple[Message, ...]) -> None:
    for one in asked_of(history, 60):
        assert grade_by_facts(one, one.expected) == 1
        assert grade_by_facts(one, "") == 0
        assert grade_by_facts(one, one.text) == 0


@pytest.mark.parametrize("sample", bundled_samples(), ids=lambda one: one.path.name)
def test_the_samples_have_questions_with_that_property(sample: BundledSample) -> None:
    run = compute_preview(
        load_conversation(sample.path), SettingLayers().with_session(STRATEGY, ONE_SHOT).resolve()
    )
    found = select_questions(
        compacted_material(run.messages, run.compaction.fates, extract_source_facts(run.messages)), 100
    )
    assert len(found) > 5
    for one in found:
        assert (
            grade_by_facts(one, one.expected),
            grade_by_facts(one, ""),
            grade_by_facts(one, one.text),
        ) == (1, 0, 0)


# grades


def question(kind: ProbeKind, *facts: SourceFact) -> ProbeQuestion:
    return ProbeQuestion(kind, "Which?", "\n".join(fact.text for fact in facts), facts)


FILE = SourceFact(FidelityCategory.FILE, "f", "/srv/app/upload.py", (0,), ("/srv/app/upload.py", "upload.py"))
OTHER = SourceFact(FidelityCategory.FILE, "g", "/srv/app/pool.py", (0,), ("/srv/app/pool.py", "pool.py"))
RULE = SourceFact(
    FidelityCategory.CONSTRAINT, "r", "Never push to the main branch.", (0,), ("never push to the main",)
)


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("/srv/app/upload.py and app/pool.py", 1.0),
        ("/srv/app/upload.py", 0.5),
        ("upload.py", 0.25),
        ("I changed three files.", 0.0),
        ("Not in the context. Perhaps /srv/app/upload.py.", 0.0),
    ],
)
def test_an_answer_scores_the_share_of_what_it_holds(answer: str, score: float) -> None:
    assert grade_by_facts(question(ProbeKind.ARTIFACT, FILE, OTHER), answer) == score


def test_a_rule_turned_round_is_wrong() -> None:
    asked = question(ProbeKind.CONSTRAINT, RULE)
    assert grade_by_facts(asked, "He said: never push to the main branch.") == 1
    assert grade_by_facts(asked, "You may push to the main branch.") == 0


def test_what_is_not_there_is_answered_by_saying_so() -> None:
    asked = ProbeQuestion(ProbeKind.NEGATIVE, "What was the last value of `x`?", "Not in the context.")
    assert grade_by_facts(asked, " “Not in the context.” ") == 1
    assert grade_by_facts(asked, "It was 12.") == 0


# sums


def test_an_interval_holds_its_mean_and_is_the_same_every_time() -> None:
    found = mean_estimate([1.0, 0.0, 1.0, 1.0, 0.5, 0.0])
    assert found == mean_estimate([1.0, 0.0, 1.0, 1.0, 0.5, 0.0])
    assert found.mean is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < found.mean < found.high <= 1
    assert (mean_estimate([0.5]).mean, mean_estimate([0.5]).low, mean_estimate([]).mean) == (0.5, None, None)


def test_only_answers_count_and_failures_are_seen() -> None:
    asked = [question(ProbeKind.RECALL, FILE), question(ProbeKind.ARTIFACT, OTHER)]
    found = [ProbeAnswer(asked[0], "x", 1.0), ProbeAnswer(asked[1], failure="the server failed")]
    recall, every = kind_scores(found)[1], kind_scores(found)[-1]
    assert (recall.kind, recall.question_count, recall.compacted.n) == (ProbeKind.RECALL, 1, 1)
    assert (every.kind, every.question_count, every.compacted.n, every.compacted.mean) == (None, 2, 1, 1.0)


def test_the_difference_is_over_questions_that_were_answered_both_times() -> None:
    asked = [question(ProbeKind.RECALL, FILE), question(ProbeKind.RECALL, OTHER)]
    found = [ProbeAnswer(asked[0], "x", 0.5), ProbeAnswer(asked[1], "y", 0.0)]
    found += [
        ProbeAnswer(asked[0], "z", 1.0, is_uncompacted=True),
        ProbeAnswer(asked[1], failure="no", is_uncompacted=True),
    ]
    assert (score_difference(found).n, score_difference(found).mean) == (1, -0.5)


# free questions


def test_a_question_and_its_reference_are_read() -> None:
    assert parse_question("**Question:** Which port?\n\nReference: 9090, on\nboth hosts.") == (
        "Which port?",
        "9090, on\nboth hosts.",
    )
    assert parse_question("Which port? 9090") is None
    assert "- Which port?" in question_request(ProbeKind.RECALL, ["Which port?"])


def test_six_grades_are_read_or_none() -> None:
    lines = [f"- **{one.value.title()}**: {at % 6}/5" for at, one in enumerate(GradeDimension)]
    assert parse_grades("\n".join(lines)) == (0, 1, 2, 3, 4, 5)
    assert parse_grades("\n".join(lines[:5])) is None
    assert parse_grades("\n".join([*lines[:5], "instruction following: 9"])) is None


def test_dimensions_have_their_means() -> None:
    asked = ProbeQuestion(ProbeKind.RECALL, "Which port?", "9090", is_free=True)
    found = [ProbeAnswer(asked, "9090", 0.6, grades=(5, 1, 2, 3, 4, 3)), ProbeAnswer(asked, failure="no")]
    assert [mean.mean for _, mean in dimension_scores(found)] == [5, 1, 2, 3, 4, 3]
    assert kind_scores(found) == ()
