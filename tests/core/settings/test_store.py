"""The settings file: read by declaration, edited key by key, never lost."""

from __future__ import annotations

import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from core.common.errors import InputError
from core.configuration.store import SavedSettings
from core.settings import keys
from core.settings.schema import SettingValue
from core.strategies.registry import COMPRESSION_STRATEGIES
from tests.source_tree import ROOT

OTHER = COMPRESSION_STRATEGIES[1]


def store(folder: Path, text: str | bytes = "") -> SavedSettings:
    """Return saved settings of a file with this text, or without a file."""
    path = folder / "settings.toml"
    if text:
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return SavedSettings(path)


def text(saved: SavedSettings) -> str:
    return saved.path.read_text("utf-8")


@pytest.mark.parametrize(
    "written",
    [
        f'[compression]\nstrategy = "{OTHER}"\n',
        f'compression.strategy = "{OTHER}"\n',
        f'"compression.strategy" = "{OTHER}"\n',
        f'compression = {{ strategy = "{OTHER}" }}\n',
        f'[chatCompression]\nstrategy = "{OTHER}"\n',
        f'\ufeff[compression]\r\nstrategy = "{OTHER}"\r\n',
    ],
)
def test_every_way_to_write_a_key_is_understood_and_kept(tmp_path: Path, written: str) -> None:
    saved = store(tmp_path, written)
    assert saved.load().values == {keys.STRATEGY: OTHER}
    other = {keys.STRATEGY: COMPRESSION_STRATEGIES[2]}
    assert saved.save(other).values == other
    assert text(saved).count("strategy") == 1
    assert saved.save({keys.STRATEGY: None}).values == {}


@pytest.mark.req("REQ-CS-010.2")
def test_saved_compression_settings_are_typed(tmp_path: Path) -> None:
    good = f'[chatCompression]\nstrategy = "{OTHER}"\nprofile = "haiku"\ncontextPercentageThreshold = 0.6\n'
    values = {keys.STRATEGY: OTHER, keys.PROFILE: "haiku", keys.THRESHOLD: 0.6}
    assert store(tmp_path, good).load().values == values
    bad = '[chatCompression]\nstrategy = "none-such"\nprofile = 5\ncontextPercentageThreshold = "much"\n'
    loaded = store(tmp_path, bad).load()
    assert loaded.values == {}
    assert [problem.split(": ")[0][-6:] for problem in loaded.problems] == ["line 2", "line 3", "line 4"]


@pytest.mark.parametrize(
    ("written", "line", "words"),
    [
        ("compression-preserve-threshold = 2\n", 1, "from 0 up to 1"),
        ("\n\ncontext-limit = 1.5\n", 3, "a whole number"),
        ("[compression.density]\nfileDedupe = 'yes'\n", 2, "true or false"),
        ("compression-treshold = 0.5\n", 1, "Did you mean compression-threshold"),
        ("compression.mode = 1979-05-27\n", 1, "cannot be"),
        ("context-limit = 1" + "0" * 400 + "\n", 1, "up to 1,000,000,000"),
        ("x = '''\ncontext-limit = 5\n'''\ncontext-limit = 0\n", 4, "from 1"),
        ("[x]\ny = [\n1,\n]\n[[z]]\n[compression . 'density']\nfileDedupe = 1 # no\n", 7, "true or false"),
        ("compression = { a = 1, mode = 'x' }\n", 1, "safe, reference"),
        ("chatCompression.profile = 'a'\ncompression.profile = 'b'\n", 1, "line 2 sets it already"),
    ],
)
def test_problems_name_file_and_line(tmp_path: Path, written: str, line: int, words: str) -> None:
    saved = store(tmp_path, written)
    problems = saved.load().problems
    assert len(problems) == 1
    assert problems[0].startswith(f"{saved.path}, line {line}: ")
    assert words in problems[0]


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"a = 1\nb = \n", 2), (b"[x\n", 1), (b"a = 'open", 1), (b"ok = 1\n\xff = 2\n", 2), (b"a=1\na=2\n", 2)],
)
def test_a_broken_file_is_told_used_around_and_set_aside_on_save(
    tmp_path: Path, data: bytes, line: int
) -> None:
    saved = store(tmp_path, data)
    loaded = saved.load()
    assert loaded.values == {}
    assert loaded.problems[0].startswith(f"{saved.path}, line {line}: ")
    assert saved.path.read_bytes() == data
    problems = saved.save({keys.RETENTION: 7}).problems
    assert "settings.broken.toml" in problems[0]
    assert (tmp_path / "settings.broken.toml").read_bytes() == data
    assert saved.load() == type(loaded)({keys.RETENTION: 7}, ())


def test_comments_order_and_foreign_keys_stay(tmp_path: Path) -> None:
    density = "[compression.density] # why\nfileDedupe = false # because\n"
    saved = store(tmp_path, f"# mine\nz = [1, 2] # list\n\n{density}\n[other]\na = 1\n")
    saved.save({keys.FILE_DEDUPE: True, keys.PRESERVE: 0.3, keys.STRATEGY: OTHER})
    assert saved.save({keys.PRESERVE: None, keys.STRATEGY: None}).values == {keys.FILE_DEDUPE: True}
    for part in ("# mine\nz = [1, 2] # list", "[compression.density] # why", "fileDedupe = true # because"):
        assert part in text(saved)
    assert tomllib.loads(text(saved))["other"] == {"a": 1}


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"nonsense": 1}, "no setting"), ({keys.LIMIT: 0}, "from 1"), ({keys.PROFILE: "\ud800"}, "not Unicode")],
)
def test_what_is_refused_is_not_saved(tmp_path: Path, changes: dict[str, SettingValue], words: str) -> None:
    saved = store(tmp_path, "a = 1\n")
    with pytest.raises(InputError, match=words):
        saved.save(changes)
    assert text(saved) == "a = 1\n"


WRITER = """
import sys
from pathlib import Path
from core.configuration.store import SavedSettings
saved, key, last = SavedSettings(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
for number in range(1, last + 1):
    before = saved.load().values.get(key)
    assert before == (number - 1 or None), f"{key} was lost: {before} before {number}"
    saved.save({key: number})
"""


def writer(path: Path, key: str, last: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WRITER, str(path), key, str(last)]
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_programs_that_write_one_file_lose_nothing(tmp_path: Path) -> None:
    saved = store(tmp_path, "# theirs\nkept = 'yes'\n")
    running = [writer(saved.path, key, 40) for key in (keys.RETENTION, keys.SUMMARY_TOKENS)]
    assert [(one.communicate()[1], one.returncode) for one in running] == [("", 0), ("", 0)]
    assert saved.load().values == {keys.RETENTION: 40, keys.SUMMARY_TOKENS: 40}
    assert text(saved).startswith("# theirs\nkept = 'yes'\n")


def test_a_program_killed_while_it_writes_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    for pause in (0.0, 0.01, 0.03):
        saved = store(tmp_path, "kept = 'yes'\n")
        with writer(saved.path, keys.SUMMARY_TOKENS, 60_000) as running:
            assert running.stdout is not None
            assert running.stdout.readline() == "ready\n"
            time.sleep(pause)
            running.kill()
        loaded = saved.load()
        assert loaded.problems == ()
        assert text(saved).startswith("kept = 'yes'\n")
        assert saved.save({keys.RETENTION: 9}).values == {**loaded.values, keys.RETENTION: 9}
