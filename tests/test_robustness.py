"""The page of faults names existing tests, and every fault has one."""

import ast
import re

import pytest

from core.common import toml_file
from core.common.crash_report import MAX_REPORTS
from core.formats.common import compressed_files
from core.formats.common.json_parsing import MAX_DEPTH
from tests.support.source_tree import ROOT, nodes

PAGE = (ROOT / "tests" / "robustness.md").read_text("utf-8")
ROWS = [
    line
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| fault", "| ---"))
]
FAULTS = [line for line in ROWS if "::" in line]
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)` \|$")


def test_every_fault_has_a_test() -> None:
    section = PAGE[PAGE.index("## Faults") : PAGE.index("## Fuzzing")]
    rows = [line for line in ROWS if line in section]
    assert len(rows) > 30
    assert [row for row in rows if _TEST.search(row) is None] == []
    assert all(row.count(" | ") == 4 for row in rows)


@pytest.mark.parametrize("row", FAULTS, ids=lambda row: row.split("|")[1].strip())
def test_the_test_of_a_fault_exists(row: str) -> None:
    found = _TEST.search(row)
    assert found is not None
    path, name = found.groups()
    names = {
        node.name for node in nodes(ROOT / path) if isinstance(node, ast.FunctionDef)
    }
    assert name in names, path


def test_the_limits_that_are_promised_are_those_of_the_code() -> None:
    text = " ".join((ROOT / "SECURITY.md").read_text("utf-8").split())
    for limit in (
        f"beyond {compressed_files.MAX_UNPACKED_SIZE >> 30} GB, or a thousandfold above "
        f"{compressed_files.RATIO_CHECK_SIZE >> 20} MB",
        f"a line above {compressed_files.MAX_LINE_SIZE >> 20} MB, except for the first two lines",
        f"a cell of a database above {compressed_files.MAX_LINE_SIZE >> 20} MB; ",
        f"file above {compressed_files.MAX_JSON_SIZE >> 30} GB that is one JSON value",
        f"packed content above {compressed_files.MAX_SIZE_IN_MEMORY >> 20} MB",
        (
            f"JSON deeper than {MAX_DEPTH} levels; settings above "
            f"{toml_file.MAX_BYTES // 1_000_000} MB"
        ),
    ):
        assert limit in text
    assert "the twenty newest" in text
    assert (compressed_files.MAX_RATIO, MAX_REPORTS) == (1_000, 20)


def test_the_promises_are_where_people_look_for_them() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    assert "## Reporting" in text
    assert "@" not in text  # no address was invented
