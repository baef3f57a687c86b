"""``foldline config`` with list, profiles and prompts, and the layers of every
command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.api import compact
from core.common.errors import InputError
from core.common.paths import config_dir
from core.settings.profile import Profile
from core.settings.prompt_levels import save_override
from core.settings.prompts import PromptLevel, built_in, prompts_folder
from core.settings.schema import COMPACTION_MODEL, PRESERVE, PROFILE, STRATEGY, TARGET
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import SavedSettings, find_project_file
from core.strategies.registry import COMPACTION_STRATEGIES
from tests.core.cli.running_cli import CHAT, Cli
from tests.tools.man_page import parsers

TUNED = Profile(
    name="tuned",
    provider="offline",
    model="deterministic snapshot",
    settings={PRESERVE: 0.4},
)
HAIKU = Profile(
    name="haiku", provider="anthropic", model="claude-haiku-4-5", key_env="NO_SUCH_KEY"
)


def by_key(found: Any) -> dict[str, Any]:
    return {one["key"]: one for one in found["settings"]}


@pytest.mark.req(
    "REQ-CS-001.5", "REQ-CS-008.3", "REQ-CS-009.3", "REQ-CS-010.3", "REQ-HD-004.4"
)
def test_the_default_strategy_comes_from_its_declaration(cli: Cli) -> None:
    one = by_key(cli.json("settings"))[STRATEGY]
    assert (one["value"], one["layer"], one["default"]) == (
        "middle-out",
        "default",
        "middle-out",
    )
    assert one["choices"] == list(COMPACTION_STRATEGIES)


@pytest.mark.req("REQ-CS-011.1", "REQ-CS-011.2", "REQ-HD-009.4")
def test_every_setting_says_its_category_and_that_profiles_keep_it(cli: Cli) -> None:
    kept = {
        (one["category"], one["persist_to_profile"])
        for one in cli.json("settings")["settings"]
    }
    assert kept == {("cli-behavior", True)}


@pytest.mark.req("REQ-CS-009.1", "REQ-CS-009.2")
def test_hand_profile_saved_and_default_in_this_order(cli: Cli) -> None:
    SavedSettings().save({PRESERVE: 0.3})
    ProfileStore().save(TUNED)
    found = [
        by_key(cli.json("settings", *words))[PRESERVE]
        for words in (
            (),
            ("--profile", "tuned"),
            ("--profile", "tuned", "--set", f"{PRESERVE}=0.5"),
        )
    ]
    values = [(one["value"], one["layer"], one["profile"]) for one in found]
    assert values == [
        (0.3, "saved", None),
        (0.4, "session", "tuned"),
        (0.5, "session", None),
    ]
    assert found[0]["layers"] == {
        "session": None,
        "project": None,
        "saved": 0.3,
        "default": 0.2,
    }


@pytest.mark.parametrize("command", [("settings",), ("inspect", CHAT)])
def test_a_broken_settings_file_is_told_and_worked_around(
    cli: Cli, command: tuple[str, ...]
) -> None:
    config_dir().mkdir(parents=True)
    path = config_dir() / "settings.toml"
    path.write_text("a = 1\nb = \n")
    assert cli.run(*command) == 0
    assert cli.err.startswith(f"warning: {path}, line 2: ")
    assert cli.err.count("\n") == 1
    assert path.read_text() == "a = 1\nb = \n"


@pytest.mark.req("REQ-CS-006A.1")
@pytest.mark.parametrize(
    "command", [("settings",), ("inspect", CHAT), ("compact", CHAT)]
)
def test_an_unknown_profile_is_refused_with_the_known_ones(
    cli: Cli, command: tuple[str, ...]
) -> None:
    ProfileStore().save(HAIKU)
    error = cli.error_text(*command, "--profile", "haikoo")
    problem = "There is no profile 'haikoo'. Did you mean haiku? "
    known = "Known profiles: offline, haiku "
    assert error == f'{problem}{known}("foldline config profiles add NAME" adds one).\n'


def test_profiles_are_listed_with_the_place_of_their_key(cli: Cli) -> None:
    ProfileStore().save(HAIKU)
    ProfileStore().save(TUNED)
    (ProfileStore().folder / "bad.toml").write_text("provider = 1\n")
    assert cli.run("profiles") == 0
    assert "$NO_SUCH_KEY (not set)" in cli.out
    assert f"{PRESERVE}=0.4" in cli.out
    assert "bad.toml, line 1: provider" in cli.err
    found = {one["name"]: one for one in cli.json("profiles")["profiles"]}
    assert list(found) == ["offline", "haiku", "tuned"]
    assert found["haiku"]["key_env_set"] is False
    assert found["tuned"]["settings"] == {PRESERVE: 0.4}


@pytest.mark.req("REQ-CS-006A.2")
def test_a_profile_without_its_key_is_not_replaced_by_the_offline_one(cli: Cli) -> None:
    ProfileStore().save(HAIKU)
    for words in (("--profile", "haiku"), ("--set", "compression.profile=haiku")):
        assert cli.run("compact", CHAT, *words, "--yes") in (2, 3)
        assert cli.out == ""
        assert "haiku" in cli.err
        assert "NO_SUCH_KEY" in cli.err
    assert (
        cli.run("compact", CHAT, "--profile", "haiku", "-s", COMPACTION_STRATEGIES[1])
        == 0
    )


NAME = COMPACTION_STRATEGIES[0]
FOR_HAIKU = ("--provider", "anthropic", "--model", "claude-haiku-4-5")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ran(cli: Cli) -> Run:
    return lambda *words: (cli.run("prompts", *words), cli.out, cli.err)


@pytest.mark.req("REQ-CS-005.3")
def test_install_copies_once_and_keeps_edits(ran: Run) -> None:
    assert ran("install")[1].startswith("installed")
    assert ran("install")[1].startswith("unchanged")
    file = prompts_folder() / "compression" / f"{NAME}.md"
    file.write_text("mine\n")
    code, out, err = ran("install")
    kept = [line for line in out.splitlines() if line.startswith("kept")]
    assert (code, len(kept), "does not write over" in err) == (0, 1, True)
    told = {
        row["name"]: row["outcome"]
        for row in json.loads(ran("install", "--json")[1])["prompts"]
    }
    assert told.pop(NAME) == "kept"
    assert set(told.values()) == {"unchanged"}
    assert ran("show", NAME)[1] == "mine\n"


@pytest.mark.req("REQ-CS-005.2")
def test_show_prints_the_text_that_a_model_gets(ran: Run) -> None:
    path = save_override(
        PromptLevel.MODEL,
        "For haiku.\n",
        NAME,
        FOR_HAIKU[1],
        FOR_HAIKU[3],
        prompts_folder(),
    )
    assert ran("show", NAME, *FOR_HAIKU) == (0, "For haiku.\n", f"model: {path}\n")
    assert ran("show", NAME, "--quiet")[1:] == (built_in(NAME).text, "")
    shown = json.loads(ran("show", f"{NAME}.md", *FOR_HAIKU, "--json")[1])
    assert (shown["schema"], shown["level"], shown["text"]) == (
        "prompts-show/1",
        "model",
        "For haiku.\n",
    )


def test_list_tells_the_level_in_use_and_what_is_broken(ran: Run) -> None:
    path = save_override(
        PromptLevel.PROVIDER, "x", NAME, "anthropic", "", prompts_folder()
    )
    rows = [line.split()[:2] for line in ran("list", *FOR_HAIKU)[1].splitlines()]
    assert [NAME, "provider"] in rows
    path.write_bytes(b"\xff")
    code, out, _ = ran("list", *FOR_HAIKU)
    assert (code, "is not UTF-8" in " ".join(out.split())) == (0, True)
    prompts = json.loads(ran("list", *FOR_HAIKU, "--json")[1])["prompts"]
    links = next(row["chain"] for row in prompts if row["name"] == NAME)
    assert [link["level"] for link in links] == list(PromptLevel)
    assert "UTF-8" in links[1]["problem"]


@pytest.mark.req("REQ-CS-002.5")
def test_the_saved_profile_of_summaries_decides_what_is_shown(ran: Run) -> None:
    ProfileStore().save(
        Profile(name="haiku", provider=FOR_HAIKU[1], model=FOR_HAIKU[3])
    )
    SavedSettings().save({PROFILE: "haiku"})
    save_override(
        PromptLevel.MODEL,
        "For haiku.\n",
        NAME,
        FOR_HAIKU[1],
        FOR_HAIKU[3],
        prompts_folder(),
    )
    assert ran("show", NAME)[1] == "For haiku.\n"
    assert ran("show", NAME, "--profile", "offline")[1] == built_in(NAME).text


TUNED_FILE = f"""# Found by foldline tune
{PRESERVE} = 0.5
compression.strategy = "tiered"
[compaction]
target = 0.4
"""


@pytest.fixture
def tuned(tmp_path: Path) -> Path:
    path = tmp_path / "tuned.toml"
    path.write_text(TUNED_FILE)
    return path


def test_a_file_of_settings_is_taken_below_what_is_named(cli: Cli, tuned: Path) -> None:
    ProfileStore().save(TUNED)
    words = ("settings", "--profile", "tuned", "--set-from", str(tuned))
    from_file = by_key(cli.json(*words))
    assert {
        one["layer"] for one in map(from_file.get, (STRATEGY, PRESERVE, TARGET)) if one
    } == {"session"}
    assert (from_file[STRATEGY]["value"], from_file[PRESERVE]["value"]) == (
        "tiered",
        0.5,
    )
    named = by_key(cli.json(*words, "--set", f"{PRESERVE}=0.1", "-s", "one-shot"))
    assert (named[STRATEGY]["value"], named[PRESERVE]["value"]) == ("one-shot", 0.1)
    assert named[TARGET]["value"] == 0.4


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\ncolour = 1\n", ", line 2: There is no setting 'colour'."),
        (f"{PRESERVE} = 7\n", f", line 1: {PRESERVE} cannot be 7."),
        ("a = \n", ", line 1: "),
    ],
)
def test_a_file_of_settings_that_is_wrong_is_refused(
    cli: Cli, tuned: Path, text: str, problem: str
) -> None:
    tuned.write_text(text)
    for command in (("settings",), ("inspect", CHAT), ("compact", CHAT)):
        assert cli.error_text(*command, "--set-from", str(tuned)).startswith(
            f"{tuned}{problem}"
        )
    with pytest.raises(InputError, match="line"):
        compact([{"role": "user", "content": "hi"}], strategy="tiered", settings=tuned)
    assert cli.error_text("settings", "--set-from", "no.toml").startswith(
        "There is no file no.toml."
    )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the project file of the folder above the working directory."""
    (tmp_path / "repository/src").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repository/src")
    return tmp_path / "repository/foldline.toml"


