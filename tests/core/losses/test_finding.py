"""Does a model find it? Questions from facts, and what its answers have of their points."""

from collections.abc import Sequence
from functools import cache

import pytest

from core.common.json_value import Json
from core.common.paths import BundledSample, bundled_samples, cache_dir
from core.facts.extract import extract_facts
from core.formats.registry import load_conversation
from core.losses.judge import judge_price
from core.losses.judge_questions import (
    JudgeCalibration,
    JudgeQuestion,
    JudgeVerdict,
    find_questions,
    found_in_answer,
)
from core.preview.options import Preview
from core.preview.preview import compute_preview
from core.strategies.one_shot import NAME as ONE_SHOT
from core.strategies.top_down import NAME as TRUNCATION
from core.transcript.model import Message
from tests.core.llm.model_asking import profile
from tests.core.losses.test_judge import (
    JudgingServer,
    judged,
    judging,
    says,
)
from tests.core.strategies.strategy_running import values
from tests.core.trials.made_compactions import make_compaction
from tests.support.builders import ai, conversation, exchange, human
from tests.support.loopback import Reply

ERROR = "AssertionError: expected 4 parts, found 3"
TODOS = [
    {"content": "Write the upload test", "status": "completed"},
    {"content": "Describe the retry policy", "status": "pending"},
]


@cache
def truncated() -> Preview:
    """Return a truncation of a file, an error and to-dos, followed by small talk."""
    talk = (
        message
        for at in range(12)
        for message in (human(f"And {at}?"), ai("Fine. " * 40))
    )
    path = "/srv/app/upload.py"
    whole = conversation(
        human("Fix the uploader."),
        *exchange("e", "Edit", "ok", file_path=path, old_string="a", new_string="b"),
        *exchange("t", "Bash", f"Exit code 1\n{ERROR}", command="pytest -q tests"),
        *exchange("d", "TodoWrite", "ok", todos=TODOS),
        *talk,
        model="m",
    )
    return compute_preview(
        whole, values(compression__strategy=TRUNCATION, context_limit=1_000)
    )


def asked_of(
    messages: tuple[Message, ...], keep: tuple[int, ...] = ()
) -> list[JudgeQuestion]:
    """Return the questions about a history of which only some messages are kept."""
    compaction = make_compaction(messages, keep=keep)
    facts = extract_facts(messages).all
    return list(find_questions(facts, compaction.fates, compaction.messages))


@pytest.mark.req("LOSS-2.8")
def test_each_question_asks_for_facts_of_the_compacted_part() -> None:
    asked = asked_of(truncated().messages)
    expected = {one.statement.split("?")[0]: one.points for one in asked}
    assert expected == {
        "Which files were written, edited, moved or deleted": ("/srv/app/upload.py",),
        "What did the person ask for last": ("And 11?",),
        "What is still open on the to-do list": ("Describe the retry policy",),
        "What is done on the to-do list": ("Write the upload test",),
        "With what error did “pytest -q tests” fail": (ERROR,),
    }


@pytest.mark.parametrize("sample", bundled_samples(), ids=lambda one: one.path.name)
def test_questions_of_the_samples_do_not_contain_their_answers(
    sample: BundledSample,
) -> None:
    run = compute_preview(
        load_conversation(sample.path), values(compression__strategy=ONE_SHOT)
    )
    compaction = run.result.compaction
    facts = extract_facts(run.messages).all
    for one in find_questions(facts, compaction.fates, compaction.messages):
        assert not any(point in one.statement for point in one.points)


@pytest.mark.req("LOSS-2.8")
def test_many_files_are_asked_for_by_folders_that_are_named_briefly() -> None:
    paths = [
        f"/home/dev/app/{folder}/{folder[5:]}{name}.py"
        for folder in ("core/one", "core/two", "core/three")
        for name in range(9)
    ]
    asked = asked_of(written(paths[:25]))
    assert [one.statement for one in asked] == [
        "Which files were written, edited, moved or deleted? List every path in full."
    ]
    paths += [f"/home/dev/app/docs/{name}.py" for name in "xyz"]
    asked = asked_of(written([path for path in paths if not path.endswith("0.py")]))
    assert sorted(one.statement.split(" were ")[0] for one in asked) == [
        f"Which files in {folder}/" for folder in ("docs", "one", "three", "two")
    ]


def written(paths: Sequence[str]) -> tuple[Message, ...]:
    return tuple(
        message
        for place, path in enumerate(paths)
        for message in exchange(f"w{place}", "Write", "ok", file_path=path, content="x")
    )


FILES = JudgeQuestion("Which?", "T", points=("/srv/app/upload.py", "/srv/app/pool.py"))
FOUND, PARTLY, NOT = (
    JudgeVerdict.FOUND,
    JudgeVerdict.PARTLY_FOUND,
    JudgeVerdict.NOT_FOUND,
)


@pytest.mark.req("JUDGE-4")
@pytest.mark.parametrize(
    ("answer", "verdict", "missing"),
    [
        (["/srv/app/upload.py", "app/pool.py"], FOUND, ()),
        ("Both /srv/app/upload.py\nand /srv/app/POOL.py", FOUND, ()),
        (["/srv/app/upload.py"], PARTLY, ("/srv/app/pool.py",)),
        (["pool.py"], NOT, FILES.points),
        ([], NOT, FILES.points),
        (None, NOT, FILES.points),
        ([3, {"a": 1}], NOT, FILES.points),
    ],
)
def test_strings_say_which_points_an_answer_has(
    answer: Json, verdict: JudgeVerdict, missing: tuple[str, ...]
) -> None:
    found = found_in_answer(FILES, {"id": 1, "answer": answer})
    assert (found.verdict, found.missing) == (verdict, missing)


@pytest.mark.req("JUDGE-4")
def test_questions_of_one_result_are_one_call_and_send_it_once() -> None:
    questions = asked_of(truncated().messages, keep=tuple(range(20, 31)))
    answers = {questions[0].statement: ["/srv/app/upload.py"]}
    server = JudgingServer(says("missing"), answers)
    server.start()
    try:
        asked_of_model = profile(server, "openai")
        assert judge_price(questions, asked_of_model).calls == 1
        first, *others = judged(asked_of_model, questions)
        again, *_ = judged(asked_of_model, questions)
    finally:
        server.stop()
    assert (first.verdict, first.quote) == (FOUND, "/srv/app/upload.py")
    assert {one.verdict for one in others} == {NOT}
    assert (again.verdict, again.is_stored) == (FOUND, True)
    assert len(server.log) == 1
    assert server.log[0].text.count("[human]") == questions[0].text.count("[human]") > 1
    stored = b"".join(path.read_bytes() for path in cache_dir().rglob("judge/*"))
    assert b"upload" not in stored


@pytest.mark.req("JUDGE-3")
def test_what_a_model_found_is_shown_whatever_its_calibration() -> None:
    text = (
        '{"answers": [{"id": 1, "answer": ["/srv/app/upload.py", "/srv/app/pool.py"]}]}'
    )
    with judging(Reply(text=text)) as (_, asked_of_model):
        (found,) = judged(asked_of_model, [FILES], JudgeCalibration(60, 0, 60, 0))
    assert found.verdict is FOUND


@pytest.mark.req("JUDGE-4")
def test_a_question_that_is_left_out_cannot_be_told() -> None:
    with judging(Reply(text='{"answers": [{"id": 9, "answer": []}]}')) as (
        _,
        asked_of_model,
    ):
        (found,) = judged(asked_of_model, [FILES])
    assert (found.verdict, found.reason) == (
        JudgeVerdict.UNKNOWN,
        "the model left it out",
    )
