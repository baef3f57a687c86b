"""The density passes: read-write pruning (REQ-HD-005), file dedupe (-006) and recency pruning
(-007)."""

from dataclasses import replace
from itertools import chain

import pytest

from core.common.json_value import Json
from core.settings.schema import Mode
from core.strategies.base import DensityResult
from core.strategies.density import read_write_pruning
from core.strategies.density.optimize import apply_density, optimize_history
from core.strategies.density.recency_pruning import POINTER
from core.transcript.compaction import FateKind
from core.transcript.model import Message, Text, ToolCall, ToolResponse
from core.transcript.tool_kinds import REFERENCE_READS, REFERENCE_WRITES
from tests.core.strategies.strategy_running import density_settings
from tests.support.builders import ai, call, exchange, human, response, tool

FILE = "--- src/a.py ---\nold\n--- End of content ---"
LONG = "line\n" * 60


def only(
    pass_name: str, *messages: Message, mode: Mode = Mode.SAFE, retention: float = 1
) -> DensityResult:
    switches = dict.fromkeys(
        ("read_write_pruning", "file_dedupe", "recency_pruning"), False
    )
    config = density_settings(mode, **switches | {pass_name: True})
    return optimize_history(messages, replace(config, recency_retention=retention))


def text_of(message: Message) -> str:
    assert isinstance(message.blocks[0], Text)
    return message.blocks[0].text


@pytest.mark.req("REQ-HD-006.1", "REQ-HD-006.2", "REQ-HD-006.3")
@pytest.mark.parametrize("mode", Mode)
def test_the_older_inclusion_goes_and_the_text_around_it_stays(mode: Mode) -> None:
    result = only("file_dedupe", human(f"see\n{FILE}\nand fix"), human(FILE), mode=mode)
    assert list(result.replacements) == [0]
    assert text_of(result.replacements[0]) == "see\nand fix"
    assert result.counters.file_deduplications_pruned == 1


@pytest.mark.req("REQ-HD-006.5")
@pytest.mark.parametrize("mode", Mode)
def test_a_marker_without_its_partner_changes_nothing(mode: Mode) -> None:
    opened = "--- src/a.py ---\nno end"
    assert only("file_dedupe", human(opened), human(opened), mode=mode).is_empty


@pytest.mark.req("REQ-HD-007.1", "REQ-HD-007.2", "REQ-HD-007.3")
@pytest.mark.parametrize("mode", Mode)
def test_results_beyond_the_newest_of_their_tool_become_a_pointer(mode: Mode) -> None:
    messages = [tool(response(str(number), "grep", LONG)) for number in range(3)]
    result = only(
        "recency_pruning", *messages, tool(response("o", "bash", LONG)), mode=mode
    )
    assert sorted(result.replacements) == [0, 1]
    block = result.replacements[0].blocks[0]
    assert block == ToolResponse("0", "grep", POINTER)
    assert result.counters.recency_pruned == 2


@pytest.mark.req("REQ-HD-013.6")
def test_a_retention_below_one_is_one() -> None:
    messages = [tool(response(str(number), "grep", LONG)) for number in range(3)]
    assert sorted(only("recency_pruning", *messages, retention=-4).replacements) == [
        0,
        1,
    ]
    assert only("recency_pruning", *messages, retention=float("nan")).is_empty


@pytest.mark.req("REQ-HD-001.2", "REQ-HD-001.9")
def test_passes_build_on_each_other_and_leave_the_input_alone() -> None:
    messages = (
        *exchange("r1", "read_file", LONG, file_path="a"),
        *exchange("r2", "read_file", LONG, file_path="b"),
        *exchange("w", "write_file", "ok", file_path="a"),
        *exchange("r3", "read_file", LONG, file_path="c"),
    )
    result = optimize_history(messages, density_settings())
    assert sorted(result.removals) == [0, 1]
    assert list(result.replacements) == [3]
    assert not set(result.removals) & set(result.replacements)


@pytest.mark.req("REQ-HD-006.1")
def test_the_reference_finds_inclusions_by_javascripts_line_ends() -> None:
    text = "a\u2028--- \ufeffx ---\r\nold\r\n--- End of content ---\r\n"
    result = only("file_dedupe", human(text), human(text), mode=Mode.REFERENCE)
    assert text_of(result.replacements[0]) == "a\u2028\r\n"


READ = exchange("r", "read_file", "old text", file_path="/repo/a.py")
WRITE = exchange("w", "write_file", "done", file_path="/repo/a.py", content="new")


def pruned(
    *messages: Message, mode: Mode = Mode.SAFE, **switches: bool
) -> DensityResult:
    return optimize_history(
        messages, density_settings(mode, **{"recency_pruning": False} | switches)
    )


