"""The tables of the studies over real transcripts agree with the code."""

from pathlib import Path

import pytest

from core.strategies.registry import COMPACTION_STRATEGIES
from core.tokens.counter import counter_for
from tests.studies.corpus_tables import (
    BASELINE,
    RESULTS,
    TABLES,
    column,
    files,
    inspect_json,
    outcomes,
    page_with_table,
    paths,
    savings,
)
from tests.support.builders import conversation, exchange, human
from tests.support.markdown import block_of

with_corpus = pytest.mark.skipif(
    not files() or not paths(), reason="no corpus beside the project"
)


with_tokenizer = pytest.mark.skipif(
    not counter_for("").method.encoding, reason="no tokenizer table on this disk"
)
SAMPLE = [path for path in paths() if "large" not in path.name]


@with_corpus
@with_tokenizer
@pytest.mark.parametrize("mark", [mark for mark in TABLES if mark != "six"])
def test_the_table_is_as_it_says(mark: str) -> None:
    text = page_with_table(mark)
    assert RESULTS.read_text("utf-8") == text, (
        "write it with: python -m tests.studies.corpus_tables"
    )


@with_corpus
@with_tokenizer
@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.name)
def test_a_column_of_the_six_transcripts_is_as_it_says(path: Path) -> None:
    table = block_of(RESULTS.read_text("utf-8"), "six")
    rows = [
        line.strip("| ").split(" | ")
        for line in table.splitlines()
        if line.startswith("| ")
    ]
    assert [row[paths().index(path) + 1] for row in rows[2:]] == column(path)


@with_corpus
def test_every_file_is_known_by_its_content() -> None:
    folders = {"other": "vscode_chat_replay"}
    for path in files():
        assert inspect_json(path)["format"] == folders.get(
            path.parent.name, path.parent.name
        ), path


def test_each_pass_is_measured_alone() -> None:
    file = "line of a file\n" * 50
    included = f"see\n--- a.py ---\n{file}--- End of content ---\n"
    read = exchange("r", "read_file", file, path="b.py")
    wrote = exchange("w", "write_file", "ok", path="b.py")
    looked = [message for id in "1234" for message in exchange(id, "grep", file)]
    measured = savings(
        conversation(human(included), human(included), *read, *wrote, *looked),
        counter_for(""),
    )
    assert measured.messages == 14
    assert all(100 < saved < measured.tokens for saved in measured.passes)


@with_corpus
def test_every_strategy_does_something_and_no_result_is_refused() -> None:
    acted = {BASELINE}
    for path in SAMPLE:
        for name, one in outcomes(path).items():
            assert not one.faults, (path.name, name)
            if one.preview is not None and one.preview.result.compaction.no_op is None:
                acted.add(name)
    assert acted == set(COMPACTION_STRATEGIES)
