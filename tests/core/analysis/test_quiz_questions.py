"""Questions of the quiz: from facts, from stretches of the source, and scores."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given as example

from core.analysis.judge.model import Judgement, JudgeVerdict
from core.analysis.quiz.model import (
    QuizAnswer,
    QuizKind,
    QuizQuestion,
    mean_estimate,
    score_difference,
)
from core.analysis.quiz.questions import grading_questions, select_questions
from core.analysis.quiz.written import source_stretches
from core.common.paths import BundledSample, bundled_samples
from core.facts.extract import extract_facts
from core.formats.registry import load_conversation
from core.preview.preview import compute_preview
from core.strategies.one_shot import NAME as ONE_SHOT
from core.transcript.model import Message
from tests.core.analysis.made_compactions import make_compaction
from tests.core.analysis.quiz_servers import ERROR, truncated_preview
from tests.core.histories import histories
from tests.core.strategies.strategy_running import values
from tests.support.builders import exchange


def asked_of(
    messages: tuple[Message, ...], most: int = 20, keep: tuple[int, ...] = ()
) -> list[QuizQuestion]:
    """Return questions about a history with only some messages kept."""
    fates = make_compaction(messages, keep=keep).fates
    return list(select_questions(extract_facts(messages).all, fates, most))


@pytest.mark.req("LOSS-2.8")
def test_each_question_asks_for_facts_of_the_compacted_part() -> None:
    asked = asked_of(truncated_preview().messages)
    expected = {one.text.split("?")[0]: "\n".join(one.points) for one in asked}
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
def test_the_judge_is_asked_for_each_point_of_an_answer(history: tuple[Message, ...]) -> None:
    for one in asked_of(history, 60):
        asked = grading_questions(one, "An answer.")
        assert [
            question.statement.endswith(point)
            for question, point in zip(asked, one.points, strict=True)
        ]
        assert all(one.text in question.statement for question in asked)
        assert {question.text for question in asked} == {"An answer."}


@pytest.mark.parametrize("sample", bundled_samples(), ids=lambda one: one.path.name)
def test_questions_of_the_samples_do_not_contain_their_answers(sample: BundledSample) -> None:
    run = compute_preview(load_conversation(sample.path), values(compression__strategy=ONE_SHOT))
    for one in select_questions(extract_facts(run.messages).all, run.result.compaction.fates):
        assert not any(point in one.text for point in one.points)


@pytest.mark.req("LOSS-2.8")
def test_many_files_are_asked_for_by_folders_that_are_named_briefly() -> None:
    paths = [
        f"/home/dev/app/{folder}/{folder[5:]}{name}.py"
        for folder in ("core/one", "core/two", "core/three")
        for name in range(9)
    ]
    asked = asked_of(written(paths[:25]))
    assert [one.text for one in asked if one.points] == [
        "Which files were written, edited, moved or deleted? List every path in full."
    ]
    paths += [f"/home/dev/app/docs/{name}.py" for name in "xyz"]
    asked = asked_of(written([path for path in paths if not path.endswith("0.py")]))
    assert sorted(one.text.split(" were ")[0] for one in asked if one.points) == [
        f"Which files in {folder}/" for folder in ("docs", "one", "three", "two")
    ]


def written(paths: Sequence[str]) -> tuple[Message, ...]:
    return tuple(
        message
        for place, path in enumerate(paths)
        for message in exchange(f"w{place}", "Write", "ok", file_path=path, content="x")
    )


def answered(question: QuizQuestion, *verdicts: JudgeVerdict) -> QuizAnswer:
    asked = grading_questions(question, "x")
    found = tuple(Judgement(one, verdict) for one, verdict in zip(asked, verdicts, strict=True))
    return QuizAnswer(question, "x", found)


FILES = QuizQuestion(QuizKind.ARTIFACT, "Which?", ("/srv/app/upload.py", "/srv/app/pool.py"))
OTHER = QuizQuestion(QuizKind.RECALL, "What?", ("9090",))
SAME, OPPOSITE, UNKNOWN = JudgeVerdict.SAME, JudgeVerdict.OPPOSITE, JudgeVerdict.UNKNOWN


@pytest.mark.req("JUDGE-4")
@pytest.mark.parametrize(
    ("verdicts", "score"),
    [
        ((SAME, SAME), 1.0),
        ((SAME, OPPOSITE), 0.5),
        ((JudgeVerdict.MISSING, JudgeVerdict.CHANGED), 0.0),
        ((UNKNOWN, SAME), 1.0),
        ((UNKNOWN, UNKNOWN), None),
    ],
)
def test_a_score_is_the_share_of_points_that_the_judge_can_tell(
    verdicts: Sequence[JudgeVerdict], score: float | None
) -> None:
    assert answered(FILES, *verdicts).score == score


@pytest.mark.req("JUDGE-4")
def test_stretches_are_spread_over_what_did_not_stay() -> None:
    messages = written([f"/srv/app/part_{number}.py" for number in range(40)])
    fates = make_compaction(messages, keep=(0, 1, 2, 3)).fates
    found = source_stretches(messages, fates, 4)
    assert len(found) == 4
    assert found == source_stretches(messages, fates, 4)
    starts = [one.messages[0] for one in found]
    assert starts == sorted(set(starts))
    assert starts[0] == 4
    assert starts[-1] > len(messages) / 2
    assert "/srv/app/part_2.py" in found[0].text
    assert "/srv/app/part_1.py" not in "".join(one.text for one in found)
    assert (
        source_stretches(messages, make_compaction(messages, keep=range(len(messages))).fates, 4)
        == ()
    )


def test_an_interval_holds_its_mean_and_is_the_same_every_time() -> None:
    found = mean_estimate([1.0, 0.0, 1.0, 1.0, 0.5, 0.0])
    assert found == mean_estimate([1.0, 0.0, 1.0, 1.0, 0.5, 0.0])
    assert found.mean is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < found.mean < found.high <= 1
    assert (mean_estimate([0.5]).mean, mean_estimate([0.5]).low, mean_estimate([]).mean) == (
        0.5,
        None,
        None,
    )


def test_the_difference_is_over_questions_that_were_graded_both_times() -> None:
    found = [answered(FILES, SAME, OPPOSITE), answered(OTHER, OPPOSITE)]
    found.append(replace(answered(FILES, SAME, SAME), is_uncompacted=True))
    found.append(QuizAnswer(OTHER, failure="no", is_uncompacted=True))
    assert (score_difference(found).n, score_difference(found).mean) == (1, -0.5)
