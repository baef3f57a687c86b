"""No change that was refused is told as done."""

import pytest

from core.api import facts
from core.facts.model import FactKind
from tests.studies.refused_edits import REASONS, TOOLS, outputs, session, told_as_done

DONE = {
    "edit_file": "The file /srv/plum/src/part_0.py has been updated successfully.",
    "write_file": "File created successfully at: /srv/plum/src/part_0.py",
    "str_replace_editor": "The file /srv/plum/src/part_0.py has been edited. Here's the result:",
    "apply_patch": "Success. Updated the following files:\nM /srv/plum/src/part_0.py",
    "bash": "Exit code: 0\n",
}


@pytest.mark.parametrize("tool", TOOLS)
def test_no_refused_change_is_told_as_done(tool: str) -> None:
    answers = [outputs(language)[number * 7] for number, language in enumerate(REASONS)]
    assert (
        list(told_as_done(tool, answers, ("one-shot", "hybrid", "cline-basic"))) == []
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_a_change_that_the_tool_confirms_is_one(tool: str) -> None:
    found = facts(session(tool, [DONE[tool]])).of_kind(FactKind.FILE_CHANGED)
    assert [fact.text for fact in found] == ["/srv/plum/src/part_0.py"]


def test_a_change_without_a_known_outcome_has_the_first_words_of_its_result() -> None:
    said = "Der Hook hat den Aufruf gesperrt.\nMehr im Handbuch."
    (found,) = facts(session("edit_file", [said])).of_kind(FactKind.FILE_ASKED)
    assert (found.detail, found.output) == (
        "change asked for",
        "Der Hook hat den Aufruf gesperrt.",
    )
