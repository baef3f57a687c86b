"""Probe questions: templates, grading, scores, free questions and their judge."""

from collections.abc import Sequence

import pytest
from hypothesis import given as example

from core.analysis.probes.model import (
    GradeDimension,
    ProbeAnswer,
    ProbeKind,
    ProbeQuestion,
    mean_estimate,
    score_difference,
)
from core.analysis.probes.questions import grade_by_facts, select_questions
from core.analysis.probes.runner import parse_grades
from core.common.paths import BundledSample, bundled_samples
from core.facts.extract import extract_facts
from core.facts.model import Fact, FactKind
from core.formats.registry import load_conversation
from core.preview.preview import compute_preview
from core.strategies.one_shot import NAME as ONE_SHOT
from core.transcript.model import Message
from tests.core.analysis.made_compactions import make_compaction
from tests.core.analysis.probing import ERROR, truncated_preview
from tests.core.histories import histories
from tests.core.strategies.strategy_running import values
from tests.support.builders import exchange


def asked_of(
    messages: tuple[Message, ...], most: int = 20, keep: tuple[int, ...] = ()
) -> list[ProbeQuestion]:
    """Return questions about a history with only some messages kept."""
    fates = make_compaction(messages, keep=keep).fates
    return list(select_questions(extract_facts(messages).all, fates, most))


@pytest.mark.req("LOSS-2.8")
def test_each_question_asks_for_what_strings_can_grade() -> None:
    asked = asked_of(truncated_preview().messages)
    expected = {one.text.split("?")[0]: one.expected for one in asked}
    assert expected == {
        "Which files were written, edited, moved or deleted": "/srv/app/upload.py",
        "What did the person ask for last": "And 11?",
        "What is still open on the to-do list": "Describe the retry policy",
        "What is done on the to-do list": "Write the upload test",
        "With what error did “pytest -q tests” fail": ERROR,
    }


def test_the_choice_is_the_same_every_time() -> None:
    messages = truncated_preview().messages
    assert asked_of(messages, 7) == asked_of(messages, 7)
    assert len(asked_of(messages, 3)) == 3


@example(histories())
def test_what_is_expected_is_right_and_silence_is_wrong(history: tuple[Message, ...]) -> None:
    for one in asked_of(history, 60):
        assert [grade_by_facts(one, answer) for answer in (one.expected, "", one.text)] == [1, 0, 0]


@pytest.mark.parametrize("sample", bundled_samples(), ids=lambda one: one.path.name)
def test_the_samples_have_questions_with_that_property(sample: BundledSample) -> None:
    run = compute_preview(load_conversation(sample.path), values(compression__strategy=ONE_SHOT))
    found = select_questions(extract_facts(run.messages).all, run.compaction.fates)
    for one in found:
        assert [grade_by_facts(one, answer) for answer in (one.expected, "", one.text)] == [1, 0, 0]


@pytest.mark.req("LOSS-2.8")
def test_many_files_are_asked_for_by_folders_that_are_named_briefly() -> None:
    paths = [
        f"/home/dev/app/{folder}/{folder[5:]}{name}.py"
        for folder in ("core/one", "core/two", "core/three")
        for name in range(9)
    ]
    asked = asked_of(written(paths[:25]))
    assert [one.text for one in asked if one.facts] == [
        "Which files were written, edited, moved or deleted? List every path in full."
    ]
    paths += [f"/home/dev/app/docs/{name}.py" for name in "xyz"]
    asked = asked_of(written([path for path in paths if not path.endswith("0.py")]))
    assert sorted(one.text.split(" were ")[0] for one in asked if one.facts) == [
        f"Which files in {folder}/" for folder in ("docs", "one", "three", "two")
    ]


def written(paths: Sequence[str]) -> tuple[Message, ...]:
    return tuple(
        message
        for place, path in enumerate(paths)
        for message in exchange(f"w{place}", "Write", "ok", file_path=path, content="x")
    )


def question(kind: ProbeKind, *facts: Fact) -> ProbeQuestion:
    return ProbeQuestion(kind, "Which?", "\n".join(fact.text for fact in facts), facts)


FILE = Fact(FactKind.FILE_CHANGED, "f", "/srv/app/upload.py", 0, 0)
OTHER = Fact(FactKind.FILE_CHANGED, "g", "/srv/app/pool.py", 0, 0)


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("/srv/app/upload.py and /srv/app/pool.py", 1.0),
        ("/srv/app/upload.py", 0.5),
        ("upload.py", 0.25),
        ("I changed three files.", 0.0),
    ],
)
def test_an_answer_scores_the_share_of_what_it_holds(answer: str, score: float) -> None:
    assert grade_by_facts(question(ProbeKind.ARTIFACT, FILE, OTHER), answer) == score


def test_an_interval_holds_its_mean_and_is_the_same_every_time() -> None:
    found = mean_estimate([1.0, 0.0, 1.0, 1.0, 0.5, 0.0])
    assert found == mean_estimate([1.0, 0.0, 1.0, 1.0, 0.5, 0.0])
    assert found.mean is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < found.mean < found.high <= 1
    assert (mean_estimate([0.5]).mean, mean_estimate([0.5]).low, mean_estimate([]).mean) == (0.5, None, None)


def test_the_difference_is_over_questions_that_were_answered_both_times() -> None:
    asked = [question(ProbeKind.RECALL, FILE), question(ProbeKind.RECALL, OTHER)]
    found = [ProbeAnswer(asked[0], "x", 0.5), ProbeAnswer(asked[1], "y", 0.0)]
    found.append(ProbeAnswer(asked[0], "z", 1.0, is_uncompacted=True))
    found.append(ProbeAnswer(asked[1], failure="no", is_uncompacted=True))
    assert (score_difference(found).n, score_difference(found).mean) == (1, -0.5)


def test_six_grades_are_read_or_none() -> None:
    lines = [f"- **{one.value.title()}**: {at % 6}/5" for at, one in enumerate(GradeDimension)]
    assert parse_grades("\n".join(lines)) == (0, 1, 2, 3, 4, 5)
    assert parse_grades("\n".join(lines[:5])) is None
    assert parse_grades("\n".join([*lines[:5], "instruction following: 9"])) is None
