"""The help's table of real transcripts agrees with ``foldline inspect``."""

from __future__ import annotations

import pytest

from tests import corpus_census
from tests.corpus_census import PAGE, files, inspect_json, page_with_table

with_corpus = pytest.mark.skipif(not files(), reason="no corpus beside the project")


@with_corpus
def test_the_table_of_real_transcripts_is_as_it_says() -> None:
    text = PAGE.read_text("utf-8")
    assert page_with_table(text) == text, f"write it with: python -m {corpus_census.__name__}"


def _folder(name: str) -> str:
    return {"other": "vscode_chat_replay"}.get(name, name)


@with_corpus
def test_every_file_is_known_by_its_content() -> None:
    wrong = [path.name for path in files() if inspect_json(path)["format"] != _folder(path.parent.name)]
    assert not wrong
