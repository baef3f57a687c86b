"""A program of somebody else as a strategy: what it gets, what it gives back, how it fails."""

import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from core.app.events import OpenRequest
from core.app.services.compare import CompareService
from core.app.services.preview import OpenService, PreviewService
from core.app.services.settings import SettingsService
from core.common.errors import InputError
from core.settings_store.layers import SettingLayers
from core.settings_store.settings_file import SavedSettings
from core.strategies import other_program
from core.strategies.names import PROGRAM
from core.strategies.other_program import ProgramLimits, run_program
from tests.core.app.recording_workspace import RecordingHandler
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.support.source_tree import ROOT

PAGE = (ROOT / "resources" / "help" / "plugins.md").read_text("utf-8")
SCHEMAS = ROOT / "resources" / "schemas" / "program"
READ = "import json, sys; given = json.load(sys.stdin); messages = given['messages']\n"
NEWEST = "print(json.dumps({'messages': [{'origins': [m['index']]} for m in messages[-3:]]}))"


def one_message(content: str) -> str:
    return f"print(json.dumps({{'messages': [{{'origins': [0], {content}}}]}}))"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def command(folder: Path, code: str) -> str:
    path = folder / "mine.py"
    path.write_text(READ + code)
    return shlex.join([sys.executable, str(path)])


def compacted(cli: Cli, folder: Path, code: str) -> Any:
    return cli.json("compact", CHAT, "--strategy-command", command(folder, code))


def test_what_a_program_keeps_is_the_result(cli: Cli, tmp_path: Path) -> None:
    output = compacted(cli, tmp_path, NEWEST)
    assert output["after"]["messages"] == 3
    assert [one["fate"] for one in output["fates"]][-4:] == [
        "dropped",
        "kept",
        "kept",
        "kept",
    ]


def test_a_message_of_several_origins_is_a_summary(cli: Cli, tmp_path: Path) -> None:
    code = (
        "first = {'origins': [0, 1], 'text': 'They met.', 'reason': 'It is old.'}\n"
        "print(json.dumps({'messages': [first, {'origins': [2]}], 'reasons': {'3': 'Too much.'}}))"
    )
    fates = compacted(cli, tmp_path, code)["fates"]
    assert [one["fate"] for one in fates[:4]] == [
        "summarised",
        "summarised",
        "kept",
        "dropped",
    ]
    assert [fates[1]["reason"], fates[3]["reason"]] == ["It is old.", "Too much."]


def test_blocks_of_a_message_can_be_edited(cli: Cli, tmp_path: Path) -> None:
    code = (
        "texts = [{'origins': [m['index']], 'blocks': [{'type': 'text', 'text': 'short'}]}\n"
        "         for m in messages[:1]]\n"
        "rest = [{'origins': [m['index']], 'blocks': m['blocks']} for m in messages[1:]]\n"
        "print(json.dumps({'messages': texts + rest}))"
    )
    fates = compacted(cli, tmp_path, code)["fates"]
    assert [one["fate"] for one in fates[:2]] == ["edited", "kept"]


def test_a_program_may_say_that_nothing_is_to_do(cli: Cli, tmp_path: Path) -> None:
    output = compacted(cli, tmp_path, "print(json.dumps({'no_op': 'It is short.'}))")
    assert output["no_op"] == "It is short."


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("sys.exit('no idea')", "failed with exit code 1. It said: no idea"),
        ("print('hello')", "did not write JSON"),
        ("print('[]')", "wrote JSON that is not an object"),
        ("print('{}')", 'has no list "messages"'),
        (
            'print(\'{"messages": [{"origins": [0, 0]}]}\')',
            "has the origin 0 in two places",
        ),
        (
            'print(\'{"messages": [{"origins": [9999]}]}\')',
            "has an origin 9999 in message 0",
        ),
        ("pass", "wrote nothing on standard output"),
        ("sys.stdout.buffer.write(b'\\xe9')", "did not write UTF-8: byte 1 is none"),
        ("print('[' * 100000)", "wrote JSON that is nested too deep"),
        ("print(json.dumps({'no_op': True}))", 'has a "no_op" that is no sentence'),
        (
            "print(json.dumps({'no_op': 'Short.', 'messages': [{'origins': [0]}]}))",
            'has both "no_op" and "messages"',
        ),
        (one_message("'text': None"), 'has a message 0 whose "text" is no text'),
        (
            one_message("'text': 'a', 'blocks': []"),
            'has a message 0 with both "text" and "blocks"',
        ),
        (
            one_message("'blocks': ['hello']"),
            "has a block in message 0 that is neither",
        ),
        (
            one_message("'blocks': [{'type': 'banana'}]"),
            "has a block in message 0 that is neither",
        ),
        (
            one_message("'blocks': [{'type': 'text'}]"),
            "has a block in message 0 that is neither",
        ),
    ],
)
def test_a_failure_is_one_sentence(
    cli: Cli, tmp_path: Path, code: str, problem: str
) -> None:
    run = ["compact", CHAT, "--quiet", "--strategy-command", command(tmp_path, code)]
    assert problem in cli.error_text(*run)


