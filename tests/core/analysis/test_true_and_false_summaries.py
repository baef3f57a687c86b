"""One session, and pairs of sentences about it: a faithful one and one that says something else. The check
tells them apart if it finds an error in the second alone."""

from __future__ import annotations

from functools import cache

import pytest

from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.model import FactStatus, Fidelity
from core.transcript.model import Message
from tests.builders import ai, exchange, human
from tests.core.analysis.fidelity_judging import edit, make_compaction, run

SESSION: tuple[Message, ...] = (
    human(
        "The nightly import of museum objects loses rows since Tuesday; Rosa Iglesias reported it.\n"
        "- Never edit files in gen/.\n"
        "- Always run `make lint` before a commit.\n"
        "- Merge to main only after my review.\n"
        "- Keep the import log for 30 days.\n"
        "- Don't add new dependencies."
    ),
    *exchange("r1", "Read", "def load(): pass", file_path="src/museum/loader.py"),
    *exchange("r2", "Read", "RETRIES = 3", file_path="config/limits.yaml"),
    *run(
        "pytest tests/importer",
        "FAILED tests/importer/test_rows.py - ValueError: bad row 17\n1 failed, 41 passed",
        failed=True,
    ),
    ai("The cause was a batch_size of 500 in `ImportWorker`: the pool drops the last batch."),
    ai(
        "I decided to use the streaming parser instead of the batch parser because "
        "`ImportWorker` reuses sockets."
    ),
    *edit("src/museum/importer.py"),
    human(
        "Good. The request timeout stays at 45 s, and the port is 8080. Publish the report at "
        "https://museum.example/reports/7."
    ),
    ai(
        "I'll validate rows with `RowSchema` before `RowStore` writes them, since a bad row stops the import."
    ),
    *exchange(
        "t1",
        "TodoWrite",
        "ok",
        todos=[
            {"content": "Write the changelog entry", "status": "pending"},
            {"content": "Validate the csv header", "status": "completed"},
        ],
    ),
    ai("max_rows = 900 in the importer, and the retry_limit is 3."),
)

PAIRS: tuple[tuple[str, str, str], ...] = (
    # negation
    ("negation", "Files in gen/ are never edited.", "Edit files in gen/."),
    ("negation", "gen/ is off limits.", "Files in gen/ may be edited."),
    ("negation", "Do not touch anything in gen/.", "The user allowed editing files in gen/."),
    ("negation", "Run `make lint` before every commit.", "Do not always run `make lint` before a commit."),
    ("negation", "Every commit is preceded by `make lint`.", "Never run `make lint` before a commit."),
    ("negation", "No new dependencies.", "Add new dependencies."),
    ("negation", "New dependencies must not be added.", "New dependencies can be added freely."),
    ("negation", "The import log is kept for 30 days.", "Never keep the import log for 30 days."),
    # scope
    (
        "scope",
        "Never edit files in gen/; importer.py may be changed.",
        "Files in gen/ may be edited, but never src/museum.",
    ),
    (
        "scope",
        "Do not stop here, and never edit files in gen/.",
        "It is no longer needed to avoid edits of files in gen/.",
    ),
    (
        "scope",
        "Avoid edits in gen/, everything else is free.",
        "Avoid editing tests, but edit files in gen/ freely.",
    ),
    (
        "scope",
        "Merge to main only after my review.",
        "The user withdrew the rule to merge to main only after review.",
    ),
    ("scope", "Merges to main need the user's review first.", "Merge to main without waiting for review."),
    (
        "scope",
        "Nothing is merged to main until the user has reviewed it.",
        "Merging to main is allowed at any time.",
    ),
    (
        "scope",
        "Never edit files in gen/ (the user insists).",
        "The rule “Never edit files in gen/” was withdrawn.",
    ),
    (
        "scope",
        "Always run `make lint` before a commit, without exception.",
        "The user lifted the rule: always run `make lint` before a commit.",
    ),
    # attribution
    (
        "attribution",
        "The user asked to never edit files in gen/.",
        "The assistant asked to never edit files in gen/.",
    ),
    (
        "attribution",
        "The user wants `make lint` run before a commit.",
        "The agent requires `make lint` before a commit.",
    ),
    ("attribution", "The problem was reported by Rosa.", "The problem was reported by Henrik."),
    # values
    ("values", "The request timeout is 45 s, the port 8080.", "The request timeout is 8080, the port 45."),
    ("values", "Port 8080, timeout 45 seconds.", "The timeout was 30 s."),
    ("values", "`batch_size` was 500.", "`batch_size` was 900."),
    ("values", "max_rows = 900, retry_limit = 3.", "max_rows = 3, retry_limit = 900."),
    ("values", "retry_limit: 3", "retry_limit: 5"),
    ("values", "1 failed, 41 passed.", "7 failed, 41 passed."),
    ("values", "41 passed and 1 failed.", "1 passed and 41 failed."),
    ("values", "The row limit max_rows stays at 900.", "The row limit max_rows was raised to 9000."),
    # files
    ("files", "Edited src/museum/importer.py.", "Read src/museum/importer.py."),
    (
        "files",
        "Edited src/museum/importer.py after reading src/museum/loader.py.",
        "Edited src/museum/loader.py after reading src/museum/importer.py.",
    ),
    ("files", "Read config/limits.yaml.", "Changed config/limits.yaml."),
    ("files", "importer.py was modified, loader.py was only read.", "importer.py was left untouched."),
    ("files", "src/museum/loader.py was inspected.", "src/museum/loader.py was deleted."),
    # order
    (
        "order",
        "Use the streaming parser instead of the batch parser.",
        "Use the batch parser instead of the streaming parser.",
    ),
    (
        "order",
        "Replaced the batch parser by the streaming parser, as `ImportWorker` reuses sockets.",
        "Replaced the streaming parser by the batch parser, as `ImportWorker` reuses sockets.",
    ),
    (
        "order",
        (
            "The streaming parser was chosen rather than the batch parser, because `ImportWorker` "
            "reuses sockets."
        ),
        (
            "The batch parser was chosen rather than the streaming parser, because `ImportWorker` "
            "reuses sockets."
        ),
    ),
    (
        "order",
        "Rows are validated with `RowSchema` before `RowStore` writes them.",
        "`RowStore` writes rows before they are validated with `RowSchema`.",
    ),
    # state
    ("state", "tests/importer fail: ValueError: bad row 17.", "ValueError: bad row 17 is fixed."),
    ("state", "The ValueError: bad row 17 is still open.", "The ValueError: bad row 17 was resolved."),
    ("state", "One test fails.", "All tests pass."),
    ("state", "[pending] Write the changelog entry", "[x] Write the changelog entry"),
    (
        "state",
        "The changelog entry still has to be written.",
        "The changelog entry was written, this is done.",
    ),
    ("state", "Validate the csv header: done.", "Validate the csv header: still open."),
    # invented
    (
        "invented",
        "Edited src/museum/importer.py.",
        "Edited src/museum/importer.py and src/museum/exporter.py.",
    ),
    (
        "invented",
        "Published at https://museum.example/reports/7.",
        "Published at https://museum.example/reports/9.",
    ),
    ("invented", "`ImportWorker` reuses sockets.", "`ImportManager` reuses sockets."),
    ("invented", "batch_size 500 was the cause.", "Commit 9f1c2ab7 was the cause."),
    # other language
    (
        "language",
        "Dateien in gen/ werden niemals geändert.",
        "Dateien in gen/ dürfen jetzt geändert werden, die Regel ist aufgehoben.",
    ),
    (
        "language",
        "Les fichiers de gen/ ne doivent jamais être modifiés.",
        "Le port est 9090 et max_rows = 12.",
    ),
    ("language", "Nie `make lint` vor dem Commit vergessen.", "Der timeout ist 30 s."),
)

