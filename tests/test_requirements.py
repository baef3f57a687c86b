"""Every requirement has a test with its id, or is in the list of open ones."""

import ast
import csv
import re
from collections.abc import Iterator
from functools import cache

from tests.support.source_tree import ROOT, files, tree

MOST_OPEN = 0
"""How many requirements were owed when this number was last lowered. It is never raised, except by
the change that first writes the ids of another document."""

ID = re.compile(
    r"^(?:REQ-(?:CS|HD)-\d{3}[A-Z]?\.\d+|(?:ION|LH)-\d{2}|LOSS-\d\.\d(?:\.\d)?|(?:EXC|NEED|BACK|JUDGE|REPAIR|TUNE)-\d)$"
)
ROW = re.compile(r"^- (\S+?)(?::\s+(.+))?$", re.MULTILINE)


@cache
def table() -> dict[str, tuple[str, str]]:
    with (ROOT / "tests" / "requirements.tsv").open(
        encoding="utf-8", newline=""
    ) as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    found = {row["id"]: (row["sentence"], row["source"]) for row in rows}
    assert len(found) == len(rows), "an id stands twice in the table"
    return found


@cache
def shown() -> frozenset[str]:
    return frozenset(id for path in files("tests") for id in marked(tree(path)))


def marked(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.req":
            yield from (str(ast.literal_eval(argument)) for argument in node.args)


@cache
def listed() -> tuple[frozenset[str], dict[str, str]]:
    text = (ROOT / "tests" / "requirements_open.md").read_text("utf-8")
    owed, _, foreign = text.partition("## Not applicable")
    reasons = {id: reason for id, reason in ROW.findall(foreign)}
    return frozenset(id for id, _ in ROW.findall(owed)), reasons


def test_the_table_is_well_formed() -> None:
    assert len(table()) >= 330
    for id, (sentence, source) in table().items():
        assert ID.match(id), id
        assert sentence.endswith("."), id
        assert source, id


def test_tests_carry_known_ids_only() -> None:
    assert sorted(shown() - set(table())) == []


def test_every_requirement_is_shown_or_listed() -> None:
    owed, foreign = listed()
    assert sorted(set(table()) - shown() - owed - set(foreign)) == []


def test_nothing_is_listed_that_a_test_shows() -> None:
    owed, foreign = listed()
    assert sorted((owed | set(foreign)) & shown()) == []
    assert sorted((owed | set(foreign)) - set(table())) == []
    assert not owed & set(foreign)


def test_what_does_not_apply_has_a_reason() -> None:
    assert all(reason.endswith(".") for reason in listed()[1].values())


def test_the_list_only_shrinks() -> None:
    assert len(listed()[0]) <= MOST_OPEN
