"""Screenshots of every view, and one sentence for what cannot be shot."""

import errno
import os
import re
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from core.cli.main import run_command_line
from core.common.errors import InputError
from core.common.paths import RESOURCES, SAMPLES
from core.settings.profile import Profile
from core.settings_store.layers import SettingLayers, parse_assignment
from core.settings_store.profile_store import ProfileStore
from gui.arguments import StartOptions, parse_shot, parse_window, window_parser
from gui.screenshot_command import VIEWS, find_view, take_shot
from gui.start_up import open_from_arguments
from gui.window_content import WindowContent
from tests.support.loopback import run_loopback

LINES = (
    '{"role": "user", "content": "Fix the retry."}',
    '{"role": "assistant", "content": "Done."}',
)


@pytest.fixture
def transcript(tmp_path: Path) -> str:
    path = tmp_path / "chat.json"
    path.write_text('{"messages": [' + ", ".join(LINES) + "]}")
    return str(path)


def test_views_are_named_once_and_in_the_help() -> None:
    names = [one.name for one in VIEWS]
    assert len(set(names)) == len(names)
    text = (RESOURCES / "help" / "command-line.md").read_text("utf-8")
    begin = "- `--view VIEW`: "
    [row] = [line for line in text.splitlines() if line.startswith(begin)]
    assert sorted(row.removeprefix(begin).split(", ")) == sorted(names)