@pytest.mark.req("REQ-HD-005.1", "REQ-HD-005.6", "REQ-HD-001.8")
@pytest.mark.parametrize("mode", Mode)
def test_a_read_goes_with_its_response_when_the_file_is_written_later(
    mode: Mode,
) -> None:
    result = pruned(*READ, *WRITE, mode=mode)
    assert (sorted(result.removals), result.counters.read_write_pairs_pruned) == (
        [0, 1],
        1,
    )
    assert apply_density((*READ, *WRITE), result) == WRITE
    assert result.fates[0].kind is FateKind.PRUNED
    assert result.fates[0].last.links == (2,)


def test_after_a_cd_nobody_knows_what_a_relative_path_names() -> None:
    read = exchange("r", "bash", "old text", command="cat a.py")
    moved = exchange("c", "bash", "", command="make && cd src")
    assert sorted(pruned(*read, *WRITE).removals) == [0, 1]
    assert pruned(*moved, *read, *WRITE).is_empty


TINY = human('<file path="a.py">x</file>')
FOUND = tuple(tool(response(str(number), "grep", LONG)) for number in range(5))
SHORT_RESULTS: tuple[tuple[str, Json], ...] = (
    ("a", None),
    ("b", {"ok": 1}),
    ("c", []),
    ("d", "new"),
)
DEDUPE, RECENCY = "file_dedupe", "recency_pruning"


@pytest.mark.req("REQ-HD-005.7", "REQ-HD-005.10", "REQ-HD-006.3", "REQ-HD-006.4")
@pytest.mark.req("REQ-HD-007.1", "REQ-HD-007.6")
@pytest.mark.parametrize(
    ("switch", "messages"),
    [
        (RECENCY, (human(FILE), human(FILE))),
        (DEDUPE, FOUND),
        (DEDUPE, (*READ, *WRITE)),
        ("read_write_pruning", (*WRITE, *READ)),
        (DEDUPE, (TINY, human("and"), TINY)),
        (
            RECENCY,
            tuple(tool(response(id_, "t", result)) for id_, result in SHORT_RESULTS),
        ),  # fix RC-01
    ],
    ids=[
        "no dedupe",
        "no pointer",
        "no read pruning",
        "read last",
        "tiny file",
        "short results",
    ],
)
def test_nothing_goes_that_its_pass_is_not_for(
    switch: str, messages: tuple[Message, ...]
) -> None:
    assert only(switch, *messages).is_empty


@pytest.mark.req("REQ-HD-005.2", "REQ-HD-005.3")
@pytest.mark.parametrize("read", sorted(REFERENCE_READS - {"read_many_files"}))
@pytest.mark.parametrize("write", sorted(REFERENCE_WRITES))
def test_the_reference_knows_these_tools(read: str, write: str) -> None:
    messages = (
        *exchange("r", read, "x", file_path="a"),
        *exchange("w", write, "y", file_path="a"),
    )
    assert sorted(pruned(*messages, mode=Mode.REFERENCE).removals) == [0, 1]


@pytest.mark.req("REQ-HD-005.4")
def test_the_first_key_that_is_there_names_the_path() -> None:
    by_second = exchange("r", "read_file", "x", absolute_path="a", path="b")
    assert sorted(
        pruned(*by_second, *exchange("w", "write_file", "y", file_path="a")).removals
    ) == [0, 1]
    blocked = exchange("r", "read_file", "x", file_path="", path="a")
    assert pruned(*blocked, *exchange("w", "write_file", "y", file_path="a")).is_empty


@pytest.mark.req("REQ-HD-005.5", "REQ-HD-005.11")
def test_paths_are_resolved_against_the_workspace_and_keep_their_case() -> None:
    read = exchange("r", "read_file", "x", file_path="./src/../a.py")
    assert sorted(pruned(*read, *WRITE).removals) == [0, 1]
    other = exchange("r", "read_file", "x", file_path="A.py")
    assert pruned(*other, *WRITE).is_empty


@pytest.mark.req("REQ-HD-005.8")
def test_other_blocks_of_the_message_stay() -> None:
    both = ai("I look", call("read_file", "r", file_path="a"), call("bash", "b"))
    answers = tool(response("r"), response("b"))
    result = pruned(both, answers, *exchange("w", "write_file", "y", file_path="a"))
    assert not result.removals
    assert [len(result.replacements[index].blocks) for index in (0, 1)] == [2, 1]
    assert result.fates[0].kind is FateKind.EDITED