def test_a_project_file_stands_between_saved_and_session(
    cli: Cli, project: Path
) -> None:
    SavedSettings().save({PRESERVE: 0.3, TARGET: 0.2})
    project.write_text(f"{PRESERVE} = 0.4\n")
    found = cli.json("settings")
    one = by_key(found)[PRESERVE]
    assert (one["value"], one["layer"], found["project_file"]) == (
        0.4,
        "project",
        str(project),
    )
    assert one["layers"] == {
        "session": None,
        "project": 0.4,
        "saved": 0.3,
        "default": 0.2,
    }
    assert by_key(found)[TARGET]["layer"] == "saved"
    assert cli.err == f"The project file {project} sets {PRESERVE}.\n"
    assert (
        by_key(cli.json("settings", "--set", f"{PRESERVE}=0.5"))[PRESERVE]["layer"]
        == "session"
    )
    assert cli.err == ""
    ProfileStore().save(TUNED)
    assert (
        by_key(cli.json("settings", "--profile", "tuned"))[PRESERVE]["layer"]
        == "session"
    )
    found = cli.json("settings", "--no-project-file")
    assert (by_key(found)[PRESERVE]["layer"], found["project_file"]) == ("saved", None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("colour = 1", "There is no setting 'colour'."),
        (f"{PRESERVE} = 7", f"{PRESERVE} cannot be 7."),
        ("a = ", ""),
        (f'{PROFILE} = "haiku"', f"{PROFILE} cannot be set by a project file"),
        (
            'compression.tiered.model = "dear"',
            "compression.tiered.model cannot be set by a project file",
        ),
        (
            'chatCompression.profile = "x"',
            "chatCompression.profile cannot be set by a project file",
        ),
        (
            'profiles.x.base_url = "http://x"',
            "There is no setting 'profiles.x.base_url'.",
        ),
        ('base_url = "http://x"', "There is no setting 'base_url'."),
    ],
)
def test_a_project_file_is_refused_as_a_whole(
    cli: Cli, project: Path, text: str, problem: str
) -> None:
    ProfileStore().save(HAIKU)
    project.write_text(
        f"{PRESERVE} = 0.2\n\n{text}\n" if PRESERVE not in text else f"\n\n{text}"
    )
    for command in (("settings",), ("inspect", CHAT), ("compact", CHAT, "--yes")):
        error = cli.error_text(*command)
        assert error.startswith(f"{project}, line 3: {problem}")
        assert error.endswith(
            "Correct it, or leave the file out with --no-project-file.\n"
        )
        assert cli.run(*command, "--no-project-file") == 0