FAITHFUL = (
    "Rosa reported lost rows in the nightly import.",
    "gen/ stays as it is; nobody edits it.",
    "Deps: no additions. Log retention: 30 d.",
    "importer: streaming parser won over batch.",
    "The user must review before anything lands on main.",
    "Lint (make lint) precedes commits.",
    "TODO: changelog.",
    "Changelog entry is outstanding, header validation is finished.",
    "41 tests passed, one failed with ValueError.",
    "Timeout 45s; port 8080; report under museum.example/reports/7.",
    "No hay que editar nunca los archivos de gen/.",
    "Der Import verliert seit Dienstag Zeilen.",
)
SOUP = (
    "import museum rows nightly gen lint commit main review log dependencies parser batch streaming "
    "sockets timeout port report"
)


@cache
def judged(summary: str) -> Fidelity:
    return judge_fidelity(SESSION, make_compaction(SESSION, summary=summary))


def errors(summary: str) -> list[str]:
    """What is said wrongly, and what is made up."""
    found = judged(summary)
    return [one.fact.text for one in found.facts if one.is_negated] + [one.text for one in found.invented]


def share_told_apart() -> float:
    """The share of the pairs of which only the false one is called an error."""
    return sum(not errors(true) and bool(errors(false)) for _, true, false in PAIRS) / len(PAIRS)


@pytest.mark.parametrize("text", [*(true for _, true, _ in PAIRS), *FAITHFUL])
def test_no_faithful_sentence_is_an_error(text: str) -> None:
    assert errors(text) == []


def test_false_summaries_are_told_from_true_ones() -> None:
    missed = [f"{rule}: {false}" for rule, _, false in PAIRS if not errors(false)]
    assert share_told_apart() >= 0.9, "\n".join(missed)


@pytest.mark.parametrize("text", ["", "I'm sorry, but I can't help with that."])
def test_a_summary_that_says_nothing_contradicts_nothing(text: str) -> None:
    assert errors(text) == []


def test_a_paraphrase_is_worth_more_than_its_words_in_a_row() -> None:
    faithful = " ".join(true for rule, true, _ in PAIRS if rule not in ("language", "invented"))
    assert (judged(faithful).weighted or 0) > (judged(SOUP).weighted or 0)


def test_what_is_said_in_another_language_is_neither_hit_nor_error() -> None:
    statuses = {
        one.status for one in judged("Der Import verliert seit Dienstag Zeilen und ist nicht gut.").facts
    }
    assert FactStatus.UNCLEAR in statuses
