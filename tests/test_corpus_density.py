"""The help's table of savings agrees with the density passes on real transcripts."""

from __future__ import annotations

import pytest

from core.tokens.counter import counter_for
from tests import corpus_density
from tests.builders import conversation, exchange, human
from tests.corpus_census import files
from tests.corpus_density import PAGE, page_with_table, savings

with_corpus = pytest.mark.skipif(not files(), reason="no corpus beside the project")


@with_corpus
def test_the_table_of_savings_is_as_it_says() -> None:
    if not counter_for("").method.encoding:
        pytest.skip("no tokenizer table on this disk, so tokens are counted otherwise")
    text = PAGE.read_text("utf-8")
    assert page_with_table(text) == text, f"write it with: python -m {corpus_density.__name__}"


def test_each_pass_is_measured_alone() -> None:
    file = "line of a file\n" * 50
    included = f"see\n--- a.py ---\n{file}--- End of content ---\n"
    read = exchange("r", "read_file", file, path="b.py")
    wrote = exchange("w", "write_file", "ok", path="b.py")
    looked = [message for id in "1234" for message in exchange(id, "grep", file)]
    measured = savings(
        conversation(human(included), human(included), *read, *wrote, *looked), counter_for("")
    )
    assert measured.messages == 14
    assert all(100 < saved < measured.tokens for saved in measured.passes)