@pytest.mark.req("REQ-HD-005.9")
@pytest.mark.parametrize(
    ("paths", "gone"),
    [
        (["a", "b"], True),
        (["a", "c"], False),
        (["a", "*.py"], False),
        ([], False),
        ("a", False),
    ],
)
def test_a_read_of_many_files_goes_only_whole(paths: Json, gone: bool) -> None:
    read = exchange("m", "read_many_files", "x", paths=paths)
    writes = [exchange(f"w{path}", "write_file", "y", file_path=path) for path in "ab"]
    assert pruned(*read, *writes[0], *writes[1]).is_empty is not gone


@pytest.mark.req("REQ-HD-013.5")
@pytest.mark.parametrize("arguments", [None, "a", 3, [], {"file_path": 7}])
@pytest.mark.parametrize("mode", Mode)
def test_malformed_arguments_are_skipped(arguments: Json, mode: Mode) -> None:
    odd = (ai("", ToolCall("r", "read_file", arguments)), tool(response("r")))
    assert pruned(*odd, *WRITE, mode=mode).is_empty


def test_an_edit_prunes_only_a_read_that_it_replaced_whole() -> None:  # fix RW-02
    part = exchange(
        "r",
        "Read",
        "  12→def f():\n  13→    pass",
        file_path="/repo/a.py",
        offset=12,
        limit=2,
    )
    covering = exchange(
        "e",
        "Edit",
        "ok",
        file_path="/repo/a.py",
        old_string="x\ndef f():\n    pass\n",
        new_string="y",
    )
    other = exchange(
        "e", "Edit", "ok", file_path="/repo/a.py", old_string="z", new_string="y"
    )
    assert sorted(pruned(*part, *covering).removals) == [0, 1]
    assert pruned(*part, *other).is_empty
    assert pruned(
        *READ, *exchange("e", "replace", "ok", file_path="/repo/a.py", old_string="q")
    ).is_empty


def test_a_write_that_failed_or_was_never_answered_prunes_nothing() -> (
    None
):  # fix RW-01
    failed = (
        ai("", call("write_file", "w", file_path="/repo/a.py")),
        tool(response("w", error="denied")),
    )
    unanswered = (ai("", call("write_file", "w", file_path="/repo/a.py")),)
    for write in (failed, unanswered):
        assert pruned(*READ, *write).is_empty
        assert not pruned(*READ, *write, mode=Mode.REFERENCE).is_empty


def test_thinking_that_led_to_the_read_goes_with_it() -> None:  # fix RW-04
    read = ai("", call("read_file", "r", file_path="/repo/a.py"), thinking="let me see")
    result = pruned(read, tool(response("r")), *WRITE)
    assert sorted(result.removals) == [0, 1]


def test_an_id_used_again_prunes_its_own_turn_only() -> None:  # fix RW-05
    again = exchange("r", "bash", "kept", command="ls")
    result = pruned(*READ, *again, *WRITE)
    assert sorted(result.removals) == [0, 1]


def test_blank_lines_elsewhere_in_the_message_stay() -> None:  # fix FD-02
    result = only("file_dedupe", human(f"a\n\n\n\nb\n{FILE}"), human(FILE))
    assert text_of(result.replacements[0]).startswith("a\n\n\n\nb")


def test_a_block_that_was_only_the_file_says_where_it_is() -> None:  # fix FD-03
    result = only("file_dedupe", human(FILE), human(FILE))
    assert text_of(result.replacements[0]) == "[src/a.py is included again below]"


@pytest.mark.parametrize("mode", Mode)
def test_a_write_that_failed_stays_one_when_its_result_is_a_pointer(
    mode: Mode,
) -> None:  # fix RC-02
    """Otherwise the earlier read, the only copy, would be pruned on the next turn."""
    read = exchange("r", "read_file", LONG, file_path="a.py")
    write = exchange(
        "w",
        "write_file",
        f"Error: no space left on the device\n{LONG}",
        file_path="a.py",
    )
    later = exchange("v", "write_file", LONG, file_path="b.py")
    config = replace(density_settings(mode, recency_pruning=True), recency_retention=1)
    history = (*read, *write, *later)
    pruned = apply_density(history, optimize_history(history, config))
    left = apply_density(pruned, optimize_history(pruned, config))
    assert (read[1] in left) == (mode is Mode.SAFE)


def test_the_text_of_a_read_is_prepared_once_for_all_later_edits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else 20,000 messages about one file take fifty times as long."""
    looked: list[object] = []

    def text_of_result(result: object) -> str:
        looked.append(result)
        return "1→x"

    monkeypatch.setattr(read_write_pruning, "result_text", text_of_result)
    edits = (
        exchange(
            f"e{at}",
            "Edit",
            "ok",
            file_path="a.py",
            old_string=f"y{at}",
            new_string="z",
        )
        for at in range(9)
    )
    history = (
        *exchange("r", "Read", "1→x", file_path="a.py"),
        *chain.from_iterable(edits),
    )
    only("read_write_pruning", *history)
    assert len(looked) == 1
