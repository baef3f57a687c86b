"""Keys of ten kinds, planted wherever users or programs may leave one, never appear in our
output."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.common.errors import InputError
from core.common.json_value import Json
from core.settings.profile import Profile
from core.settings.prompt_levels import save_override as save_prompt
from core.settings.prompts import prompts_folder
from core.settings.schema import LIMIT, PROFILE
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import SavedSettings
from tests.core.cli.running_cli import Cli
from tests.core.common.test_redact import SAMPLES
from tests.support.loopback import Reply, run_loopback

KINDS = (
    *("anthropic-key", "api-key", "github-token", "aws-key", "google-key"),
    *("slack-token", "stripe-key", "huggingface-token", "token", "private-key"),
)
KEYS = tuple(SAMPLES[kind] for kind in KINDS)
EVERY = "\n".join(f"use {key} here" for key in KEYS)
ONE_LINE = SAMPLES["api-key"]


def leaked(data: bytes) -> list[str]:
    """Return the kinds of planted keys in the data, plain or as written by JSON and HTML."""
    text = data.decode("utf-8", "replace")
    plain = text.replace("\\n", "\n").replace("&#10;", "\n")
    return [kind for kind in KINDS if SAMPLES[kind] in plain or SAMPLES[kind] in text]


def written_below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def session(folder: Path) -> Path:
    """Return a Claude Code session with every key in every place, its name included."""
    own = {
        "sessionId": "s-1",
        "cwd": f"/home/ada/{ONE_LINE}",
        "gitBranch": SAMPLES["github-token"],
    }
    use = {
        "type": "tool_use",
        "id": "t1",
        "name": "Bash",
        "input": {"command": EVERY, ONE_LINE: EVERY},
    }
    messages = [
        ("user", EVERY),
        ("assistant", [{"type": "thinking", "thinking": EVERY, "signature": "s"}, use]),
        (
            "user",
            [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": EVERY,
                    "is_error": True,
                }
            ],
        ),
        ("assistant", [{"type": "text", "text": EVERY}]),
    ]
    lines: list[Json] = [{"type": "summary", "summary": EVERY, "leafUuid": "u"}]
    for at, (role, content) in enumerate(messages * 6):
        message = {"role": role, "content": content}
        lines.append(
            {
                "type": role,
                "uuid": f"u{at}",
                "parentUuid": None,
                "message": message,
                **own,
            }
        )
    path = folder / f"{SAMPLES['github-token']}.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.mark.parametrize("to", ["html", "golden"])
@pytest.mark.parametrize("strategy", ["middle-out", "high-density", "hybrid"])
def test_reports_and_logs_hold_none(
    cli: Cli, tmp_path: Path, to: str, strategy: str
) -> None:
    out = tmp_path / "out"
    words = (
        "compact",
        str(session(tmp_path)),
        "-s",
        strategy,
        "--to",
        to,
        "-o",
        str(out),
        "--verbose",
    )
    save_prompt("base", f"Summarise. {EVERY}", "middle-out", "", "", prompts_folder())
    assert cli.run(*words, "--set", "compression.context-limit=4000") == 0
    assert b"[redacted:" in out.read_bytes()
    assert leaked(out.read_bytes()) == []
    assert leaked(cli.err.encode()) == []


_EVERYTHING = (
    "inspect FILE",
    "compact FILE -s middle-out",
    "compare FILE -s middle-out -s hybrid",
    "compare FOLDER -s middle-out -s hybrid",
    "compare FOLDER -s middle-out -s hybrid --json",
    "replay FILE -s middle-out",
    "sweep FILE -s tiered --vary compression.tiered.target=0.3,0.6",
    "ask FILE -s middle-out --dry-run",
    "lint FILE",
    "sessions FOLDER",
)


def test_what_commands_remember_holds_none(
    cli: Cli, home: Path, tmp_path: Path, serial: list[str]
) -> None:
    folder = tmp_path / "talks"
    folder.mkdir()
    (folder / f"{ONE_LINE}.json").write_text(
        json.dumps(EVERY)
    )  # no transcript: its problem is told
    named = {"FILE": str(session(folder)), "FOLDER": str(folder)}
    SavedSettings().save({LIMIT: 4000})
    for line in _EVERYTHING:
        words = [named.get(word, word) for word in line.split()]
        assert cli.run(*words, "--verbose") <= 1, cli.err
        assert leaked(cli.err.encode()) == [], line
    remembered = [path for path in written_below(home) if path.name != ".lock"]
    assert {path.parent.name for path in remembered} >= {"compare", "sessions"}
    assert [
        path
        for path in remembered
        if leaked(path.read_bytes()) or leaked(path.name.encode())
    ] == []
    table = cli.json("compare", str(folder), "-s", "middle-out", "-s", "hybrid")
    assert table["files"]["resumed"] == 2
    assert {one["file"] for one in (*table["rows"], *table["files"]["unread"])} == {
        *os.listdir(folder)
    }


_WRITES: dict[str, Callable[[str], object]] = {
    "a setting": lambda key: SavedSettings().save({PROFILE: key}),
    "the name of a model": lambda key: ProfileStore().save(
        Profile(name="p", provider="openai", model=key)
    ),
    "the name of a variable": lambda key: ProfileStore().save(
        Profile(name="p", provider="openai", model="m", key_env=key)
    ),
    "an address": lambda key: ProfileStore().save(
        Profile(name="p", provider="openai", model="m", base_url=f"http://x/?key={key}")
    ),
    "a parameter": lambda key: ProfileStore().save(
        Profile(name="p", provider="openai", model="m", parameters={"user": key})
    ),
    "a name": lambda key: ProfileStore().save(
        Profile(name=key, provider="openai", model="m")
    ),
}


@pytest.mark.parametrize("where", _WRITES)
def test_settings_and_profiles_take_none(home: Path, where: str) -> None:
    for key in KEYS:
        with pytest.raises(InputError) as caught:
            _WRITES[where](key)
        assert leaked(str(caught.value).encode()) == []
    assert not any(leaked(path.read_bytes()) for path in written_below(home))


def test_files_edited_by_hand_are_told_without_their_keys(cli: Cli, home: Path) -> None:
    saved, store = SavedSettings(), ProfileStore()
    store.folder.mkdir(parents=True)
    saved.path.write_text(
        "".join(f"compression.profile = {json.dumps(key)}\n" for key in KEYS[:1])
    )
    text = f'provider = "openai"\nmodel = "m"\nspare = {json.dumps(ONE_LINE)}\n'
    (store.folder / "mine.toml").write_text(text)
    for words in (
        ("settings",),
        ("profiles",),
        ("settings", "--json"),
        ("profiles", "--json"),
    ):
        cli.run(*words)
        assert leaked(f"{cli.out}{cli.err}".encode()) == [], words


def test_a_model_that_says_the_key_again_is_not_repeated(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, home: Path, tmp_path: Path
) -> None:
    key = SAMPLES["anthropic-key"]
    monkeypatch.setenv("MY_KEY", key)
    with run_loopback(
        Reply(text=f"The key {key} is not known. Tried as Bearer {key}.", status=401)
    ) as server:
        address = server.base_url("openai")
        ProfileStore().save(
            Profile(
                name="mine",
                provider="openai",
                model="m",
                base_url=address,
                key_env="MY_KEY",
                timeout=5.0,
            )
        )
        words = [
            "-s",
            "middle-out",
            "--profile",
            "mine",
            "--yes",
            "--verbose",
            "--set",
            "compression.context-limit=4000",
        ]
        assert cli.run("compact", str(session(tmp_path)), *words) == 3
    assert key not in cli.err + cli.out
    assert not [
        path for path in written_below(home) if key.encode() in path.read_bytes()
    ]
