"""What a result holds of the facts of its source: word for word, reworded, or gone."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.api import compact
from core.common.json_value import MISSING
from core.facts.extract import extract_facts
from core.facts.model import Fact, FactKind
from core.facts.name_patterns import NameKind
from core.losses.evidence import (
    EvidenceStatus,
    Losses,
    SentenceStatus,
    SummaryEvidence,
    find_evidence,
)
from core.losses.losses_of import losses_of
from core.losses.needed_later import NeededLater, NeededName
from core.losses.summary_evidence import find_summaries, summary_evidence
from core.losses.texts import source_index
from core.preview.options import PreviewOptions, StageCache, SummaryOptions
from core.preview.preview import compute_preview
from core.transcript.compaction import Fate, FateKind, FateStep
from core.transcript.model import Message, MessageFlag
from tests.core.histories import histories
from tests.core.strategies.strategy_running import values
from tests.core.trials.made_compactions import NAME as NAME_OF_RUN
from tests.core.trials.made_compactions import (
    edit,
    evidence,
    make_compaction,
    one_of,
    run,
)
from tests.support.builders import (
    ai,
    conversation,
    exchange,
    human,
    response,
    talk,
    tool,
)

WORDS, REWORDED, GONE = EvidenceStatus
SAID = (human("Never commit the generated migration files to the main branch."),)
FILE = edit("/repo/src/upload/client.py")
READ = exchange("q1", "Read", "x = 1", file_path="/repo/src/upload/pool.py")
ERROR = run(
    "make", "ConnectionResetError: the peer closed its socket in part 7", failed=True
)
TODO = exchange(
    "t1",
    "TodoWrite",
    "ok",
    todos=[{"content": "Add a jitter test", "status": "pending"}],
)
COMMAND = run("pytest tests/upload --maxfail=1", "3 passed")
NAMED = (ai("The guard sits in `half_close_guard` now."),)
GUIDE = exchange(
    "g", "Read", "- Always run the linter before a commit.", file_path="CLAUDE.md"
)


@pytest.mark.req("LOSS-2.3.1")
@pytest.mark.parametrize(
    ("source", "kind", "summary", "status"),
    [
        (SAID, FactKind.YOUR_MESSAGE,
         "- Never commit the generated migration\n files to the **main** branch.", WORDS),
        (SAID, FactKind.YOUR_MESSAGE, "Generated migration files stay out of the main branch.", REWORDED),
        (SAID, FactKind.YOUR_MESSAGE, "Something else was said.", GONE),
        (GUIDE, FactKind.INSTRUCTION, "Always run the linter before a commit", WORDS),
        (GUIDE, FactKind.INSTRUCTION, "There is a guide.", GONE),
        (FILE, FactKind.FILE_CHANGED, "Edited /repo/src/upload/client.py.", WORDS),
        (FILE, FactKind.FILE_CHANGED, "Edited upload/client.py.", WORDS),
        (FILE, FactKind.FILE_CHANGED, "Edited client.py.", REWORDED),
        (FILE, FactKind.FILE_CHANGED, "Edited the client.", GONE),
        (READ, FactKind.FILE_READ, "Read src/upload/pool.py.", WORDS),
        (ERROR, FactKind.OPEN_ERROR,
         "make: ConnectionResetError: the peer closed its socket in part 7.", WORDS),
        (ERROR, FactKind.OPEN_ERROR, "make fails with a ConnectionResetError.", REWORDED),
        (ERROR, FactKind.OPEN_ERROR, "make fails.", GONE),
        (TODO, FactKind.TODO, "[pending] Add a jitter test", WORDS),
        (TODO, FactKind.TODO, "Some work is left.", GONE),
        (COMMAND, FactKind.COMMAND, "- Ran `pytest tests/upload --maxfail=1`: ok", WORDS),
        (COMMAND, FactKind.COMMAND, "ran the tests", GONE),
        (NAMED, FactKind.NAME, "calls half_close_guard()", WORDS),
        (NAMED, FactKind.NAME, "calls half_close_guard_2", GONE),
    ],
)  # fmt: skip
def test_each_kind_is_looked_for(
    source: tuple[Message, ...], kind: FactKind, summary: str, status: EvidenceStatus
) -> None:
    found = [one for one in evidence(source, summary=summary) if one.fact.kind is kind]
    assert found[0].status is status
    assert (found[0].result_index >= 0) is (status is not GONE)


@pytest.mark.req("LOSS-2.3.1")
def test_a_message_is_told_by_sentence_with_the_nearest_one_beside_it() -> None:
    source = (
        human(
            "The upload stalls. Never raise the timeout of the client. Look at pool.py first."
        ),
    )
    summary = "The upload stalls.\nThe timeout of the client stays as it is."
    one = one_of(evidence(source, summary=summary), FactKind.YOUR_MESSAGE)
    assert one.status is REWORDED
    assert [sentence.status for sentence in one.sentences] == [
        SentenceStatus.STANDS,
        SentenceStatus.NEAREST,
        SentenceStatus.GONE,
    ]
    assert one.sentences[1].nearest == "The timeout of the client stays as it is."
    assert [sentence.text for sentence in one.not_standing] == [
        "Look at pool.py first.",
        "Never raise the timeout of the client.",
    ]


@pytest.mark.req("LOSS-2.3.1")
def test_case_is_a_part_of_the_words() -> None:
    source = (human("Call it Retry, never retry."),)
    one = one_of(
        evidence(source, summary="Call it retry, never retry."), FactKind.YOUR_MESSAGE
    )
    (sentence,) = one.sentences
    assert sentence.status is SentenceStatus.NEAREST
    assert [word.text for word in sentence.differs.missing] == ["Retry"]


@pytest.mark.req("LOSS-2.3.2")
def test_a_message_of_one_word_is_not_gone_in_another_case() -> None:
    one = one_of(
        evidence((human("Both"),), summary="Do both files."), FactKind.YOUR_MESSAGE
    )
    assert (one.status, one.nearest) == (REWORDED, "Do both files.")
    other = one_of(
        evidence((human("Both"),), summary="Bothered."), FactKind.YOUR_MESSAGE
    )
    assert other.status is GONE


@pytest.mark.req("LOSS-2.3.2")
@pytest.mark.parametrize(
    "summary",
    [
        "They chose: redirect to login, not to home.",
        "> Redirect\n> to login",
        "# Redirect\n# to login",
        "  12 | Redirect\n  13 | to login",
        '{"answer": "chosen: Redirect\\n\\tto login"}',
    ],
)
def test_words_in_a_row_are_not_gone_whatever_stands_between(summary: str) -> None:
    source = (human("Redirect to login"),)
    one = one_of(evidence(source, summary=summary), FactKind.YOUR_MESSAGE)
    assert one.status is REWORDED
    assert one.nearest


@pytest.mark.req("LOSS-2.3.2")
@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ("It calls `half_close_guard` now.", '{"code": "\\n\\thalf_close_guard()"}'),
        ("It runs `make check-all` now.", "It runs make\ncheck-all."),
        ("It waits 12,000 now.", "It waits 12000."),
        ("It waits 12000 now.", "It waits 12_000."),
        ("It holds 512 MB now.", "It holds 512MB."),
        ("It holds 512MB now.", "It holds 512 MB."),
    ],
)
def test_a_name_in_another_spelling_is_not_gone(said: str, summary: str) -> None:
    one = one_of(evidence((ai(said),), summary=summary), FactKind.NAME)
    assert one.status is WORDS


@pytest.mark.req("LOSS-2.3.2")
def test_a_name_of_an_argument_or_of_the_system_prompt_is_not_gone() -> None:
    source = (
        ai("Its reservation_id is new."),
        ai("Only find_flight knows it."),
        *exchange("q", "Book", "ok", reservation_id="JG7"),
    )
    made = make_compaction(source, keep=(2, 3))
    facts = extract_facts(source).all
    found = find_evidence(made, facts, system=("Call find_flight first.",))
    named = {one.fact.text: (one.status, one.result_index) for one in found}
    assert named["reservation_id"] == (WORDS, 0)
    assert named["find_flight"] == (WORDS, -1)


def test_the_search_can_be_stopped_at_each_fact() -> None:
    asked: list[float] = []
    said = human("Keep the pears."), human("Keep the plums.")
    found = find_evidence(
        make_compaction(said, summary="nothing"),
        extract_facts(said).all,
        lambda fraction, _: asked.append(fraction),
    )
    next(found)
    before = len(asked)
    next(found)
    assert len(asked) > before


@pytest.mark.req("LOSS-2.3.1")
def test_a_chinese_sentence_is_near_by_pairs_of_characters() -> None:
    source = (human("绝对不要修改数据库的结构。"),)
    one = one_of(
        evidence(source, summary="可以修改数据库的结构。"), FactKind.YOUR_MESSAGE
    )
    assert one.sentences[0].nearest == "可以修改数据库的结构。"


@pytest.mark.req("LOSS-2.3.1")
def test_a_kept_message_is_no_rewording_of_a_removed_one() -> None:
    source = (*(human(f"Only keep part_{number}.") for number in range(3)), ai("Fine."))
    found = [
        one
        for one in evidence(source, keep=(2,), summary="Parts.")
        if one.fact.kind is FactKind.YOUR_MESSAGE
    ]
    assert [one.status for one in found] == [GONE, GONE, WORDS]


@pytest.mark.req("LOSS-2.3.3")
@pytest.mark.parametrize(
    "quoting",
    [
        "The user no longer says: Never commit the generated migration files to the main branch.",
        "It is not true that never commit the generated migration files to the main branch.",
        "Never commit the generated migration files to the main branch unless Mara agrees.",
        (
            'Somebody wrote "Never commit the generated migration files to the main branch." '
            "and took it back."
        ),
    ],
)
def test_a_sentence_that_is_quoted_in_a_longer_one_is_not_word_for_word(
    quoting: str,
) -> None:
    one = one_of(evidence(SAID, summary=quoting), FactKind.YOUR_MESSAGE)
    assert one.status is REWORDED
    assert one.nearest


def test_what_stays_is_word_for_word_and_says_where() -> None:
    source = (human("hello there, my friend"), *FILE, ai("fine"))
    one = one_of(
        evidence(source, keep=(1, 2), summary="nothing"), FactKind.FILE_CHANGED
    )
    assert (one.status, one.result_index) == (WORDS, 2)


@pytest.mark.req("LOSS-2.3.2")
@given(histories(), st.data())
def test_what_stands_in_the_result_is_never_called_gone(
    history: tuple[Message, ...], data: st.DataObject
) -> None:
    facts = extract_facts(history).all
    told = [fact.text for fact in facts if data.draw(st.booleans())]
    made = make_compaction(history, summary="\n".join(["Summary", *told]))
    for one in find_evidence(made, facts):
        assert one.status is not GONE or one.fact.text not in told


@pytest.mark.req("LOSS-2.3.2")
@given(
    st.text(alphabet="aB1_*`-.,:/ \n\"'é", min_size=1, max_size=60),
    st.text(max_size=20),
)
def test_any_text_of_a_person_is_found_where_it_stands(words: str, around: str) -> None:
    source = (human(words),)
    for one in evidence(source, summary=f"{around}\n{words}\n{around}"):
        assert one.status is not GONE, one.fact.text


def test_earlier_summaries_and_rows_of_a_harness_hold_no_facts() -> None:
    old = human(
        "<state_snapshot>\nNever touch lib/a.py, see https://example.org/x</state_snapshot>"
    )
    meta = human("Never do it, see https://example.org/y", flags=MessageFlag.META)
    assert evidence((old, meta), summary="x") == ()


def losses(*facts: Fact, gone: tuple[str, ...] = ()) -> Losses:
    items = tuple(find_evidence(make_compaction(SAID, summary="nothing"), facts))
    needed = NeededLater(
        3, 1, 1, tuple(NeededName(name, NameKind.PATH, 2, 0) for name in gone)
    )
    return Losses(
        removed_tokens=9,
        removed_messages=1,
        items=items,
        summary=SummaryEvidence(),
        needed=needed,
    )


@pytest.mark.req("LOSS-2.3.4")
def test_the_worst_comes_first_and_a_name_that_nobody_needed_counts_nothing() -> None:
    kinds = (
        FactKind.NAME,
        FactKind.FILE_CHANGED,
        FactKind.OPEN_ERROR,
        FactKind.INSTRUCTION,
        FactKind.YOUR_MESSAGE,
    )
    facts = [
        Fact(kind=kind, key=f"{kind}", text=f"text of {kind}", first=0, last=0)
        for kind in kinds
    ]
    often = Fact(kind=FactKind.NAME, key="b", text="zq_often", first=0, last=0, count=9)
    found = losses(*facts, often, gone=("a", "b"))
    assert [one.fact.key for one in found.worst_first] == [
        *map(str, reversed(kinds[1:])),
        "b",
        "name",
    ]
    assert found.gone_count == 2 + 3


@pytest.mark.req("LOSS-2.3.4")
def test_of_gone_names_one_that_was_used_last_comes_before_one_that_was_used_often() -> (
    None
):
    uses = {
        "zq_newest": (9, 1),
        "zq_recent": (8, 4),
        "zq_often": (2, 16),
    }  # the last message, and the count
    facts = [
        Fact(kind=FactKind.NAME, key=name, text=name, first=0, last=last, count=count)
        for name, (last, count) in uses.items()
    ]
    found = [one.fact.text for one in losses(*facts).worst_first]
    assert found == ["zq_recent", "zq_newest", "zq_often"]


@pytest.mark.req("LOSS-2.1")
def test_the_error_of_a_cleared_result_is_looked_at_as_it_is_written() -> None:
    made = make_compaction(ERROR, keep=(0, 1))
    edited = Fate((FateStep(NAME_OF_RUN, FateKind.EDITED, "Cleared."),))
    made = replace(made, fates=(made.fates[0], edited))
    text = "ConnectionResetError: the peer closed its socket in part 7"
    for error, status in ((text, WORDS), (MISSING, GONE)):
        cleared = tool(response("r1", "Bash", "[cleared]", error))
        found = find_evidence(
            replace(made, messages=(ERROR[0], cleared)), extract_facts(ERROR).all
        )
        assert one_of(tuple(found), FactKind.OPEN_ERROR).status is status


@pytest.mark.req("LOSS-2.1")
@pytest.mark.parametrize(
    "strategy",
    ["anthropic-clear-tool-uses", "claude-microcompact", "excerpt", "hybrid"],
)
def test_a_fact_is_gone_if_the_exported_messages_lack_it(strategy: str) -> None:
    messages: list[dict[str, object]] = [{"role": "user", "content": "Fix the upload."}]
    for number in range(8):
        id, is_failed = f"c{number}", number == 7
        text = (
            "ValueError: quota of fold-4711 exceeded\n" * is_failed
            + "line of the log\n" * 200
        )
        use = {
            "type": "tool_use",
            "id": id,
            "name": "bash",
            "input": {"command": "make"},
        }
        result = {
            "type": "tool_result",
            "tool_use_id": id,
            "content": text,
            "is_error": is_failed,
        }
        messages += [
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ]
    messages += [
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Go on with more."},
    ]
    made = compact(messages, strategy=strategy, limit=3_000)
    one = one_of(made.losses.items, FactKind.OPEN_ERROR)
    assert (one.status is WORDS) is ("fold-4711" in json.dumps(made.messages))


@pytest.mark.req("LOSS-2.5.5")
def test_nothing_is_gone_before_the_summary_is_written() -> None:
    source = conversation(*SAID, *talk(40), human("And now the changelog, please."))
    unwritten = compute_preview(
        source, values(), PreviewOptions(summary=SummaryOptions(is_written=False))
    )
    found = losses_of(unwritten, StageCache())
    assert not found.is_written
    assert (found.needed, found.summary) == (None, SummaryEvidence())


def nowhere(source: tuple[Message, ...], summary: str) -> list[str]:
    parts = find_summaries(make_compaction(source, summary=summary))
    return [
        one.text
        for one in summary_evidence(
            parts, source, source_index(source, [summary])
        ).nowhere
    ]


CLIENT = (
    human(
        "Fix src/upload/client.py with retry_count, 17,625 rows; see "
        "https://example.org/a/b for it."
    ),
)


@pytest.mark.req("LOSS-2.4.1")
@pytest.mark.parametrize(
    ("summary", "names"),
    [
        ("- src/upload/client.py and lib/made/up.py, retry_count, made_up_name, retr…",
         "lib/made/up.py made_up_name"),
        ("It is upload/client.py in /home/dev/src/upload/client.py.", ""),
        ("17625 rows and 4711 rows; about 990 rows are left; 812", "4711|rows 812"),
        ("See https://example.org/a/b and https://example.org/a/c for it.", "https://example.org/a/c"),
        ("USER_CONTEXT:\n<state>\n- `client.retry_count` is read", ""),
        ("#12 model\nretry_count\n#7 input\n#3 pasted\n#99 is open", "#99"),
    ],
)  # fmt: skip
def test_what_stands_nowhere_in_the_source_is_listed(summary: str, names: str) -> None:
    assert nowhere(CLIENT, f"Summary\n{summary}") == [
        name.replace("|", " ") for name in names.split()
    ]


@pytest.mark.req("LOSS-2.4.1")
def test_the_nearest_sentence_of_the_source_is_beside_it() -> None:
    source = (
        *talk(4),
        human("The pool of the upload client has four slots. It is slow."),
    )
    parts = find_summaries(
        make_compaction(source, summary="The pool of the upload client has 512 slots.")
    )
    (found,) = summary_evidence(
        parts, source, source_index(source, (parts[0].text,))
    ).nowhere
    assert (found.text, found.nearest_message) == ("512", 4)
    assert found.nearest == "The pool of the upload client has four slots."


@pytest.mark.req("LOSS-2.4.2")
@pytest.mark.parametrize(
    "line",
    [
        (
            "If you need details, read the full transcript at: "
            "/home/dev/.agent/x/0f1e2d3c-aaaa-4bbb.jsonl"
        ),
        "Full transcript before this summary: `/home/dev/.agent/x/0f1e2d3c.jsonl`",
        "Session id: 0f1e2d3c-aaaa-4bbb-8ccc-1234567890ab",
    ],
)
def test_what_a_harness_says_of_itself_is_not_looked_for(line: str) -> None:
    assert nowhere(SAID, line) == []
    assert nowhere(SAID, "It is in /home/dev/x/0f1e2d3c.jsonl")


WINDOWS = (
    human(
        r"Read C:\dev\roo-code\notes\TODO.md and docs\new\tests.md."
        + "\nThen run\ttask_one."
    ),
)


@pytest.mark.req("LOSS-2.4.1")
@pytest.mark.parametrize(
    ("summary", "names"),
    [
        (
            (
                r"- `C:\dev\roo-code\notes\TODO.md`, roo-code\notes\TODO.md and "
                r"docs\new\tests.md are read."
            ),
            "",
        ),
        (
            (
                r"- It is C:/dev/roo-code/notes/TODO.md; C:\dev\roo-code\notes\TODO.md\nThen "
                r"run\ttask_one."
            ),
            "",
        ),
        (
            r"- It is C:\dev\rules\none.md and docs\new\tests.md.",
            r"C:\dev\rules\none.md",
        ),
        (r"- docs\new\tests.md\nmade_up_name is next.", "made_up_name"),
    ],
)
def test_a_backslash_in_a_windows_path_begins_no_line(summary: str, names: str) -> None:
    assert nowhere(WINDOWS, summary) == names.split()
