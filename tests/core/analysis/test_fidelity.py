"""Fidelity: match rules, statuses, scores (field.md section 4.2)."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.later_use import forward_demand
from core.analysis.fidelity.model import STATUS_WEIGHTS, FactStatus, lost_count
from core.analysis.fidelity.model import FidelityCategory as Category
from core.api import compact
from core.common.json_value import MISSING
from core.preview.options import StageCache
from core.transcript.compaction import Fate, FateKind, FateStep
from core.transcript.model import Message, MessageFlag
from tests.builders import ai, call, exchange, human, response, tool
from tests.core.analysis.fidelity_judging import NAME as NAME_OF_RUN
from tests.core.analysis.fidelity_judging import edit, fact_of_kind, fidelity, make_compaction, run

VERBATIM, SUMMARISED, PARTIAL, RECOVERABLE, UNCLEAR, LOST = FactStatus


def todo(text: str, status: str) -> tuple[Message, ...]:
    return exchange("t1", "TodoWrite", "ok", todos=[{"content": text, "status": status}])


RULE = (human("Never commit the generated migration files to the main branch."),)
FILE = edit("src/upload/client.py")
ERROR = run("make", "ConnectionResetError: the peer closed its socket in part 7", failed=True)
TODO = todo("Add a jitter test for the upload client", "in_progress")
READ = exchange("q1", "Read", "x = 1", file_path="src/upload/pool.py")
WHY = (ai("We went with `RetryPolicy` because the pool drops idle sockets."),)
NUMBER = (human("The cache holds max_entries = 512 for now."),)
URL = (human("It is written down at https://docs.example.org/upload/limits?page=2 for good."),)
COMMAND = run("pytest tests/upload --maxfail=1", "3 passed")
WORDS = (human("The upload of large parts stalls on the staging cluster since Monday."),)
NAME = (ai("The guard sits in `half_close_guard` now."),)
CODE = (ai("Like this:\n```\nthe first line\nthe second line\nthe third line\nthe last one\n```"),)


@pytest.mark.parametrize(
    ("source", "kind", "summary", "status"),
    [
        (RULE, Category.CONSTRAINT, RULE[0].blocks[0].text, SUMMARISED),  # type: ignore[union-attr]
        (RULE, Category.CONSTRAINT, "Do not commit generated migration files to main branch", SUMMARISED),
        (RULE, Category.CONSTRAINT, "Migrations were discussed.", LOST),
        (FILE, Category.FILE, "Edited src/upload/client.py.", SUMMARISED),
        (FILE, Category.FILE, "Edited client.py.", PARTIAL),
        (FILE, Category.FILE, "Edited the client.", LOST),
        (READ, Category.PATH, "Read src/upload/pool.py.", SUMMARISED),
        (READ, Category.PATH, "Read pool.py.", PARTIAL),
        (READ, Category.PATH, "Read the pool.", LOST),
        (
            ERROR,
            Category.ERROR,
            "make: ConnectionResetError: the peer closed its socket in part 7",
            SUMMARISED,
        ),
        (ERROR, Category.ERROR, "make fails with a ConnectionResetError.", PARTIAL),
        (ERROR, Category.ERROR, "make fails.", LOST),
        (TODO, Category.TODO, "[in_progress] Add a jitter test for the upload client", SUMMARISED),
        (TODO, Category.TODO, "Add a jitter test for the upload client", PARTIAL),
        (TODO, Category.TODO, "Some tests are to do.", LOST),
        (WHY, Category.DECISION, "RetryPolicy, because the pool drops idle sockets", SUMMARISED),
        (WHY, Category.DECISION, "There is a policy.", LOST),
        (NUMBER, Category.NUMBER, "max_entries is 512", SUMMARISED),
        (NUMBER, Category.NUMBER, "512 of something", LOST),
        (NUMBER, Category.NUMBER, "max_entries was raised", LOST),
        (URL, Category.URL, "see https://docs.example.org/upload/limits?page=2", SUMMARISED),
        (URL, Category.URL, "see https://docs.example.org/upload/limits", PARTIAL),
        (URL, Category.URL, "see the docs", LOST),
        (COMMAND, Category.COMMAND, "ran `pytest tests/upload --maxfail=1`", SUMMARISED),
        (COMMAND, Category.COMMAND, "ran pytest tests/upload", PARTIAL),
        (COMMAND, Category.COMMAND, "ran the tests", LOST),
        (WORDS, Category.USER_MESSAGE, "Large parts: the upload stalls on the staging cluster.", SUMMARISED),
        (WORDS, Category.USER_MESSAGE, "Something is slow.", LOST),
        (NAME, Category.IDENTIFIER, "in half_close_guard", SUMMARISED),
        (NAME, Category.IDENTIFIER, "calls half_close_guard()", SUMMARISED),
        (NAME, Category.IDENTIFIER, "in Half_Close_Guard", LOST),
        (CODE, Category.CODE, "the first line\nthe second line\nthe third line\nthe last one", SUMMARISED),
        (CODE, Category.CODE, "The last one.", LOST),
    ],
)
def test_each_category_has_its_rule(
    source: tuple[Message, ...], kind: Category, summary: str, status: FactStatus
) -> None:
    assert fact_of_kind(fidelity(source, summary=summary), kind).status is status


def test_what_stays_is_verbatim_and_says_where() -> None:
    source = (human("hello there"), *FILE, ai("fine"))
    one = fact_of_kind(fidelity(source, keep=(1, 2), summary="nothing"), Category.FILE)
    assert (one.status, one.place) == (VERBATIM, 2)


def test_a_fact_out_of_a_file_that_is_still_named_can_be_read_again() -> None:
    broken = ai("", call("Edit", "e", file_path="src/a.py", old_string="x", new_string="y"))
    source = (broken, tool(response("e", "Edit", None, "old_string was not found in the file")))
    assert fact_of_kind(fidelity(source, summary="Look into src/a.py."), Category.ERROR).status is RECOVERABLE


@pytest.mark.req("LOSS-2.3.1")
def test_a_rule_that_says_the_opposite_is_an_error_and_counts_nothing() -> None:
    found = fidelity(RULE, summary="Commit the generated migration files to the main branch.")
    one = fact_of_kind(found, Category.CONSTRAINT)
    assert (one.status, one.is_negated) == (PARTIAL, True)
    assert found.scores[0].recall == 0


@pytest.mark.req("LOSS-2.4.1")
def test_what_no_source_says_is_invented() -> None:
    source = (human("Fix the client in src/upload/client.py with retry_count."),)
    summary = (
        "<state>\nUSER_CONTEXT:\nsrc/upload/client.py and lib/made/up.py, retry_count, made_up_name, retr…"
    )
    found = fidelity(source, summary=summary)
    assert {one.text for one in found.invented} == {"lib/made/up.py", "made_up_name"}
    assert fidelity(source, keep=(0,)).invented == ()


def test_the_curve_tells_where_the_lost_facts_sat() -> None:
    source = tuple(ai(f"https://example.org/{index}") for index in range(20))
    curve = fidelity(source, keep=range(10, 20), summary="nothing").curve
    assert curve == (0, 0, 0, 0, 0, 1, 1, 1, 1, 1)


def test_earlier_summaries_and_rows_of_a_harness_hold_no_facts() -> None:
    old = human("<state_snapshot>\nNever touch lib/a.py, see https://example.org/x</state_snapshot>")
    meta = human("Never do it, see https://example.org/y", flags=MessageFlag.META)
    assert fidelity((old, meta), summary="x").facts == ()


BEFORE = (
    *exchange("q", "Read", "def half_close_guard(): pass", file_path="src/upload/session.py"),
    ai("Seen."),
)


@pytest.mark.req("LOSS-2.5.2")
def test_later_turns_needed_what_the_model_used_again() -> None:
    after = (human("go on"), ai("I change `half_close_guard` in src/upload/session.py."))
    found = forward_demand(BEFORE, after, (human("Work on src/upload/session.py."),))
    assert found is not None
    assert (found.needed, found.kept, found.recall) == (2, 1, 0.5)
    assert [one.fact.text for one in found.lost] == ["half_close_guard"]


@pytest.mark.req("LOSS-2.3.1", "LOSS-2.3.3", "LOSS-2.3.4")
@pytest.mark.parametrize(
    ("source", "kind", "faithful", "false"),
    [
        (
            RULE,
            Category.CONSTRAINT,
            "Generated migration files stay out of the main branch.",
            "The user withdrew the rule never to commit the generated migration files to the main branch.",
        ),
        (
            RULE,
            Category.CONSTRAINT,
            "Never commit generated migration files to the main branch, the user says.",
            "The assistant wants generated migration files never committed to the main branch.",
        ),
        (FILE, Category.FILE, "Edited src/upload/client.py.", "Only read src/upload/client.py."),
        (READ, Category.PATH, "Read src/upload/pool.py.", "Edited src/upload/pool.py."),
        (
            TODO,
            Category.TODO,
            "Add a jitter test for the upload client: still to do",
            "Done: Add a jitter test for the upload client",
        ),
    ],
    ids=["withdrawn", "attributed", "changed", "read", "done"],
)
def test_the_sense_of_the_parts_decides_and_not_the_words(
    source: tuple[Message, ...], kind: Category, faithful: str, false: str
) -> None:
    assert not fact_of_kind(fidelity(source, summary=faithful), kind).is_negated
    assert fact_of_kind(fidelity(source, summary=false), kind).is_negated


@pytest.mark.req("LOSS-2.3.6")
def test_what_cannot_be_told_is_neither_lost_nor_a_hit() -> None:
    foreign = "Der Zwischenspeicher ist nicht sehr groß und die Regel ist da."
    found = fidelity((*RULE, *NUMBER), summary=foreign)
    counts = Counter(one.status for one in found.facts)
    assert counts[UNCLEAR] > 0
    assert lost_count(found.scores) == counts[LOST]
    assert UNCLEAR not in STATUS_WEIGHTS


@pytest.mark.req("LOSS-2.1")
def test_the_error_of_a_cleared_result_is_judged_as_it_is_written() -> None:
    made = make_compaction(ERROR, keep=(0, 1))
    edited = Fate((FateStep(NAME_OF_RUN, FateKind.EDITED, "Cleared."),))
    made = replace(made, fates=(made.fates[0], edited))
    text = "ConnectionResetError: the peer closed its socket in part 7"
    for error, is_lost in ((text, False), (MISSING, True)):
        cleared = tool(response("r1", "Bash", "[cleared]", error))
        found = judge_fidelity(ERROR, replace(made, messages=(ERROR[0], cleared)))
        assert (fact_of_kind(found, Category.ERROR).status is LOST) is is_lost


@pytest.mark.req("LOSS-2.1")
@pytest.mark.parametrize(
    "strategy", ["anthropic-clear-tool-uses", "claude-microcompact", "pinned-hybrid", "hybrid"]
)
def test_a_fact_is_lost_if_the_exported_messages_lack_it(strategy: str) -> None:
    messages: list[dict[str, object]] = [{"role": "user", "content": "Fix the upload."}]
    for number in range(8):
        id, is_failed = f"c{number}", number == 1
        text = "ValueError: quota of fold-4711 exceeded\n" * is_failed + "line of the log\n" * 200
        use = {"type": "tool_use", "id": id, "name": "bash", "input": {"command": "make"}}
        result = {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_failed}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    made = compact([*messages, {"role": "assistant", "content": "Done."}], strategy=strategy, limit=3_000)
    judged = fact_of_kind(fidelity_of(made.preview, StageCache()), Category.ERROR)
    assert (judged.status is LOST) is ("fold-4711" not in json.dumps(made.messages))


@pytest.mark.req("LOSS-2.4.2")
@pytest.mark.parametrize(
    "line",
    [
        "If you need details, read the full transcript at: /home/dev/.agent/x/0f1e2d3c-aaaa-4bbb.jsonl",
        "Full transcript before this summary: `/home/dev/.agent/x/0f1e2d3c.jsonl`",
        "Session id: 0f1e2d3c-aaaa-4bbb-8ccc-1234567890ab",
    ],
)
def test_what_a_harness_says_of_itself_is_not_invented(line: str) -> None:
    assert fidelity(WORDS, summary=line).invented == ()
    assert fidelity(WORDS, summary="It is in /home/dev/x/0f1e2d3c.jsonl").invented