def test_a_project_file_is_looked_for_up_to_the_root_of_the_repository(
    project: Path, home: Path, tmp_path: Path
) -> None:
    project.touch()
    source = project.parent / "src"
    assert find_project_file(source) == project
    (source / ".git").mkdir()
    assert find_project_file(source) is None
    for place in (home, home / "work"):
        place.mkdir(exist_ok=True)
        assert find_project_file(place) is None
    (home / "foldline.toml").touch()
    assert find_project_file(home / "work") is None


def test_a_value_is_saved_and_taken_out(cli: Cli, project: Path) -> None:
    ProfileStore().save(HAIKU)
    assert cli.run("set", "compression.context-limit", "200k") == 0
    assert (
        cli.out
        == f"compression.context-limit = 200,000, saved in {SavedSettings().path}.\n"
    )
    assert (
        cli.run("set", PRESERVE, "30%")
        == cli.run("set", "chatCompression.profile", "haiku")
        == 0
    )
    expected = {"compression.context-limit": 200_000, PRESERVE: 0.3, PROFILE: "haiku"}
    assert SavedSettings().load().values == expected
    project.write_text("compression.context-limit = 1000")
    assert cli.run("set", "compression.context-limit", "--unset") == 0
    assert "(was 200,000); it has no value now." in cli.out
    assert (
        cli.err
        == f"{project} sets compression.context-limit as well; in this folder its value counts.\n"
    )
    assert "compression.context-limit" not in SavedSettings().load().values
    project.unlink()
    assert cli.run("set") == 0
    assert cli.out.startswith("Settings are saved in ")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("colour", "red"), "There is no setting 'colour'."),
        ((PRESERVE, "7"), f"{PRESERVE} cannot be 7."),
        ((PRESERVE,), f"The new value of {PRESERVE} is missing."),
        (
            (PRESERVE, "0.3", "--unset"),
            f"{PRESERVE} cannot be given a value and be unset at once.",
        ),
        (("--unset",), "--unset needs the key of a setting."),
        ((PROFILE, "haikoo"), "There is no profile 'haikoo'."),
        (
            (COMPACTION_MODEL, "sk-ant-" + "a1b2" * 10),
            f"The value of {COMPACTION_MODEL} looks like a secret key",
        ),
    ],
)
def test_what_cannot_be_saved_is_refused(
    cli: Cli, words: tuple[str, ...], problem: str
) -> None:
    assert cli.error_text("set", *words).startswith(problem)
    assert not SavedSettings().path.exists()


