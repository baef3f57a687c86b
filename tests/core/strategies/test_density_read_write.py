"""Read-write pruning: which reads become stale, and which do not (REQ-HD-005)."""

from __future__ import annotations

import pytest

from core.common.json_value import Json
from core.settings.schema import Mode
from core.strategies.base import DensityResult
from core.strategies.density.optimize import apply_density, optimize_history
from core.transcript.compaction import FateKind
from core.transcript.model import Message
from core.transcript.tool_kinds import REFERENCE_READS, REFERENCE_WRITES
from tests.builders import ai, call, exchange, response, tool
from tests.core.strategies.strategy_running import density_config

READ = exchange("r", "read_file", "old text", file_path="/repo/a.py")
WRITE = exchange("w", "write_file", "done", file_path="/repo/a.py", content="new")


def pruned(*messages: Message, mode: Mode = Mode.SAFE, **switches: bool) -> DensityResult:
    return optimize_history(messages, density_config(mode, **{"recency_pruning": False} | switches))


@pytest.mark.req("REQ-HD-005.1", "REQ-HD-005.6", "REQ-HD-001.8")
@pytest.mark.parametrize("mode", Mode)
def test_a_read_goes_with_its_response_when_the_file_is_written_later(mode: Mode) -> None:
    result = pruned(*READ, *WRITE, mode=mode)
    assert (sorted(result.removals), result.counters.read_write_pairs_pruned) == ([0, 1], 1)
    assert apply_density((*READ, *WRITE), result) == WRITE
    assert result.fates[0].kind is FateKind.PRUNED
    assert result.fates[0].last.links == (2,)


@pytest.mark.req("REQ-HD-005.7")
def test_a_read_after_the_last_write_stays() -> None:
    assert pruned(*WRITE, *READ).is_empty


@pytest.mark.req("REQ-HD-005.10")
def test_nothing_goes_while_the_switch_is_off() -> None:
    assert pruned(*READ, *WRITE, read_write_pruning=False).is_empty


@pytest.mark.req("REQ-HD-005.2", "REQ-HD-005.3")
@pytest.mark.parametrize("read", sorted(REFERENCE_READS - {"read_many_files"}))
@pytest.mark.parametrize("write", sorted(REFERENCE_WRITES))
def test_the_reference_knows_these_tools(read: str, write: str) -> None:
    messages = (*exchange("r", read, "x", file_path="a"), *exchange("w", write, "y", file_path="a"))
    assert sorted(pruned(*messages, mode=Mode.REFERENCE).removals) == [0, 1]


@pytest.mark.req("REQ-HD-005.4")
def test_the_first_key_that_is_there_names_the_path() -> None:
    by_second = exchange("r", "read_file", "x", absolute_path="a", path="b")
    assert sorted(pruned(*by_second, *exchange("w", "write_file", "y", file_path="a")).removals) == [0, 1]
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
    [(["a", "b"], True), (["a", "c"], False), (["a", "*.py"], False), ([], False), ("a", False)],
)
def test_a_read_of_many_files_goes_only_whole(paths: Json, gone: bool) -> None:
    read = exchange("m", "read_many_files", "x", paths=paths)
    writes = [exchange(f"w{path}", "write_file", "y", file_path=path) for path in "ab"]
    assert pruned(*read, *writes[0], *writes[1]).is_empty is not gone


@pytest.mark.req("REQ-HD-013.5")
@pytest.mark.parametrize("arguments", [None, "a", 3, [], {"file_path": 7}])
@pytest.mark.parametrize("mode", Mode)
def test_malformed_arguments_are_skipped(arguments: Json, mode: Mode) -> None:
    from core.transcript.model import ToolCall

    odd = (ai("", ToolCall("r", "read_file", arguments)), tool(response("r")))
    assert pruned(*odd, *WRITE, mode=mode).is_empty


def test_a_write_that_failed_or_was_never_answered_prunes_nothing() -> None:  # fix RW-01
    failed = ai("", call("write_file", "w", file_path="/repo/a.py")), tool(response("w", error="denied"))
    unanswered = (ai("", call("write_file", "w", file_path="/repo/a.py")),)
    for write in (failed, unanswered):
        assert pruned(*READ, *write).is_empty
        assert not pruned(*READ, *write, mode=Mode.REFERENCE).is_empty


def test_an_edit_prunes_only_a_read_that_it_replaced_whole() -> None:  # fix RW-02
    part = exchange("r", "Read", "  12→def f():\n  13→    pass", file_path="/repo/a.py", offset=12, limit=2)
    covering = exchange(
        "e", "Edit", "ok", file_path="/repo/a.py", old_string="x\ndef f():\n    pass\n", new_string="y"
    )
    other = exchange("e", "Edit", "ok", file_path="/repo/a.py", old_string="z", new_string="y")
    assert sorted(pruned(*part, *covering).removals) == [0, 1]
    assert pruned(*part, *other).is_empty
    assert pruned(*READ, *exchange("e", "replace", "ok", file_path="/repo/a.py", old_string="q")).is_empty


@pytest.mark.parametrize(
    ("read", "write"),
    [
        (("Read", {"file_path": "a"}), ("Write", {"file_path": "a"})),
        (
            ("str_replace_based_edit_tool", {"command": "view", "path": "a"}),
            ("str_replace_based_edit_tool", {"command": "create", "path": "a"}),
        ),
        (
            ("read_file", {"path": "a"}),
            ("apply_patch", {"input": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}),
        ),
    ],
)
def test_the_tools_of_other_agents_are_known(
    read: tuple[str, Json], write: tuple[str, Json]
) -> None:  # fix RW-03
    messages = (
        ai("", call(read[0], "r", **read[1])),
        tool(response("r")),
        ai("", call(write[0], "w", **write[1])),
        tool(response("w")),
    )
    assert sorted(pruned(*messages).removals) == [0, 1]


def test_thinking_that_led_to_the_read_goes_with_it() -> None:  # fix RW-04
    read = ai("", call("read_file", "r", file_path="/repo/a.py"), thinking="let me see")
    result = pruned(read, tool(response("r")), *WRITE)
    assert sorted(result.removals) == [0, 1]


def test_an_id_used_again_prunes_its_own_turn_only() -> None:  # fix RW-05
    again = exchange("r", "bash", "kept", command="ls")
    result = pruned(*READ, *again, *WRITE)
    assert sorted(result.removals) == [0, 1]
