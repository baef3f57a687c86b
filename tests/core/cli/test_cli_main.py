"""The command line as a whole: exit codes, streams, one sentence for every failure, no option
ignored."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from unittest.mock import Mock

import pytest

from core.cli.arguments import EXAMPLES, CommandParser
from core.cli.command_names import (
    COMMAND_NAMES,
    DEBUG_VARIABLE,
    FORMER_NAMES,
    LISTED,
    find_command,
    help_text,
)
from core.cli.main import run_command_line
from core.common.errors import InputError
from core.common.paths import SAMPLES, installed_version
from core.export.export import EXPORTERS, reader_name
from core.formats.registry import FORMATS
from core.integrations.hook_settings import find_agent
from core.settings_store.layers import find_setting, parse_value
from core.strategies.top_down import NAME as TOP_DOWN
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.support.source_tree import ROOT
from tests.tools.man_page import PAGE, page, parsers

LAUNCH = "import sys; from gui.launcher import main; sys.exit(main())"


# one sentence names what is wrong or the way out
MISUSE = (
    ("inspect no-such-file.jsonl", "no-such-file.jsonl"),
    ("inspect", "FILE"),
    ("inspect SESSION --bogus", "--bogus"),
    ("inspect SESSION --set compression.mod=safe", "compression.mode"),
    ("inspect SESSION --set compression.context-limit", "--set KEY=VALUE"),
    ("inspect SESSION --scope before:9", "before:1"),
    ("inspect SESSION --conversation 7", "which holds 1"),
    ("inspect SESSION --format nope", "foldline list formats"),
    ("compact SESSION -s midle-out", "Did you mean middle-out"),
    ("compact SESSION --set compression.profile=haiku", "Known profiles: offline"),
    ("compact SESSION --summary-file none.txt", "none.txt"),
    ("compact SESSION --to markdown", "-o FILE"),
    ("compact SESSION -o - --json", "standard output"),
    ("compare SESSION -s 'recorded 7'", "1 recorded compaction"),
    ("compare SESSION --json --csv", "--json and --csv"),
    ("compare SESSION --engine cores", "--engine works on a folder"),
    ("compare SESSION --fresh", "--fresh works on a folder"),
    ("compare SESSION --aim small", "--aim cannot be 'small'"),
    ("compare SESSION --aim 0", "--aim cannot be '0'"),
    ("compare SESSION --aim 20k --left CHAT", "Leave --aim out"),
    ("compare SESSION -s none --against none 'recorded 1'", "no row 'recorded 1'"),
    ("compare SESSION --left no-such-file.json", "no-such-file.json"),
    ("compare SESSION --profile haiku", "Known profiles: offline"),
    ("replay", "FILE"),
    ("replay SESSION -s midle-out", "Did you mean middle-out"),
    ("replay SESSION --scope before:9", "before:1"),
    (
        "replay CHAT -s one-shot --model m --quiet",
        "--set compression.context-limit=N or --model",
    ),
    ("sweep SESSION -s middle-out", "needs --vary"),
    ("sweep no-such.json -s middle-out --vary x=1,2", "no setting 'x'"),
    (
        "sweep SESSION -s pi --vary compression.hybrid.target=0.1,0.2",
        "The strategy pi does not use",
    ),
    (
        f"sweep CHAT -s {TOP_DOWN} --model m --quiet --vary compression.mode=safe,reference",
        "failed with every value",
    ),
    ("lint SESSION --provider opnai", "Did you mean openai? Known"),
    ("convert SESSION --to markdwon", "Did you mean markdown? See all of them"),
    ("shot SESSION", "window"),
    (
        "help nonsense",
        "nonsense is neither a command nor a file. See all commands with: foldline --help.",
    ),
    ("help compct", "Did you mean compact?"),
    # a variable of the shell that is not set
    ("inspect CHAT --set-from ''", "--set-from: the value is empty"),
    ("compact CHAT -s ''", "-s: the value is empty"),
    ("compact CHAT --summary-file ''", "--summary-file"),
    ("compact CHAT -o ''", "The name of the file to write is empty"),
    ("compare CHAT --left ''", "--left"),
    ("watch '' --once", "the name is empty"),
    ("tune DIR ''", "the name is empty"),
    # a folder for a file, a file for a folder, a number that is none
    ("inspect CHAT --set-from DIR", "is a folder. Name a TOML file of settings."),
    ("tune CHAT -o DIR", "is a folder. Name a file in it."),
    ("tune CHAT -o CHAT", "add --yes to replace it"),
    ("check CHAT -s none --junit CHAT", "one of the files"),
    ("check CHAT -s none --junit SESSION", "add --yes to replace it"),
    ("models update no-such.json", "Check the path."),
    ("mcp --write-to CHAT", "is not a folder"),
    ("inspect CHAT --conversation 0", "'0' is below 1"),
    ("inspect CHAT --branch 0", "'0' is below 1"),
    ("watch --newest -1 --once", "'-1' is below 0"),
    # what would do nothing
    ("compact CHAT --redact", "--redact needs a place to write to"),
    ("compact CHAT --no-redact", "--no-redact needs a place to write to"),
    ("compact CHAT -s pi -s tiered", "given twice"),
    ("compact CHAT -s pi,tiered", "compare takes several"),
    (
        "compact CHAT -s pi --set compression.strategy=tiered",
        "-s names the strategy pi, but --set names tiered",
    ),
    ("compare CHAT --csv --against none pi", "--against is not part of the CSV output"),
    (
        "sweep CHAT -s tiered --vary context-limit=5000,9000 --set context-limit=7000",
        "the same setting is varied",
    ),
    ("convert CHAT --to html --put-back 1", "--put-back works for transcripts"),
    (
        "convert SESSION --to llxprt --put-back 1 --scope current",
        "--put-back works on the whole session",
    ),
    (
        "prompts install --model gpt-4o",
        "--model has no effect on foldline config prompts install",
    ),
    (
        "prompts path --profile offline",
        "--profile has no effect on foldline config prompts path",
    ),
    (
        "prompts list --profile offline --provider openai",
        "--profile has no effect beside --provider",
    ),
    ("prompts show", "Which prompt?"),
    ("prompts show nope", "There is no prompt 'nope'. Known prompts: "),
    ("prompts show ../../x", "There is no prompt"),
    ("prompts list extra", "takes no name"),
    ("prompts list --profile nope", "nope"),
    ("prompts", "needs list, show, install or path"),
    ("prompts foo", "config prompts does not take 'foo', only"),
)


@pytest.mark.parametrize(("line", "words"), MISUSE)
def test_misuse_is_one_sentence(cli: Cli, line: str, words: str) -> None:
    places = {"SESSION": SESSION, "CHAT": CHAT, "DIR": str(SAMPLES)}
    assert words in cli.error_text(
        *(places.get(word, word) for word in shlex.split(line))
    )


@pytest.mark.req("REQ-CS-006A.2")
def test_a_blank_summary_fails_with_3(cli: Cli, tmp_path: Path) -> None:
    blank = tmp_path / "blank.txt"
    blank.write_text("  \n")
    assert (
        cli.run("compact", SESSION, "-s", "middle-out", "--summary-file", str(blank))
        == 3
    )
    assert cli.out == ""
    assert cli.err.count("\n") == 1


def test_an_unknown_option_is_named_without_its_value(cli: Cli) -> None:
    assert "has no option -o. See" in cli.error_text("lint", CHAT, "-o", "x.json")


def test_interruption_is_130(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted = Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr(
        import_module("core.cli.inspect"), "open_conversation", interrupted
    )
    assert cli.run("inspect", SESSION) == 130


def test_verbose_tells_trigger_start_and_statistics(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.run("compact", CHAT, "--verbose")
    assert all(f"{word}: " in cli.err for word in ("start", "trigger", "statistics"))
    monkeypatch.setenv(DEBUG_VARIABLE, "")
    cli.run("compact", CHAT)
    assert "statistics: " in cli.err


def test_standard_input_and_output(cli: Cli, tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-c",
        LAUNCH,
        "compact",
        "-",
        "-s",
        "middle-out",
        "-o",
        "-",
    ]
    with open(CHAT, "rb") as file:
        done = subprocess.run(
            words, cwd=ROOT, stdin=file, capture_output=True, check=True
        )
    assert done.stdout.startswith(b"{")
    (tmp_path / "out.json").write_bytes(done.stdout)
    assert cli.run("lint", str(tmp_path / "out.json")) == 0


def test_a_closed_pipe_is_no_failure() -> None:
    words = [sys.executable, "-c", LAUNCH, "compact", SESSION, "--json"]
    with subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(100)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 0


@pytest.mark.parametrize(
    ("arguments", "closed", "words"),
    [
        (("--version",), ">&-", "Standard output is closed."),
        (("--help",), ">&-", "Standard output is closed."),
        (("inspect", CHAT), ">&-", "Standard output is closed."),
        (("inspect", "-"), "<&-", "standard input is empty."),
        (
            ("compact", CHAT, "-o", CHAT),
            "<&-",
            "Foldline never writes over its source.",
        ),
        (("lint", "nowhere.json"), "2>&-", ""),
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="needs a shell that closes streams")
def test_a_closed_stream_is_one_sentence(
    arguments: tuple[str, ...], closed: str, words: str
) -> None:
    line = [
        "sh",
        "-c",
        f'"$@" {closed}',
        "sh",
        sys.executable,
        "-c",
        LAUNCH,
        *arguments,
    ]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == bool(words)


FILED = (
    "inspect",
    "compact",
    "compare",
    "replay",
    "lint",
    "ask --dry-run",
    "convert --to openai",
)


@pytest.mark.parametrize(
    "command", [*FILED, "sweep -s tiered --vary compression.tiered.target=0.1,0.2"]
)
def test_a_name_that_is_none_is_one_sentence(cli: Cli, command: str) -> None:
    assert "the name is empty" in cli.error_text(*command.split(), "")
    assert "too long" in cli.error_text(*command.split(), "n" * 300)
    assert "'x' is not a whole number" in cli.error_text(
        *command.split(), CHAT, "--branch", "x"
    )
    told = cli.error_text(*command.split(), CHAT, "--summary-file", "nowhere.txt")
    assert "The summary file nowhere.txt cannot be read" in told


def test_a_command_loads_no_window() -> None:
    code = (
        "import sys; from gui.launcher import main; sys.argv[1:] = ['strategies']; main();"
        "sys.exit(any(name.startswith('PySide6') for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False
    )
    assert done.returncode == 0


def loaded_by_inspect(file: str, late: tuple[str, ...]) -> list[str]:
    """Return the modules whose names begin like one of ``late`` that ``inspect`` loads."""
    code = (
        f"import sys; from gui.launcher import main; sys.argv[1:] = ['inspect', {file!r}]; main();"
        f"sys.exit(' '.join(name for name in sys.modules if name.startswith({late!r})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False
    )
    return done.stderr.decode().split()


def test_inspect_of_a_plain_file_loads_no_judge() -> None:
    late = "core.losses", "core.strategies.excerpt", "core.facts.extract"
    assert loaded_by_inspect(CHAT, (*late, "core.presentation.losses")) == []


def test_inspect_of_a_session_loads_no_page_and_no_model() -> None:
    pages = "core.presentation.model", "core.presentation.inspector_model"
    panes = "core.presentation.lists", "core.presentation.ruler"
    calls = "core.llm.client", "core.analysis.costs"
    assert loaded_by_inspect(SESSION, (*pages, *panes, *calls)) == []


WIDTH, HEIGHT = 80, 40


@pytest.fixture(scope="module")
def made() -> dict[str, CommandParser]:
    return {parser.command: parser for parser in parsers()}


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_help_fits_a_screen_and_begins_with_two_examples(
    made: dict[str, CommandParser], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    lines = made[name].format_help().splitlines()
    assert len(lines) <= HEIGHT
    assert max(map(len, lines)) < WIDTH
    assert lines[0].startswith(f"usage: foldline {name} ")
    text = "\n".join(lines).replace(" \\\n      ", " ")
    first, second = (f"foldline {one.arguments}\n" for one in EXAMPLES[name][:2])
    assert text.index("\nexamples:\n") < text.index(first) < text.index(second)


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_help_names_every_option_and_help_all_explains_it(
    made: dict[str, CommandParser], name: str
) -> None:
    short, full = made[name].format_help(), made[name].format_help_all()
    for action in made[name]._actions:
        names = action.option_strings[-1:]
        is_help = action.dest in ("help", "help_all")
        assert all(option in full for option in names)
        assert is_help or not names or set(action.option_strings) & _words(short)


def _words(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text))


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_examples_are_understood(made: dict[str, CommandParser], name: str) -> None:
    for example in EXAMPLES[name]:
        command, words = find_command(shlex.split(example.arguments))
        assert command == name
        made[name].parse_args(words)


def test_the_man_page_is_that_of_the_code() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python -m tests.tools.man_page"


def test_the_man_page_names_every_option(made: dict[str, CommandParser]) -> None:
    text = page().replace("\\-", "-")
    for parser in made.values():
        for action in parser._actions:
            assert all(option in text for option in action.option_strings), (
                parser.command
            )


def test_the_synopsis_of_the_page_has_every_command() -> None:
    text = (ROOT / "resources" / "help" / "command-line.md").read_text("utf-8")
    lines = re.findall(r"^foldline ([a-z]+)\b", text.split("```")[1], re.MULTILINE)
    assert lines == list(LISTED)


def test_the_help_fits_a_screen_of_80_by_40() -> None:
    lines = help_text().splitlines()
    assert len(lines) < 40
    assert max(map(len, lines)) <= WIDTH


def test_the_help_lists_no_former_name() -> None:
    assert not {*FORMER_NAMES, "shot", "completion"} & set(LISTED)


def test_sentences_and_help_name_no_former_command() -> None:
    kept = r"models (?:update|reset|\{options)"
    former = re.compile(rf"\bfoldline (?!{kept})({'|'.join(FORMER_NAMES)})\b")
    sources = [*(ROOT / "core").rglob("*.py"), *(ROOT / "gui").rglob("*.py")]
    pages = (ROOT / "resources" / "help").rglob("*.md")
    for path in (*sources, *pages, ROOT / "README.md"):
        assert former.findall(path.read_text("utf-8")) == [], path


SWEEP_WORDS = ("-s", "tiered", "--vary", "compression.tiered.target=0.1,0.2")


@pytest.mark.parametrize(
    ("former", "today"),
    [
        (("strategies", "tiered"), ("list", "strategies", "tiered")),
        (("formats",), ("list", "formats")),
        (("models",), ("list", "models")),
        (("settings", "-s", "pi"), ("config", "list", "-s", "pi")),
        (("profiles",), ("config", "profiles")),
        (
            ("prompts", "show", "middle-out"),
            ("config", "prompts", "show", "middle-out"),
        ),
        (("facts", CHAT), ("inspect", CHAT, "--facts")),
        (("repair", CHAT), ("lint", CHAT, "--fix", "--dry-run")),
        (("sweep", CHAT, *SWEEP_WORDS), ("compare", CHAT, *SWEEP_WORDS)),
        (
            ("backtest", SESSION, "-s", "pi"),
            ("compare", "--backtest", SESSION, "-s", "pi"),
        ),
    ],
)
def test_a_former_name_does_what_the_new_one_does(
    cli: Cli, former: tuple[str, ...], today: tuple[str, ...]
) -> None:
    assert cli.json(*former) == cli.json(*today)


def test_a_setting_is_set_and_unset_by_config(cli: Cli) -> None:
    assert cli.run("config", "set", "compression.context-limit", "90k") == 0
    assert cli.json("settings")["settings"] == cli.json("config", "list")["settings"]
    assert cli.run("config", "unset", "compression.context-limit") == 0
    assert "is no longer set in" in cli.out


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",)])
def test_a_group_prints_what_can_be_listed(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli.run("list", *words) == 0
    assert [line.split()[2] for line in cli.out.splitlines()] == [
        "strategies",
        "formats",
        "models",
    ]


def test_an_unknown_word_of_a_group_names_the_nearest(cli: Cli) -> None:
    assert "Did you mean formats? It takes: strategies," in cli.error_text(
        "list", "fromats"
    )
    assert "Did you mean unset?" in cli.error_text("config", "unst")


def test_one_format_or_model_is_listed_alone(cli: Cli) -> None:
    assert [
        one["name"] for one in cli.json("list", "formats", "claude")["formats"]
    ] == ["claude_code"]
    [model] = cli.json("list", "models", "gpt-4o")["newest"]
    assert (model["name"], model["limit"]) == ("gpt-4o", 128_000)
    assert "There is no format" in cli.error_text("list", "formats", "nope")
    assert "There is no model" in cli.error_text("list", "models", "nope")


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_printed(cli: Cli, option: str) -> None:
    assert cli.run(option) == 0
    assert cli.out == f"foldline {installed_version()}\n"


def test_a_copy_is_of_one_file(cli: Cli, tmp_path: Path) -> None:
    out = str(tmp_path / "copy.json")
    assert "several files" in cli.error_text("lint", "--fix", CHAT, SESSION, "-o", out)
    assert cli.run("lint", "--fix", CHAT, SESSION) == 0


def test_the_page_of_the_command_line_names_every_option(
    made: dict[str, CommandParser],
) -> None:
    text = (ROOT / "resources" / "help" / "command-line.md").read_text("utf-8")
    words = _words(text)
    for parser in made.values():
        given = {
            action.option_strings[0]
            for action in parser._actions
            if action.option_strings
        }
        assert given - {"-h"} <= words, parser.command


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_man_page_is_set_without_a_warning() -> None:
    words = ["groff", "-man", "-ww", "-Tascii", str(PAGE)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert re.search(r"E\W*\x08?.*X.*I.*T", done.stdout)


@pytest.fixture
def summary(tmp_path: Path) -> str:
    path = tmp_path / "summary.txt"
    path.write_text(
        "Order 20417 is late; the replacement R-5581 arrives on Friday before noon, with the right brake "
        "pads in the same parcel and without a hold."
    )
    return str(path)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "lint {file} -s pi --set compression.context-limit=9000",
            "-s and --set have no effect: lint compacts nothing.",
        ),
        ("lint {file} --model gpt-4o", "--model has no effect"),
        (
            "inspect {file} --summary-file {summary}",
            "--summary-file has no effect: inspect writes no",
        ),
        (
            "convert {file} --to openai -s pi",
            "-s has no effect: a transcript is written as it is",
        ),
        (
            "compact {file} -s high-density --focus x",
            "--focus has no effect: high-density asked for no su",
        ),
        (
            "compare {file} -s high-density --summary-file {summary}",
            "no strategy here asks for a summary",
        ),
        (
            "replay {file} -s high-density --set compression.context-limit=9000 --price-as gpt-4o",
            "--price-as has no",
        ),
        (
            "sweep {file} -s high-density --vary compression.context-limit=5000,9000 --price-as gpt-4o",
            "--price-as has",
        ),
        ("ask {file} -s high-density --dry-run --focus x", "--focus has no effect"),
        (
            "compact {file} -s pi --set compression.hybrid.target=0.2",
            "--set compression.hybrid.target has no effect: pi does not",
        ),
        (
            "inspect {file} -s pi --set compression.tiered.target=0.2",
            "--set compression.tiered.target has no effect",
        ),
        (
            "compare {file} -s pi -s none --set compression.hybrid.target=0.2",
            "has no effect: no strategy here reads it.",
        ),
        (
            "replay {file} -s none --set compression.hybrid.target=0.2",
            "--set compression.hybrid.target has no effect: none does not",
        ),
        (
            "sweep {file} -s tiered --vary compaction.target=0.1,0.2 --set hybrid.target=0.2",
            "tiered does",
        ),
    ],
)
def test_what_does_nothing_is_told(
    cli: Cli, summary: str, line: str, words: str
) -> None:
    assert cli.run(*line.format(file=CHAT, summary=summary).split()) == 0
    assert words in cli.err


def test_nothing_is_told_of_what_has_its_effect(cli: Cli, summary: str) -> None:
    for line in (
        (
            "compact {file} -s middle-out --set compression.strategy=middle-out --summary-file "
            "{summary}"
        ),
        "compare {file} -s middle-out -s high-density --summary-file {summary}",
        "convert {file} --to html -s pi -o -",
    ):
        assert cli.run(*line.format(file=CHAT, summary=summary).split()) == 0
        assert "no effect" not in cli.err


def test_help_of_a_command_is_its_help_option(
    capsys: pytest.CaptureFixture[str],
) -> None:
    texts = []
    for words in (["help", "lint"], ["lint", "--help"]):
        assert run_command_line(words) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert texts[0].startswith("usage: foldline lint")


def test_help_all_prints_every_option(cli: Cli) -> None:
    assert cli.run("compact", "--help-all") == 0
    assert "for rarer needs:" in cli.out
    assert cli.run("compare", "--vary", "--help-all") == 0
    assert cli.out.startswith("usage: foldline compare --vary ")


@pytest.mark.parametrize("name", ["compare --vary", "lint --fix", "config set"])
def test_help_of_two_words_is_that_of_both(cli: Cli, name: str) -> None:
    assert cli.run("help", *name.split()) == 0
    assert cli.out.startswith(f"usage: foldline {name} ")


def test_a_mistyped_option_names_the_nearest(cli: Cli) -> None:
    assert "Did you mean --json?" in cli.error_text("inspect", SESSION, "--jsn")


def test_several_strategies_come_as_a_list(cli: Cli) -> None:
    listed, repeated = (
        cli.json("compare", SESSION, *words)["rows"]
        for words in (("-s", "middle-out,pi"), ("-s", "middle-out", "-s", "pi"))
    )
    assert [row["name"] for row in listed] == [row["name"] for row in repeated]


def test_one_name_is_taken_for_reading_and_writing(cli: Cli) -> None:
    named = [exporter for exporter in EXPORTERS if exporter.short_names]
    readable = {reader.name for reader in FORMATS}
    for exporter in named:
        if exporter.name in readable:
            assert {reader_name(name) for name in exporter.short_names} == {
                exporter.name
            }
    assert cli.json("inspect", SESSION, "--format", "claude")["format"] == "claude_code"


@pytest.mark.parametrize(
    ("text", "value"), [("200k", 200_000), ("1.5M", 1_500_000), ("200,000", 200_000)]
)
def test_tokens_are_written_as_people_write_them(text: str, value: int) -> None:
    assert parse_value(find_setting("compression.context-limit"), text) == value


def test_the_folder_of_opencode_follows_xdg(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENCODE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert (
        find_agent("opencode").path()
        == tmp_path / "opencode" / "plugin" / "foldline.ts"
    )
    assert tmp_path not in find_agent("claude-code").path().parents


def test_a_picture_of_another_kind_is_refused(made: dict[str, CommandParser]) -> None:
    with pytest.raises(InputError, match="writes PNG, not JPG"):
        made["shot"].parse_args(["-o", "window.jpg"])
    assert made["shot"].parse_args(["-o", "window.png"]).out == "window.png"
