"""Lists of facts made by hand: they hold no text, are matched by rules, and the help has the
figures."""

import re

import pytest

from core.facts.model import Fact, FactKind
from tests.studies.facts_study import (
    FOLDER,
    LONGEST,
    PAGE,
    digest,
    means,
    parts_of,
    read_labels,
    rows,
    words_of,
)
from tests.studies.test_corpus import with_corpus
from tests.support.markdown import markdown

_KINDS = "rule|decision|todo|error|command|changed|path|url|name|number"
_DIGEST = r"\d+-[0-9a-f]{8}"
_LABEL = rf"[!+~](?:message|(?:{_KINDS}):{_DIGEST}(?:,{_DIGEST})*)"
_LINE = re.compile(rf"|[\w/.-]+ \d+-\d+(?: \d+ \d+)?|@\d+(?: {_LABEL})+")
RULE = (
    "Never write to the production database from a script that nobody has read before"
)


def fact(kind: FactKind, text: str, first: int = 0) -> Fact:
    return Fact(kind=kind, key=text, text=text, first=first, last=first)


def test_the_lists_are_few_and_hold_no_text() -> None:
    lines = [
        line
        for path in FOLDER.glob("*.txt")
        for line in path.read_text("ascii").splitlines()
    ]
    assert len(list(FOLDER.iterdir())) <= 6
    assert len(lines) <= 700
    assert [line for line in lines if not _LINE.fullmatch(line)] == []


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        (f"First of all: {RULE}, please.", True),
        ("Never write to the staging database.", False),
    ],
)
def test_a_quote_is_met_by_its_first_words_inside_a_fact(
    text: str, is_meant: bool
) -> None:
    (label,) = read_labels(f"@3 !rule:{LONGEST}-{digest(words_of(RULE)[:LONGEST])}")
    assert means(label, fact(FactKind.INSTRUCTION, text)) is is_meant
    assert not means(label, fact(FactKind.COMMAND, text))


@pytest.mark.parametrize(
    ("path", "is_meant"),
    [
        ("/srv/app/src/a.py", True),
        ("src/a.py", True),
        ("/srv/b/src/a.py", False),
        ("a.py", False),
    ],
)
def test_a_file_is_met_by_its_path_or_an_end_of_it(path: str, is_meant: bool) -> None:
    whole, end = parts_of("app/src/a.py"), parts_of("src/a.py")
    (label,) = read_labels(
        f"@3 !changed:{len(whole)}-{digest(whole)},{len(end)}-{digest(end)}"
    )
    assert means(label, fact(FactKind.FILE_CHANGED, path)) is is_meant


def test_a_message_is_met_at_its_place() -> None:
    (label,) = read_labels("@43 !message")
    assert means(label, fact(FactKind.YOUR_MESSAGE, "Go.", 3), 40)
    assert not means(label, fact(FactKind.YOUR_MESSAGE, "Go.", 4), 40)


@with_corpus
@pytest.mark.req("LOSS-2.2.1", "LOSS-2.2.2")
def test_the_table_is_as_it_says() -> None:
    table = markdown(("what", "figure"), list(rows()))
    assert table in PAGE.read_text("utf-8"), (
        "write it with: python -m tests.studies.facts_study"
    )
    assert re.search(r"your messages.*\| (\d+) of \1 \(100 %\); (\d+) of \2 ", table)
