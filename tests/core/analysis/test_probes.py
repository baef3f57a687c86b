"""Probe questions: templates, grading, scores, free questions and their judge."""

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given as example

from core.analysis.fidelity.fact_texts import flat_text
from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.fidelity.source_facts import extract_source_facts
from core.analysis.probes.model import (
    GradeDimension,
    ProbeAnswer,
    ProbeKind,
    ProbeQuestion,
    mean_estimate,
    score_difference,
)
from core.analysis.probes.questions import compacted_material, grade_by_facts, select_questions
from core.analysis.probes.runner import parse_grades
from core.common.paths import BundledSample, bundled_samples
from core.formats.registry import load_conversation
from core.preview.options import Preview
from core.preview.preview import compute_preview
from core.strategies.one_shot import NAME as ONE_SHOT
from core.transcript.model import Message
from tests.builders import ai, exchange, human
from tests.core.analysis.fidelity_judging import make_compaction
from tests.core.analysis.probing import ERROR, truncated_preview
from tests.core.histories import histories
from tests.core.strategies.strategy_running import values

GOLD = "Never touch `legacy_mode`."


def asked_of(
    messages: tuple[Message, ...], most: int = 20, keep: tuple[int, ...] = ()
) -> list[ProbeQuestion]:
    """Return questions about a history with only some messages kept."""
    fates = make_compaction(messages, keep=keep).fates
    return list(select_questions(compacted_material(messages, fates, extract_source_facts(messages)), most))


def asked_about(run: Preview, most: int) -> list[ProbeQuestion]:
    material = compacted_material(run.messages, run.compaction.fates, extract_source_facts(run.messages))
    return list(select_questions(material, most))


def test_each_kind_asks_for_what_it_is_about() -> None:
    asked = asked_about(truncated_preview(), 60)
    expected = {kind: "\n".join(one.expected for one in asked if one.kind is kind) for kind in ProbeKind}
    assert GOLD in expected[ProbeKind.CONSTRAINT]
    assert "/srv/app/upload.py" in expected[ProbeKind.ARTIFACT]
    assert "retry_limit = 7" in expected[ProbeKind.RECALL]
    assert "pending: Describe the retry policy" in expected[ProbeKind.CONTINUATION]
    assert ERROR in expected[ProbeKind.CONTINUATION]
    assert "because the store allows one connection" in expected[ProbeKind.DECISION]
    assert set(expected[ProbeKind.NEGATIVE].splitlines()) == {"Not in the context."}


def test_the_choice_is_the_same_every_time_and_takes_kinds_by_turns() -> None:
    messages = truncated_preview().messages
    assert asked_of(messages, 7) == asked_of(messages, 7)
    assert {one.kind for one in asked_of(messages, 6)} == set(ProbeKind)
    assert len(asked_of(messages, 3)) == 3


@example(histories())
def test_what_is_expected_is_right_and_silence_is_wrong(history: tuple[Message, ...]) -> None:
    for one in asked_of(history, 60):
        assert [grade_by_facts(one, answer) for answer in (one.expected, "", one.text)] == [1, 0, 0]


@pytest.mark.parametrize("sample", bundled_samples(), ids=lambda one: one.path.name)
def test_the_samples_have_questions_with_that_property(sample: BundledSample) -> None:
    run = compute_preview(load_conversation(sample.path), values(compression__strategy=ONE_SHOT))
    found = asked_about(run, 100)
    assert len(found) > 5
    for one in found:
        assert [grade_by_facts(one, answer) for answer in (one.expected, "", one.text)] == [1, 0, 0]


@pytest.mark.req("LOSS-2.8")
@pytest.mark.parametrize(
    "unasked",
    [
        (ai("I'll look at the pool and its tests next."),),
        (ai("The pool hands out a connection that was already closing."),),
        (ai("Added two methods to the `Counter` class:"),),
        (human("[Response interrupted by a tool use result, only one may be used.]"),),
        (human("The current parser does not read the second header."),),
        exchange("w", "Write", "ok", file_path="/tmp/try_1.py", content="x"),
        exchange("c", "Bash", "ok", command="mkdir -p build"),
        exchange("v", "Bash", "LOADER_PID=18473", command="env"),
    ],
    ids=["announcement", "finding", "heading", "harness", "description", "scratch file", "helper", "process"],
)
def test_what_nobody_would_ask_is_not_asked(unasked: tuple[Message, ...]) -> None:
    long = human(
        "It goes on with words that nobody would quote in full. " + " ".join(f"word{n}" for n in range(40))
    )
    assert asked_of((long, *unasked, long, ai("Yes."))) == []


@pytest.mark.req("LOSS-2.8")
@pytest.mark.parametrize(
    ("asked", "subject"),
    [
        (human("Never change the public interface of the upload client."), "public interface"),
        (human("Always run `make check` before a commit."), "commit"),
        (ai("I'll go with the second queue since the first one loses messages."), "second queue"),
        (human("Please keep all dates in the column headings of report.csv."), "dates"),
    ],
)
def test_a_rule_or_choice_is_asked_for_by_its_object(asked: Message, subject: str) -> None:
    kinds = (ProbeKind.CONSTRAINT, ProbeKind.DECISION)
    (found,) = (one.text for one in asked_of((ai("Hi."), asked)) if one.kind in kinds)
    assert f"about “{subject}”" in found


@pytest.mark.req("LOSS-2.8")
@pytest.mark.parametrize("sample", bundled_samples(), ids=lambda one: one.path.name)
def test_no_two_questions_have_the_same_answer(sample: BundledSample) -> None:
    asked = [one for one in asked_of(load_conversation(sample.path).messages, 100) if one.facts]
    for first, second in permutations(asked, 2):
        assert set(first.facts).isdisjoint(second.facts)
        assert flat_text(first.expected) not in flat_text(second.expected)


@pytest.mark.req("LOSS-2.8")
def test_what_is_said_twice_is_asked_once() -> None:
    rule = "Never touch the `legacy_mode` flag of the parser."
    todo = [{"content": "Describe the retry policy", "status": "pending"}]
    messages = (
        human(rule),
        ai(f"Understood, I keep to it: {rule}"),
        ai("Next: describe the retry policy of the store."),
        *exchange("t", "TodoWrite", "ok", todos=todo),
    )
    asked = asked_of(messages)
    assert sum("legacy_mode" in one.expected for one in asked) == 1
    assert sum("retry policy" in one.expected for one in asked) == 1


@pytest.mark.req("LOSS-2.8")
def test_at_most_one_question_in_six_is_negative() -> None:
    found = asked_of(truncated_preview().messages, 60)
    assert 1 <= sum(one.kind is ProbeKind.NEGATIVE for one in found) <= len(found) / 6 + 1
    (one, other) = asked_of((human("Never touch the public interface."), ai("No.")))
    assert (one.kind, other.kind) == (ProbeKind.CONSTRAINT, ProbeKind.NEGATIVE)


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


def question(kind: ProbeKind, *facts: SourceFact) -> ProbeQuestion:
    return ProbeQuestion(kind, "Which?", "\n".join(fact.text for fact in facts), facts)


FILE = SourceFact(FidelityCategory.FILE, "f", "/srv/app/upload.py", (0,), ("/srv/app/upload.py", "upload.py"))
OTHER = SourceFact(FidelityCategory.FILE, "g", "/srv/app/pool.py", (0,), ("/srv/app/pool.py", "pool.py"))


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