ADD = (
    "profiles",
    "add",
    "haiku",
    "--provider",
    "anthropic",
    "--model",
    "claude-haiku-4-5",
)


def test_a_profile_is_added_without_a_window(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert (
        cli.run(
            *ADD,
            "--parameter",
            "temperature=0.2",
            "--set",
            f"{PRESERVE}=40%",
            "--timeout",
            "9",
        )
        == 0
    )
    assert cli.out.endswith(
        "anthropic, claude-haiku-4-5, its key is in $ANTHROPIC_API_KEY.\n"
    )
    assert (
        cli.err
        == "The environment variable ANTHROPIC_API_KEY is not set; calls fail until it holds the key.\n"
    )
    added = ProfileStore().load("haiku")
    assert (added.key_env, added.key_ring, added.timeout, added.stream) == (
        "ANTHROPIC_API_KEY",
        "",
        9.0,
        True,
    )
    assert (added.parameters, added.settings) == ({"temperature": 0.2}, {PRESERVE: 0.4})
    assert "haiku exists already" in cli.error_text(*ADD)
    assert cli.run(*ADD, "--key-ring", "work", "--no-stream", "--yes", "--quiet") == 0
    replaced = ProfileStore().load("haiku")
    assert (
        replaced.key_env,
        replaced.key_ring,
        replaced.stream,
        replaced.settings,
    ) == (
        "",
        "work",
        False,
        {},
    )


def test_no_key_of_a_provider_is_named_for_another_address(cli: Cli) -> None:
    assert (
        cli.run(
            *ADD[:3],
            "--provider",
            "openai",
            "--model",
            "m",
            "--base-url",
            "http://127.0.0.1:1/v1",
        )
        == 0
    )
    assert ProfileStore().load("haiku").key_env == ""


def test_a_profile_is_removed_and_one_in_use_only_with_yes(cli: Cli) -> None:
    ProfileStore().save(HAIKU)
    SavedSettings().save({PROFILE: "haiku"})
    assert "haiku is in use" in cli.error_text("profiles", "remove", "haiku")
    assert cli.run("profiles", "remove", "haiku", "--yes") == 0
    assert ProfileStore().names() == ("offline",)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("add",), "foldline config profiles add needs the name of a profile."),
        (
            ("add", "x", "--model", "m"),
            "foldline config profiles add needs --provider.",
        ),
        (
            (*ADD[1:], "--key-env", "A", "--key-ring", "b"),
            "--key-env and --key-ring are both given.",
        ),
        (
            (*ADD[1:], "--key-env", "sk-ant-" + "a1b2" * 10),
            "haiku: key_env holds what looks like a key",
        ),
        (
            (*ADD[1:], "--parameter", 'api_key="x"'),
            "haiku: parameters.api_key holds what looks like a key",
        ),
        (("add", "../x", *ADD[3:]), "'../x' cannot be the name of a profile."),
        (
            ("add", "x", "--provider", "anthropc", "--model", "m"),
            "x: litellm knows no provider 'anthropc'",
        ),
        (("remove", "haiku"), "There is no profile 'haiku'."),
        (("remove", "offline"), "The profile offline is built in"),
        (("list", "haiku"), "foldline config profiles list takes no name."),
        (
            ("list", "--model", "m"),
            "--model has no effect on foldline config profiles list.",
        ),
    ],
)
def test_a_profile_that_cannot_be_is_refused(
    cli: Cli, words: tuple[str, ...], problem: str
) -> None:
    assert cli.error_text("profiles", *words).startswith(problem)
    assert ProfileStore().names() == ("offline",)


def test_every_command_with_set_takes_a_file() -> None:
    texts = {parser.command: parser.format_help_all() for parser in parsers()}
    with_set, with_file = (
        {command for command, text in texts.items() if words in text}
        for words in ("--set KEY", "settings of a file")
    )
    assert with_set == with_file
