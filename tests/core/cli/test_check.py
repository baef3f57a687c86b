"""``foldline check``: what later turns needed, what is gone, and what must survive."""

import json
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from core.analysis.analysis_input import AnalysisInput
from core.api import check
from core.cli.check import print_checked
from core.cli.checked_files import CheckWork
from core.cli.output.check_reports import CheckedFile
from core.common.json_value import Json
from core.formats.registry import load_conversation
from core.preview.options import PreviewOptions
from core.settings_store.profile_store import ProfileStore
from core.trials.past import part_at_share
from core.trials.run import run_trial
from core.trials.trial import Depth
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.core.cli.test_ask_command import quoting
from tests.core.cli.test_cli_model import PAID, local
from tests.core.losses.test_judge import Answer, judging, says
from tests.core.strategies.strategy_running import values
from tests.support.loopback import REFUSED, Reply

ROWS = ("-s", "top-down-truncation", "--set", "compression.context-limit=2000")


def _messages(*texts: str) -> list[dict[str, Json]]:
    return [
        {"role": "assistant" if at % 2 else "user", "content": text}
        for at, text in enumerate(texts)
    ]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Nine long exchanges, each with a file of its own; the last names two of the first again."""
    texts: list[str] = []
    for number in range(9):
        request = f"Look at src/part_{number}.py. Never touch lib/db.py. "
        texts += [
            request + "word " * 300,
            f"I have read src/part_{number}.py. " + "text " * 300,
        ]
    path = tmp_path / "session.json"
    texts += ["Go on.", "Now src/part_0.py and src/part_1.py are mended."]
    path.write_text(json.dumps(_messages(*texts)))
    return path


def test_a_session_that_fails_is_one_sentence_and_exit_code_1(
    cli: Cli, session: Path
) -> None:
    assert cli.run("check", str(session), *ROWS) == 1
    figures, sentence, *gone, end = cli.out.splitlines()
    assert figures.startswith(f"failed: {session}: ")
    assert sentence.startswith(f"{session}: later turns used ")
    assert sentence.endswith("still there; --min-needed asks for 70 %.")
    assert gone[0].startswith("  needed, and gone: ")
    assert "src/part_0.py" in " ".join(gone)
    assert end == "failed: top-down-truncation: 1 of 1 session failed."
    words = ("check", str(session), *ROWS, "--min-needed", "0")
    assert (cli.run(*words), cli.run(*words, "--max-lost", "0")) == (0, 1)
    assert " losses; --max-lost allows 0." in cli.out


def test_json_names_what_is_missing(cli: Cli, session: Path) -> None:
    found = cli.json("check", str(session), *ROWS)
    assert cli.code == 1
    assert (found["schema"], found["passed"]) == ("check/3", False)
    (file,) = found["files"]
    assert file["kept"] + len(file["missing"]) == file["needed"]
    assert {"src/part_0.py", "src/part_1.py"} <= set(file["missing"])
    assert file["tokens_after"] < file["tokens_before"]


def test_junit_tells_failures_from_files_that_are_no_transcript(
    cli: Cli, session: Path
) -> None:
    folder = session.parent
    (folder / "notes.txt").write_text("no transcript")
    report = folder / ".check.xml"
    assert cli.run("check", str(folder), *ROWS, "--junit", str(report)) == 1
    assert "Skipped: notes.txt" in cli.err
    suite = ElementTree.parse(report).getroot()
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == [
        "2",
        "1",
        "0",
        "1",
    ]
    failure = suite.find("testcase[@name='session.json']/failure")
    assert failure is not None
    assert "src/part_0.py" in (failure.text or "")


def test_a_report_replaces_only_a_report(cli: Cli, session: Path) -> None:
    report, other = session.parent / "report.xml", session.parent / "notes.xml"
    for _ in range(2):
        cli.run("check", str(session), *ROWS, "--junit", str(report))
        assert b"<testsuite" in report.read_bytes()
    other.write_text("<?xml version='1.0'?><notes/>")
    assert "exists already" in cli.error_text(
        "check", str(session), *ROWS, "--junit", str(other)
    )
    assert other.read_text("utf-8") == "<?xml version='1.0'?><notes/>"
    cli.run("check", str(session), *ROWS, "--junit", str(other), "--yes")
    assert b"<testsuite" in other.read_bytes()


def test_what_changes_nothing_passes_and_is_counted(cli: Cli) -> None:
    assert cli.run("check", SESSION, "-s", "none", "--max-lost", "0") == 0
    assert cli.out.splitlines() == [
        f"passed: {SESSION}: nothing was compacted.",
        "passed: none: 0 of 1 session failed; in 1 nothing was compacted.",
    ]


def test_a_session_that_passes_shows_what_options_ask_for(
    cli: Cli, session: Path
) -> None:
    words = ("check", str(session), *ROWS, "--min-needed", "0", "--must", "Go on.")
    assert cli.run(*words) == 0
    printed = cli.out.splitlines()
    (file,) = cli.json(*words)["files"]
    assert printed[0].startswith(
        f"passed: {session}: kept {file['kept']} of {file['needed']} needed names ("
    )
    assert printed[0].endswith(
        f" %), {file['lost']} losses, 1 of 1 must word for word."
    )


def test_where_nothing_was_compacted_it_says_how_to_make_it_act(
    cli: Cli, session: Path
) -> None:
    words = ("check", str(session), "-s", "tiered", "--set")
    assert cli.run(*words, "compression.context-limit=1000000") == 0
    assert cli.out.endswith(
        "in 1 nothing was compacted. To make tiered act there, lower the limit: "
        "--set compression.context-limit=N.\n"
    )


def test_bad_input_is_exit_code_2(cli: Cli, session: Path, tmp_path: Path) -> None:
    assert "is not a share from 0 to 1" in cli.error_text(
        "check", SESSION, "--min-needed", "70"
    )
    assert "is below 0" in cli.error_text("check", SESSION, "--max-lost", "-1")
    assert "one of the files" in cli.error_text(
        "check", str(session), "-s", "none", "--junit", str(session)
    )
    assert "There is no strategy" in cli.error_text("check", CHAT, "-s", "pinned")
    folder = tmp_path / "empty"
    folder.mkdir()
    assert "holds no files" in cli.error_text("check", str(folder))
    (folder / "a.txt").write_text("x")
    assert cli.run("check", str(folder), "--quiet") == 2


def test_a_file_that_cannot_be_checked_counts_as_failed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    broken = CheckedFile(file="a.json", problem="It is damaged.")
    skipped = CheckedFile(file="a.txt", problem="It is no JSON.", skipped=True)
    work = CheckWork(strategy="none", min_needed=0.7, max_lost=None)
    print_checked([broken, skipped], work, None)
    assert capsys.readouterr().out == "failed: none: 1 of 1 session failed.\n"


def test_the_library_checks_messages() -> None:
    found = check(
        _messages("Open src/a_file.py. " * 99, "Done.", "Go on.", "src/a_file.py"),
        strategy="none",
    )
    assert found.needed
    assert (found.missing, found.kept_share) == ((), 1.0)


def test_github_gets_an_annotation_for_each_session_that_fails(
    cli: Cli, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = session.parent
    monkeypatch.chdir(folder.parent)
    (folder / "notes, 100%.txt").write_text("no transcript")
    assert cli.run("check", folder.name, *ROWS, "--github") == 1
    lines = [line for line in cli.out.splitlines() if line.startswith("::")]
    failed = next(line for line in lines if line.startswith("::error"))
    assert failed.startswith(
        f"::error file={folder.name}/session.json,title=foldline check -s "
    )
    assert "later turns used" in failed
    assert "%0ANot there any more:%0Asrc/" in failed
    skipped = next(line for line in lines if line.startswith("::notice"))
    assert f"file={folder.name}/notes%2C 100%25.txt," in skipped
    assert "Leave one of them out" in cli.error_text(
        "check", str(session), *ROWS, "--github", "--json"
    )


STEPS = 40
"""Turns of a session that uses its names again and again, and then talks of nothing."""


@pytest.fixture
def ending(tmp_path: Path) -> Path:
    """A session whose last third needs nothing of what was before."""
    plan = " ".join(
        f"Step {number} needs key_{number:02}." for number in range(2 * STEPS)
    )
    texts = ["Plan it.", plan]
    for number in range(STEPS):
        texts += [
            f"Step {number}.",
            f"Did key_{2 * number:02} and key_{2 * number + 1:02}. " + "word " * 150,
        ]
    texts += ["Thanks. " * 1_200, "You are welcome. " * 600]
    path = tmp_path / "ending.json"
    path.write_text(json.dumps(_messages(*texts)))
    return path


@pytest.mark.req("BACK-6")
def test_where_nothing_later_was_needed_the_bar_is_that_of_the_backtest(
    cli: Cli, ending: Path
) -> None:
    rows = ("-s", "top-down-truncation", "--set", "compression.context-limit=3000")
    assert cli.run("check", str(ending), *rows) == 1
    figures, sentence, _ = cli.out.splitlines()
    assert "names needed in its past (" in figures
    assert "the turns after 3 points of its past used" in sentence
    assert "would still be there; --min-needed asks for 70 %." in sentence
    (file,) = cli.json("check", str(ending), *rows)["files"]
    past = cli.json("backtest", str(ending), *rows)["strategies"][0]
    assert (file["needed"], file["unchecked"]) == (0, None)
    assert file["backtest"] == {
        "points": 3,
        "needed": past["needed"],
        "kept": past["kept"],
    }
    assert cli.run("check", str(ending), *rows, "--min-needed", "0") == 0


@pytest.mark.req("BACK-6")
def test_a_short_session_of_which_nothing_is_known_passes_and_says_so(
    cli: Cli, tmp_path: Path
) -> None:
    path, report = tmp_path / "short.json", tmp_path / "report.xml"
    texts = [
        word + " word" * 400
        for word in ("One.", "Two.", "Three.", "Four.", "Five.", "Six.")
    ]
    path.write_text(json.dumps(_messages(*texts)))
    assert cli.run("check", str(path), *ROWS, "--junit", str(report)) == 0
    figures, sentence, end = cli.out.splitlines()
    assert figures.startswith(f"passed: {path}: no name was needed later, ")
    assert sentence.endswith(
        "no backtest is possible. The session has 3 turns; a backtest needs 12."
    )
    assert end.endswith("0 of 1 session failed; of 1 it is not known what was needed.")
    suite = ElementTree.parse(report).getroot()
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")
    (file,) = cli.json("check", str(path), *ROWS)["files"]
    assert (file["backtest"], file["below"], file["unchecked"]) == (None, [], sentence)


JUDGED = ("check", SESSION, "-s", "middle-out", "--min-needed", "0", "--judge", "local")


def asked(cli: Cli, answer: Answer | Reply, *options: str) -> tuple[int, int]:
    """Return the exit code and the number of calls."""
    with judging(answer) as (server, _):
        local(server)
        return cli.run(*JUDGED, *options), len(server.log)


@pytest.mark.req("JUDGE-6")
def test_what_the_judge_calls_the_same_passes(cli: Cli) -> None:
    code, calls = asked(cli, quoting)
    assert code == 0
    assert "local (m, unproven) of " in cli.out
    assert "nothing to pay" in cli.err
    assert asked(cli, quoting, "--json")[0] == 0
    found = json.loads(cli.out)
    assert found["judged"]["judge"] == {"profile": "local", "model": "m"}
    assert (found["judged"]["max_changed"], found["judged"]["calibration"]) == (0, None)
    said = found["files"][0]["judgements"]
    assert calls == -(-len(said) // 15)
    assert all(one["verdict"] == "says the same" and one["quote"] for one in said)


def contradicting(statement: Mapping[str, Json], text: str) -> Json:
    return quoting(statement, text) | {
        "verdict": "opposite" if statement["id"] == 1 else "says the same"
    }


@pytest.mark.req("JUDGE-6")
def test_a_changed_sentence_fails_and_is_in_the_report_with_its_quote(
    cli: Cli, tmp_path: Path
) -> None:
    report = tmp_path / "report.xml"
    assert asked(cli, contradicting, "--junit", str(report))[0] == 1
    assert "changed or opposite, more than 0." in cli.out
    failure = ElementTree.parse(report).getroot().find("testcase/failure")
    assert failure is not None
    assert "local calls " in failure.get("message", "")
    assert "opposite, " in (failure.text or "")
    assert "→ “" in (failure.text or "")
    assert asked(cli, contradicting, "--max-changed", "9")[0] == 0


@pytest.mark.req("JUDGE-6")
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (
            says("opposite", "These words stand nowhere at all"),
            "its quote is not in the text",
        ),
        (says("splendid"), "the model gave no known verdict"),
        (Reply(text="All is well."), "gave no verdicts"),
        (Reply(text='{"verdicts": [', finish="length"), "was cut off"),
        (REFUSED, "refused to answer"),
    ],
    ids=["lying", "bad", "prose", "cut", "refused"],
)
def test_a_judge_that_proves_nothing_fails_no_session_but_the_check(
    cli: Cli, tmp_path: Path, answer: Answer | Reply, reason: str
) -> None:
    report = tmp_path / "report.xml"
    assert asked(cli, answer, "--junit", str(report))[0] == 3
    assert "Nothing was judged: " in cli.err
    assert reason in cli.err
    suite = ElementTree.parse(report).getroot()
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")


@pytest.mark.req("JUDGE-6")
def test_the_price_of_all_files_comes_first_and_needs_a_yes(
    cli: Cli, tmp_path: Path
) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(Path(SESSION).read_bytes())
    ProfileStore().save(PAID)
    words = ("check", str(tmp_path), "-s", "middle-out", "--judge", "paid")
    assert "This would call a model" in cli.error_text(*words)
    assert "leave --judge out" in cli.err
    assert "calls no model that could judge" in cli.error_text(
        "check", SESSION, "-s", "none", "--judge", "offline"
    )
    assert "--max-changed needs a judge" in cli.error_text(
        "check", SESSION, "--max-changed", "1"
    )


def test_a_text_that_must_survive_fails_the_check_where_it_is_gone(
    cli: Cli, session: Path
) -> None:
    words = ("check", str(session), *ROWS, "--min-needed", "0", "--must")
    assert cli.run(*words, "Go on.") == 0
    assert cli.run(*words, "I have read src/part_2.py.") == 1
    assert "must keep: “I have read src/part_2.py.” is there in part" in cli.out
    assert cli.run(*words, "src/part_2.py") == 1
    assert "must keep: “src/part_2.py” is gone" in cli.out


@pytest.mark.parametrize("must", ["Zebras prefer umbrellas.", "read 3.14 once"])
def test_a_must_that_no_session_says_is_named(
    cli: Cli, session: Path, must: str
) -> None:
    """One word of it in a sentence about another thing is not enough."""
    assert (
        cli.run("check", str(session), *ROWS, "--min-needed", "0", "--must", must) == 0
    )
    assert f"“{must}” is not said in this session, so it was not checked." in cli.out


def test_a_part_of_a_must_is_enough_where_that_is_allowed(
    cli: Cli, session: Path
) -> None:
    must = "Never touch lib/db.py. Look at src/part_0.py."
    words = ("check", str(session), *ROWS, "--min-needed", "0", "--must", must)
    assert cli.run(*words) == 1
    assert cli.run(*words, "--allow-part") == 0


def test_musts_of_a_file_beside_the_session_are_checked(
    cli: Cli, session: Path
) -> None:
    must_file = session.parent / ".foldline-must.txt"
    must_file.write_text("# rules\nsrc/part_2.py\n", "utf-8")
    found = cli.json("check", str(session), *ROWS, "--min-needed", "0")
    assert cli.code == 1
    (must,) = found["files"][0]["must"]
    assert (must["text"], must["status"]) == ("src/part_2.py", "gone")
    shown = cli.json("compact", str(session), *ROWS)
    assert shown["must"] == [must]


def test_a_check_counts_as_a_trial_does(cli: Cli) -> None:
    """Its sizes are calibrated on what the file reports of the whole session."""
    (file,) = cli.json("check", SESSION, "-s", "middle-out", "--scope", "all")["files"]
    session = load_conversation(SESSION)
    source = AnalysisInput(
        conversation=session, values=values(), options=PreviewOptions(scope="all")
    )
    trial, part = part_at_share(source, "middle-out", 0.7)
    run = run_trial(source, trial, Depth.NEEDED, part)
    needed = run.losses.needed
    assert needed is not None
    assert file["tokens_before"] == run.sizes.before_tokens
    assert file["tokens_after"] == run.sizes.tokens
    assert (file["kept"], file["needed"]) == (needed.kept, needed.used)
