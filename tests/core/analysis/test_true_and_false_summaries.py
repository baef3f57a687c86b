"""Faithful and false sentences about short sessions: the check finds an error in the false ones alone."""

from functools import cache

import pytest

from core.analysis.fidelity.contradictions import contradictions
from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.model import FactStatus, Fidelity
from core.analysis.fidelity.source_index import source_index
from core.common.paths import SAMPLES
from core.transcript.model import Message
from tests.builders import ai, exchange, human
from tests.core.analysis.fidelity_judging import fidelity, make_compaction, run
from tests.core.cli.running_cli import Cli
from tests.labelled.measuring import FITTED_SETS, errors, told_apart
from tests.labelled.reading import SummaryPair, summary_pairs

SEEN: tuple[SummaryPair, ...] = tuple(summary_pairs("seen"))
SESSION = SEEN[0].session
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


@pytest.mark.req("LOSS-2.3.7")
@pytest.mark.parametrize("text", [*FAITHFUL, "", "I'm sorry, but I can't help with that."])
def test_no_faithful_sentence_refusal_or_empty_text_is_an_error(text: str) -> None:
    assert errors(SESSION, text) == []


@pytest.mark.req("LOSS-2.3.7")
@pytest.mark.parametrize("of_set", FITTED_SETS)
def test_no_faithful_summary_is_an_error_and_false_ones_of_two_sets_are_told_apart(of_set: str) -> None:
    pairs = tuple(summary_pairs(of_set))
    told, false_errors = told_apart(pairs)
    assert false_errors == 0
    assert told >= 0.9 * len(pairs) or of_set not in ("seen", "hidden")


WRITTEN_BY_AGENTS = (
    (ai("Still to do:\n- [ ] Oil the boards\n- [ ] Mount the shelf"), "Boards oiled: done."),
    (
        ai("What would you like to change before we start with the roof questions?"),
        "First question was rejected by the user who wanted a change.",
    ),
    (human("Always show the key on the page."), "The user chose the page to show the key (not the dialog)."),
    (ai("The barn has a long ladder."), "Confirmed the barn has a long ladder already, the shed does not."),
    (human("TypeError: tree view needs a provider"), "Fixed by rendering the tree view with its parts."),
)
"""What summaries of recorded compactions say in other words, each once called an error."""


@pytest.mark.req("LOSS-2.3.7")
@pytest.mark.parametrize(("message", "summary"), WRITTEN_BY_AGENTS)
def test_what_agents_write_at_a_compaction_is_no_error(message: Message, summary: str) -> None:
    assert errors((human("Go on."), message), summary) == []


@pytest.mark.req("LOSS-2.3.3")
@pytest.mark.parametrize(
    ("summary", "is_error"),
    [("We updated the `barn/roof.json`.", True), ("We updated the gate: it finds `barn/roof.json`.", False)],
)
def test_a_file_that_was_read_is_called_changed_only_by_a_verb_beside_it(
    summary: str, is_error: bool
) -> None:
    read = exchange("1", "Read", "{}", file_path="/work/barn/roof.json")
    assert bool(errors((human("Go on."), *read), summary)) is is_error


@pytest.mark.req("LOSS-2.3.4")
@pytest.mark.parametrize(
    ("later", "is_error"),
    [((), True), (exchange("2", "Bash", "ok  \tbarn/roof", command="go test ./..."), False)],
    ids=["failed", "passed later"],
)
def test_that_all_tests_pass_is_an_error_while_no_run_passed_after_a_failed_one(
    later: tuple[Message, ...], is_error: bool
) -> None:
    failed = exchange("1", "Bash", "--- FAIL: TestRoof (0.2s)\nFAIL\nexit code 1", command="mise run test")
    assert bool(errors((human("Mend the roof."), *failed, *later), "All tests pass.")) is is_error


@pytest.mark.req("LOSS-2.3.7")
def test_a_paraphrase_is_worth_more_than_its_words_in_a_row() -> None:
    faithful = " ".join(pair.faithful for pair in SEEN if pair.topic not in ("language", "invented"))
    assert (judged(faithful).weighted or 0) > (judged(SOUP).weighted or 0)


@pytest.mark.req("LOSS-2.3.6")
def test_what_is_said_in_another_language_is_neither_hit_nor_error() -> None:
    statuses = {
        one.status for one in judged("Der Import verliert seit Dienstag Zeilen und ist nicht gut.").facts
    }
    assert FactStatus.UNCLEAR in statuses


@pytest.mark.parametrize("strategy", ["claude-code", "one-shot", "middle-out", "pinned-hybrid"])
def test_no_offline_summary_contradicts_its_source(strategy: str, cli: Cli) -> None:
    found = cli.json("compact", str(SAMPLES / "fix-flaky-upload.jsonl"), "-s", strategy)["fidelity"]["lost"]
    assert [one["text"] for one in found if one.get("flipped")] == []


SHORT_SESSION: tuple[Message, ...] = (
    human("Round tables seat 8, the head table 6. Hall 3 is closed on Sunday. Greta says 55 is enough."),
    human(
        "You may water the roses, but leave the orchids alone. Never add sugar to the tea, not even brown."
    ),
    ai("I went with oak instead of pine, since oak was in stock."),
    ai("Next: sand the boards, oil them, then mount the shelf."),
    human("The fair is on 9 June. Dogs sleep in the barn."),
    human("Sorry, the fair moved to 12 June. And forget the thing about dogs."),
    *run("make shelf", "ShelfError: plank 7 too short", failed=True),
)
PAIRS = (
    ("Seats: 8 at round tables, 6 at the head table.", "Seats: 6 at round tables, 8 at the head table."),
    ("Sugar, brown included, stays out of the tea.", "Brown sugar is fine in the tea."),
    ("Roses may be watered; the orchids stay.", "Orchids may be watered; the roses stay."),
    ("Oak was preferred to pine.", "Pine was preferred to oak."),
    ("To do: sand, oil, mount.", "To do: mount the shelf, oil them, sand the boards."),
    ("Plank 7 is still too short.", "The fault of plank 7, too short, is fixed."),
)


def _is_contradicted(summary: str) -> bool:
    found = fidelity(SHORT_SESSION, summary=summary)
    return any(fact.is_negated for fact in found.facts)


@pytest.mark.req("LOSS-2.3.2", "LOSS-2.3.4", "LOSS-2.3.5")
@pytest.mark.parametrize(("faithful", "false"), PAIRS)
def test_the_false_sentence_alone_is_an_error(faithful: str, false: str) -> None:
    assert not _is_contradicted(faithful)
    assert _is_contradicted(false)


def test_what_the_source_says_word_for_word_contradicts_nothing() -> None:
    said = "The fair is on 9 June."
    assert not list(contradictions(SHORT_SESSION, [(0, said)], source_index(SHORT_SESSION, [said])))


def test_output_with_places_of_code_binds_no_values() -> None:
    session = run("ls", "hooks.go:470: gemini hook\nFile 'a.py', line 3, in <module>")
    assert not list(
        contradictions(session, [(0, "The gemini hook is number 471.")], source_index(session, ["471"]))
    )
