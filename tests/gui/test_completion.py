"""The scripts of ``foldline completion``, in the shells that are there."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli.command_names import COMMANDS
from core.cli.completion import SHELLS
from core.settings.profile import Profile
from core.settings_store.layers import SETTINGS
from core.settings_store.profile_store import ProfileStore
from core.strategies.registry import STRATEGIES

pytest.importorskip("shtab", reason="shtab writes the scripts")

_COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_shtab_foldline foldline "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>&1
printf '%s\\n' "${COMPREPLY[@]}"
"""


def _script(shell: str, folder: Path) -> Path:
    path = folder / f"foldline.{shell}"
    with path.open("w") as file:
        subprocess.run(
            [sys.executable, "-m", "gui", "completion", shell], stdout=file, check=True
        )
    return path


@pytest.fixture(scope="module")
def bash_script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    return _script("bash", tmp_path_factory.mktemp("completion"))


def _completed(script: Path, *words: str, folder: Path | None = None) -> list[str]:
    command = ["bash", "-c", _COMPLETE, "bash", str(script), "foldline", *words]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=folder
    )
    return [line for line in done.stdout.splitlines() if line and "compopt" not in line]


STRATEGY_NAMES = [strategy.name for strategy in STRATEGIES]


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (("",), [*COMMANDS, "help"]),
        (("compa",), ["compact", "compare"]),
        (("compact", "f.jsonl", "--append"), ["--append-boundary"]),
        (("compact", "f.jsonl", "-s", ""), STRATEGY_NAMES),
        (("compare", "f.jsonl", "-s", "exc"), ["excerpt"]),
        (("inspect", "f.jsonl", "--format", "cod"), ["codex"]),
        (("convert", "f.jsonl", "--to", "open"), ["openai"]),
        (("config", "set", "compression.con"), ["compression.context-limit"]),
        (
            ("config", "list", "--set", "compression.con"),
            ["compression.context-limit="],
        ),
        (("list", "strategies", "tier"), ["tiered"]),
        (("hook", "install", "open"), ["opencode"]),
        (("config", "profiles", "re"), ["remove"]),
        (("config", "prompts", "show", "middle"), ["middle-out"]),
        (("sessions", "--agent", "claude"), ["claude-code"]),
        (("shot", "f.jsonl", "--theme", "d"), ["dark"]),
        (("lint", "f.jsonl", "--im"), ["--images"]),
        (("--the",), ["--theme"]),
    ],
)
def test_bash_completes(
    bash_script: Path, words: tuple[str, ...], some: list[str]
) -> None:
    found = _completed(bash_script, *words)
    assert set(some) <= set(found)
    assert all(one.startswith(words[-1]) for one in found)


def test_bash_completes_every_key_and_files(bash_script: Path, tmp_path: Path) -> None:
    assert set(_completed(bash_script, "config", "set", "")) == {
        setting.key for setting in SETTINGS
    }
    (tmp_path / "session.jsonl").touch()
    assert "session.jsonl" in _completed(bash_script, "inspect", "ses", folder=tmp_path)
    assert "session.jsonl" in _completed(
        bash_script, "config", "list", "--set-from", "ses", folder=tmp_path
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_profiles_are_those_that_are_there_when_tab_is_pressed(tmp_path: Path) -> None:
    bash_script = _script("bash", tmp_path)  # names this test's settings folder
    ProfileStore().save(
        Profile(name="haiku", provider="anthropic", model="claude-haiku-4-5")
    )
    assert _completed(bash_script, "compact", "f.jsonl", "--profile", "") == [
        "offline",
        "haiku",
    ]
    assert _completed(bash_script, "config", "profiles", "remove", "ha") == ["haiku"]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_script_can_be_read_by_its_shell(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    script = _script(shell, tmp_path)
    done = subprocess.run(
        [shell, "-n", str(script)], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_fish_completes(tmp_path: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("there is no fish")
    ProfileStore().save(
        Profile(name="haiku", provider="anthropic", model="claude-haiku-4-5")
    )
    script = _script("fish", tmp_path)
    for words, wanted in (
        ("compa", "compare"),
        ("compact f.jsonl -s tier", "tiered"),
        ("compact f.jsonl --profile ha", "haiku"),
        ("config set context", "compression.context-limit"),
    ):
        ask = f"source {script}; complete -C 'foldline {words}'"
        done = subprocess.run(
            ["fish", "-N", "-c", ask], capture_output=True, text=True, check=True
        )
        assert wanted in [line.split("\t")[0] for line in done.stdout.splitlines()]


def test_zsh_completes_after_source_as_from_its_folder(tmp_path: Path) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("there is no zsh")
    read = (
        f"autoload -Uz compinit; compinit -u -D; source {_script('zsh', tmp_path)}; print "
        f"$_comps[foldline]"
    )
    done = subprocess.run(
        ["zsh", "-f", "-c", read], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("_shtab_foldline\n", "")
