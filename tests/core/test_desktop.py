"""``foldline desktop``: what is written, who goes on opening files, and that it can be taken away."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli.desktop import program
from core.desktop.install import ENTRY, install, plan, remove
from core.desktop.openers import opener
from core.desktop.places import Places, places
from core.desktop.texts import TYPES, desktop_entry, mime_package, with_choices, without_choices
from core.errors import InputError
from core.workers import ran_quietly
from tests.core.cli import Cli

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="menus of Linux desktops")
VIM, GEDIT = "vim.desktop", "org.gnome.gedit.desktop"


def nothing_runs(words: object) -> bool:
    """No program of the desktop is there."""
    return False


@pytest.fixture
def where(tmp_path: Path) -> Places:
    """A desktop on which gedit opens plain text without having been chosen, and vim came later."""
    made = Places(tmp_path / "data", tmp_path / "config", (tmp_path / "shared",), (tmp_path / "xdg",), ("x",))
    shared = tmp_path / "shared" / "applications"
    shared.mkdir(parents=True)
    for name in (VIM, GEDIT):
        (shared / name).write_text("[Desktop Entry]\n")
    (shared / "mimeinfo.cache").write_text(f"[MIME Cache]\ntext/plain=gone.desktop;{GEDIT};{VIM};\n")
    (tmp_path / "shared" / "mime").mkdir()
    (tmp_path / "shared" / "mime" / "subclasses").write_text("application/json text/plain\n")
    return made


def files_of(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text("utf-8", "replace")
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_what_opened_files_goes_on_opening_them(where: Places) -> None:
    assert opener("application/json", (), where) == GEDIT
    made, failed = install("/opt/foldline", where, nothing_runs)
    assert made.kept["application/json"] == GEDIT
    assert failed == ("update-mime-database", "update-desktop-database", "gtk-update-icon-cache")
    cache = where.data / "applications" / "mimeinfo.cache"
    cache.write_text("[MIME Cache]\n" + "".join(f"{one.name}={ENTRY};\n" for one in TYPES))
    for one in ("application/json", "application/x-ndjson"):
        assert opener(one, (), where) == GEDIT
    assert opener("application/x-inspect-eval", (), where) == ENTRY  # nobody opened these before


def test_a_choice_of_the_person_is_not_touched(where: Places) -> None:
    where.config.mkdir()
    chosen = f"[Default Applications]\napplication/json={VIM}\napplication/x-ndjson={VIM}\n"
    (where.config / "mimeapps.list").write_text(chosen)
    assert "application/json" not in plan("/opt/foldline", where).kept
    install("/opt/foldline", where, nothing_runs)
    assert chosen.splitlines()[1] in (where.config / "mimeapps.list").read_text()
    assert opener("application/json", (), where) == VIM


def test_twice_is_once_and_remove_leaves_nothing(where: Places) -> None:
    where.config.mkdir()
    mine = "# mine\n[Added Associations]\ntext/plain=vim.desktop;\n"
    (where.config / "mimeapps.list").write_text(mine)
    install("/opt/foldline", where, nothing_runs)
    once = files_of(where.data) | files_of(where.config)
    install("/opt/foldline", where, nothing_runs)
    assert files_of(where.data) | files_of(where.config) == once
    assert {Path(name).name for name in files_of(where.data)} >= {ENTRY, "foldline.svg", "foldline.png"}
    gone, _ = remove(where, nothing_runs)
    assert len(gone) == 10
    assert files_of(where.data) == {}
    left = (where.config / "mimeapps.list").read_text()
    assert left.startswith(mine)
    assert "foldline" not in left
    assert VIM not in left.removeprefix(mine)
    assert remove(where, nothing_runs) == ((), ())


def test_a_folder_in_whose_place_a_file_lies_is_named(where: Places) -> None:
    where.data.write_text("")
    with pytest.raises(InputError, match=r"applications.*could not be written: not a dir"):
        install("/opt/foldline", where, nothing_runs)


def test_only_our_own_lines_are_taken_from_the_list() -> None:
    kept = {"application/json": GEDIT}
    text = with_choices("[Default Applications]\ntext/html=w.desktop\n", kept)
    assert text == f"[Default Applications]\napplication/json={GEDIT};\ntext/html=w.desktop\n"
    assert without_choices(text, kept) == "[Default Applications]\ntext/html=w.desktop\n"
    changed = text.replace(GEDIT, VIM)
    assert without_choices(changed, kept) == changed


def test_the_menu_entry_is_valid(tmp_path: Path) -> None:
    entry = desktop_entry('/opt/a "b" $c/100%', {"application/json": GEDIT})
    assert 'Exec="/opt/a \\\\"b\\\\" \\\\$c/100%%" %f\n' in entry
    assert "Terminal=false\n" in entry
    checker = shutil.which("desktop-file-validate")
    if checker is not None:
        (tmp_path / ENTRY).write_text(desktop_entry("/opt/foldline", {}))
        done = subprocess.run([checker, tmp_path / ENTRY], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "")


def test_every_type_that_is_brought_along_is_described() -> None:
    text = mime_package()
    for one in TYPES:
        assert (f'<mime-type type="{one.name}">' in text) == bool(one.patterns)
        assert all(f'pattern="{pattern}"' in text for pattern in one.patterns)


def test_the_command_shows_installs_and_removes(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("core.cli.desktop.program", lambda: "/opt/foldline")
    monkeypatch.setattr("core.workers.ran_quietly", nothing_runs)
    assert cli.run("desktop", "show") == 0
    assert "Foldline is not installed on this desktop." in cli.out
    assert cli.run("desktop", "install") == 0
    assert "written" in cli.out
    assert "Not run: update-mime-database" in cli.err
    assert (places().data / "applications" / ENTRY).is_file()
    assert cli.run("desktop", "remove") == 0
    assert cli.run("desktop", "remove") == 0
    assert cli.out == "Nothing was installed.\n"
    assert "install|remove|show" in cli.refused("desktop")


def test_a_program_that_cannot_be_found_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", ["pytest"])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(InputError, match="pip install"):
        program()
    (tmp_path / "foldline").write_text("")
    assert program() == str(tmp_path / "foldline")


def test_programs_of_the_system_are_run_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    assert ran_quietly(["echo", "hello"])
    assert not ran_quietly(["false"])
    assert not ran_quietly(["no-such-program-of-a-desktop"])
    assert capfd.readouterr() == ("", "")


def test_folders_of_the_environment_hold_where_they_are_whole_paths() -> None:
    found = places({"XDG_DATA_HOME": "relative", "XDG_CONFIG_HOME": "/c", "XDG_DATA_DIRS": "/a:/b"})
    assert found.data == Path.home() / ".local/share"
    assert (found.config, found.shared_data) == (Path("/c"), (Path("/a"), Path("/b")))
    assert found.shared_config == (Path("/etc/xdg"),)