@pytest.mark.parametrize("name", ["export", "keys"])
def test_a_dialog_and_a_view_without_a_file(
    qtbot: QtBot, transcript: str, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "picture.png"
    shown = [transcript] if find_view(name).needs_file else []
    take_shot(
        parse_shot(
            [
                *shown,
                "-o",
                str(out),
                "--view",
                name,
                "--theme",
                "dark",
                "--size",
                "1280x800",
            ]
        )
    )
    assert QImage(str(out)).width() > 100


def test_a_message_can_be_selected_and_a_tab_shown(
    qtbot: QtBot, transcript: str, tmp_path: Path
) -> None:
    out = tmp_path / "picture.png"
    take_shot(
        parse_shot(
            [
                transcript,
                "-o",
                str(out),
                "--select",
                "2",
                "--tab",
                "why",
                "-s",
                "high-density",
            ]
        )
    )
    assert QImage(str(out)).width() == 1600


def test_a_picture_replaces_a_picture_and_nothing_else(
    qtbot: QtBot, transcript: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, picture = tmp_path / "notes.md", tmp_path / "picture.png"
    notes.write_text("mine")
    assert QImage(8, 8, QImage.Format.Format_RGB32).save(str(picture))
    take_shot(parse_shot([transcript, "-o", str(picture), "--size", "400x300"]))
    before = picture.read_bytes()
    assert QImage(str(picture)).width() >= 400
    for path, words in ((transcript, "transcript itself"), (str(notes), "not a PNG")):
        kept = Path(path).read_bytes()
        with pytest.raises(InputError, match=words):
            take_shot(parse_shot([transcript, "-o", path]))
        assert Path(path).read_bytes() == kept

    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="is full"):
        take_shot(parse_shot([transcript, "-o", str(picture)]))
    assert picture.read_bytes() == before


@pytest.mark.parametrize(
    "extra",
    [
        ["--select", "99"],
        ["--size", "big"],
        ["-o", "/no/such/folder/x.png"],
        ["--profile", "nobody"],
    ],
)
def test_what_cannot_be_done_is_said(
    qtbot: QtBot, transcript: str, tmp_path: Path, extra: list[str]
) -> None:
    with pytest.raises(InputError):
        take_shot(parse_shot([transcript, "-o", str(tmp_path / "x.png"), *extra]))


def test_a_picture_is_taken_with_a_profile_and_calls_nothing(
    qtbot: QtBot, transcript: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with run_loopback() as server:
        ProfileStore().save(
            Profile(
                name="local",
                provider="openai",
                model="tiny-1",
                base_url=server.base_url("openai"),
            )
        )
        told: list[str] = []

        def watched(space: WindowContent, start: StartOptions) -> None:
            space.backend.screen.connect(
                lambda screen: told.append(screen.request.profile)
            )
            open_from_arguments(space, start)

        monkeypatch.setattr("gui.screenshot_command.open_from_arguments", watched)
        take_shot(
            parse_shot(
                [transcript, "-o", str(tmp_path / "x.png"), "--profile", "local"]
            )
        )
        assert (told[-1], server.log) == ("local", [])


def test_the_window_takes_a_file_and_settings(transcript: str) -> None:
    start = parse_window(
        [transcript, "-s", "one-shot", "--set", "compression.context-limit=1000"]
    )
    assert start.settings == (
        "compression.strategy=one-shot",
        "compression.context-limit=1000",
    )
    assert parse_window([]).path == ""


def test_the_window_takes_a_pair_of_files(transcript: str) -> None:
    start = parse_window(["--left", transcript, "--right", transcript])
    assert (start.path, start.right) == (transcript, transcript)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["/no/such/file"], "There is no file"),
        (["--left", "a.json"], "--right is missing"),
        (["--right", "a.json"], "--left is missing"),
        (
            ["c.json", "--left", "a.json", "--right", "b.json"],
            "c.json is one file too many",
        ),
        (["-"], "cannot read standard input"),
        (["--theme", "pink"], "--theme cannot be 'pink', only"),
        (["--nonsense"], "has no option --nonsense"),
        (["--scope", "current"], "--scope needs a transcript"),
        (["--branch", "2"], "--branch needs a transcript"),
        (["--format", "openai_chat"], "--format needs a transcript"),
        (["-s", "middl-out"], "compression.strategy cannot be 'middl-out'"),
        (["--set", "no-such-key=1"], "There is no setting 'no-such-key'"),
        (
            ["--set", "compression.context-limit=many"],
            "compression.context-limit cannot be 'many'",
        ),
    ],
)
def test_bad_arguments_are_one_sentence(arguments: list[str], why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_window(arguments)


@pytest.mark.parametrize(
    ("view", "arguments", "why"),
    [
        ("nonsense", [], "There is no view nonsense"),
        *(
            (
                one.name,
                [str(SAMPLES / "support-desk.json")],
                f"The view {one.name} shows no transcript.",
            )
            for one in VIEWS
            if not one.needs_file
        ),
        ("keys", ["--tab", "why"], "shows no transcript for --tab"),
        ("keys", ["--select", "2"], "shows no transcript for --select"),
        ("keys", ["--model", "gpt-4o"], "shows no transcript for --model"),
        ("keys", ["--profile", "x"], "shows no transcript for --profile"),
    ],
)
def test_a_view_without_a_transcript_takes_none(
    view: str, arguments: list[str], why: str
) -> None:
    with pytest.raises(InputError, match=why):
        take_shot(parse_shot([*arguments, "-o", "x.png", "--view", view]))


def test_the_help_names_every_option_of_the_window(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_command_line(["--help"]) == 0
    listed = re.findall(r"-[-\w]+", capsys.readouterr().out)
    options = [
        one.option_strings for one in window_parser()._actions if one.option_strings
    ]
    assert [
        names for names in options if "--help" not in names and not {*names} & {*listed}
    ] == []


def test_the_window_takes_a_file_of_settings(tmp_path: Path) -> None:
    tuned = tmp_path / "tuned.toml"
    tuned.write_text('compression.strategy = "tiered"\ncompaction.auto = true\n')
    start = parse_window(["--set-from", str(tuned), "-s", "one-shot"])
    layers = SettingLayers()
    for text in start.settings:
        layers = layers.with_session(*parse_assignment(text))
    assert layers.session == {
        "compression.strategy": "one-shot",
        "compression.auto": True,
    }
    tuned.write_text("colour = 1")
    with pytest.raises(InputError, match="line 1: There is no setting 'colour'"):
        parse_window(["--set-from", str(tuned)])