def test_a_program_that_takes_too_long_is_ended() -> None:
    waiting = shlex.join([sys.executable, "-c", "import time; time.sleep(60)"])
    with pytest.raises(InputError, match=r"gave no result within 0\.2 seconds"):
        run_program(waiting, b"", ProgramLimits(0.2, 1_000_000), lambda: None)


def test_a_program_that_writes_too_much_is_ended() -> None:
    writing = shlex.join([sys.executable, "-c", "while True: print('x' * 100000)"])
    with pytest.raises(InputError, match="wrote more than 2 MB"):
        run_program(writing, b"", ProgramLimits(60, 2_000_000), lambda: None)


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    words = shlex.join([sys.executable, "-c", "import sys; print(sys.argv[1:])"])
    output = run_program(
        f"{words} > out; ls", b"", ProgramLimits(60, 10**6), lambda: None
    )
    assert output.strip() == b"['>', 'out;', 'ls']"
    assert other_program.command_words("node 'my file.js'") == ["node", "my file.js"]


def test_no_setting_names_a_program(cli: Cli) -> None:
    with pytest.raises(InputError, match="cannot be"):
        SettingLayers().with_session("compression.strategy", f"{PROGRAM}node mine.js")
    assert "is not the name of a strategy" in cli.error_text(
        "compact", CHAT, "-s", f"{PROGRAM}node mine.js"
    )


def test_a_saved_profile_holds_no_program() -> None:
    layers = (
        SettingLayers()
        .with_session("compression.context-limit", 9000)
        .with_program("node mine.js")
    )
    assert layers.for_profile() == {"compression.context-limit": 9000}


def test_a_program_is_of_one_file(tmp_path: Path) -> None:
    window = RecordingHandler(CHAT)
    assert window.screen(
        PreviewService.use_program, command(tmp_path, NEWEST)
    ).result.rows
    assert window.preview.strategy.name.startswith(PROGRAM)
    window(OpenService.open, OpenRequest(SESSION))
    assert not window.preview.strategy.name.startswith(PROGRAM)


def test_saving_the_session_leaves_a_program_where_it_is(tmp_path: Path) -> None:
    window = RecordingHandler(CHAT)
    window(PreviewService.use_program, command(tmp_path, NEWEST))
    mine = window.preview.strategy.name
    window(
        SettingsService.save,
        (("compression.strategy", mine), ("compression.context-limit", 9000)),
    )
    assert SavedSettings().load().values == {"compression.context-limit": 9000}
    assert window.preview.strategy.name == mine


def test_compare_in_the_window_has_the_program_in_use(tmp_path: Path) -> None:
    window = RecordingHandler(CHAT)
    for messages in (3, 2):
        mine = command(tmp_path, NEWEST.replace("-3", f"-{messages}"))
        window(PreviewService.use_program, mine)
        rows = window.call(CompareService.compare, ("none",))[-1].rows
        assert {one.name: one.sizes.messages for one in rows}[
            PROGRAM + mine
        ] == messages


def test_a_program_is_a_row_of_compare(cli: Cli, tmp_path: Path) -> None:
    mine = command(tmp_path, NEWEST)
    rows = cli.json("compare", CHAT, "-s", "none", "--strategy-command", mine)["rows"]
    assert {row["name"] for row in rows} == {"none", PROGRAM + mine}


def test_a_folder_is_compared_with_a_program(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    shutil.copy(CHAT, folder)
    mine = command(tmp_path, NEWEST)
    run = [
        "compare",
        str(folder),
        "-s",
        "none",
        "--strategy-command",
        mine,
        "--engine",
        "cores:1",
    ]
    assert PROGRAM + mine in json.dumps(cli.json(*run))


def test_the_command_of_a_run_names_the_program(cli: Cli, tmp_path: Path) -> None:
    mine = command(tmp_path, NEWEST)
    cli.run("compact", CHAT, "--strategy-command", mine, "--to", "command", "-o", "-")
    assert f"--strategy-command {shlex.quote(mine)}" in cli.out


def test_input_and_output_fit_their_schemas(tmp_path: Path, cli: Cli) -> None:
    jsonschema = pytest.importorskip(
        "jsonschema", reason="the package mcp brings jsonschema"
    )
    kept = tmp_path / "given.json"
    code = f"open({str(kept)!r}, 'w').write(json.dumps(given))\n{NEWEST}"
    compacted(cli, tmp_path, code)
    given = json.loads(kept.read_text())
    jsonschema.validate(given, json.loads((SCHEMAS / "input.json").read_text()))
    assert set(given) == set(
        json.loads((SCHEMAS / "input.json").read_text())["properties"]
    )
    answer = {"messages": [{"origins": [1]}], "reasons": {"0": "old"}}
    jsonschema.validate(answer, json.loads((SCHEMAS / "output.json").read_text()))


@pytest.mark.skipif(
    shutil.which("node") is None, reason="node runs the example of the page"
)
def test_the_javascript_of_the_page_compacts_a_session(
    cli: Cli, tmp_path: Path
) -> None:
    (found,) = re.findall(r"```js\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "mine.js").write_text(found)
    node = shlex.join(["node", str(tmp_path / "mine.js")])
    run = [
        "compact",
        SESSION,
        "--strategy-command",
        node,
        "--set",
        "compression.context-limit=60000",
    ]
    output = cli.json(*run)
    assert output["no_op"] is None
    assert output["after"]["tokens"] <= output["target"]
    assert all(one["after"]["valid"] for one in output["lint"].values())


LIMITED = ("--set", "compression.context-limit=2000")


def test_a_difference_to_a_strategy_is_saved_as_a_case(
    cli: Cli, tmp_path: Path
) -> None:
    folder, cases = tmp_path / "sessions", tmp_path / "cases"
    folder.mkdir()
    shutil.copy(CHAT, folder)
    (folder / "notes.txt").write_text("No transcript.")
    against = ("-s", "top-down-truncation", "--against", command(tmp_path, NEWEST))
    assert cli.run("compare", str(folder), *against, "-o", f"{cases}/", *LIMITED) == 1
    assert "differ in 1 of 1 file." in cli.out
    (case,) = cases.iterdir()
    again = ("--quiet", *against, "-o", str(cases), *LIMITED)
    error = cli.error_text("compare", CHAT, *again)
    assert "add --yes to replace it" in error
    (run,) = json.loads(case.read_text())["cases"]
    assert run["input"]["strategy"] == "top-down-truncation"


def test_cases_are_saved_in_no_file(cli: Cli, tmp_path: Path) -> None:
    taken = tmp_path / "cases"
    taken.write_text("mine")
    run = ("compare", CHAT, "-s", "pi", "--against", "node mine.js", "-o", str(taken))
    assert "cases is no folder. Name a folder." in cli.error_text(*run)
    assert taken.read_text() == "mine"


def test_a_program_that_does_the_same_differs_in_nothing(
    cli: Cli, tmp_path: Path
) -> None:
    cli.run("compact", CHAT, "-s", "top-down-truncation", *LIMITED, "--json")
    kept = [one["origins"] for one in json.loads(cli.out)["result"]]
    code = f"print(json.dumps({{'messages': [{{'origins': one}} for one in {kept}]}}))"
    against = ("-s", "top-down-truncation", "--against", command(tmp_path, code))
    assert cli.run("compare", CHAT, *against, *LIMITED) == 0
    assert "differ in 0 of 1 file." in cli.out


def test_a_failing_program_is_a_difference(cli: Cli, tmp_path: Path) -> None:
    against = (
        "-s",
        "top-down-truncation",
        "--against",
        command(tmp_path, "sys.exit('no idea')"),
    )
    assert cli.run("compare", CHAT, *against, *LIMITED) == 1
    assert "It said: no idea" in " ".join(cli.out.split())


def test_a_program_is_compared_with_one_strategy(cli: Cli, tmp_path: Path) -> None:
    error = cli.error_text("compare", CHAT, "--against", "node mine.js")
    assert "--against needs two names" in error


def test_a_program_sees_what_the_person_did_not_type(cli: Cli, tmp_path: Path) -> None:
    code = (
        "marked = [m for m in messages if 'summary' in m['marks']]\n"
        "print(json.dumps({'no_op': f'{len(marked)} of {len(messages)}'}))"
    )
    found = cli.json("compact", SESSION, "--strategy-command", command(tmp_path, code))
    assert found["no_op"] == "1 of 81"


def test_a_program_is_checked_like_a_strategy(cli: Cli, tmp_path: Path) -> None:
    given = ("--strategy-command", command(tmp_path, NEWEST))
    found = cli.json("check", SESSION, *given, "--min-needed", "0")
    assert cli.code == 0
    assert found["strategy"].startswith(PROGRAM)
    assert cli.err.count("with your rights") == 1
