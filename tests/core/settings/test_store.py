"""The settings file and profiles: read by declaration, edited key by key, validated, never with a
key."""

import subprocess
import sys
import time
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.common.atomic_file import TargetExistsError
from core.common.errors import InputError
from core.settings import schema
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import (
    FILE_DEDUPE,
    PRESERVE,
    PROFILE,
    STRATEGY,
    THRESHOLD,
    EffectiveValue,
    SettingLayer,
    SettingValue,
)
from core.settings_store.layers import SettingLayers, find_setting
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import SavedSettings
from core.strategies.registry import COMPACTION_STRATEGIES
from tests.support.source_tree import ROOT

OTHER = COMPACTION_STRATEGIES[1]


def store(folder: Path, text: str | bytes = "") -> SavedSettings:
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
def test_every_way_to_write_a_key_is_understood_and_kept(
    tmp_path: Path, written: str
) -> None:
    saved = store(tmp_path, written)
    assert saved.load().values == {schema.STRATEGY: OTHER}
    other = {schema.STRATEGY: COMPACTION_STRATEGIES[2]}
    assert saved.save(other).values == other
    assert text(saved).count("strategy") == 1
    assert saved.save({schema.STRATEGY: None}).values == {}


@pytest.mark.req("REQ-CS-010.2")
def test_saved_compression_settings_are_typed(tmp_path: Path) -> None:
    good = (
        f'[chatCompression]\nstrategy = "{OTHER}"\nprofile = '
        f'"haiku"\ncontextPercentageThreshold = 0.6\n'
    )
    values = {schema.STRATEGY: OTHER, schema.PROFILE: "haiku", schema.THRESHOLD: 0.6}
    assert store(tmp_path, good).load().values == values
    bad = (
        '[chatCompression]\nstrategy = "none-such"\nprofile = 5\ncontextPercentageThreshold = '
        '"much"\n'
    )
    loaded = store(tmp_path, bad).load()
    assert loaded.values == {
        schema.STRATEGY: "none-such"
    }  # an error where it is needed
    assert [problem.split(": ")[0][-6:] for problem in loaded.problems] == [
        "line 2",
        "line 3",
        "line 4",
    ]


@pytest.mark.parametrize(
    ("written", "line", "words"),
    [
        ("compression.preserve-threshold = 2\n", 1, "from 0 up to 1"),
        ("\n\ncontext-limit = 1.5\n", 3, "a whole number"),
        ("[compression.density]\nfileDedupe = 'yes'\n", 2, "true or false"),
        ("compression-treshold = 0.5\n", 1, "Did you mean compression.threshold"),
        ("compression.mode = 1979-05-27\n", 1, "cannot be"),
        ("compression.context-limit = 1" + "0" * 400 + "\n", 1, "up to 1,000,000,000"),
        ("x = '''\ncontext-limit = 5\n'''\ncontext-limit = 0\n", 4, "from 1"),
        (
            "[x]\ny = [\n1,\n]\n[[z]]\n[compression . 'density']\nfileDedupe = 1 # no\n",
            7,
            "true or false",
        ),
        ("compression = { a = 1, mode = 'x' }\n", 1, "safe, reference"),
        (
            "chatCompression.profile = 'a'\ncompression.profile = 'b'\n",
            1,
            "line 2 sets it already",
        ),
    ],
)
def test_problems_name_file_and_line(
    tmp_path: Path, written: str, line: int, words: str
) -> None:
    saved = store(tmp_path, written)
    problems = saved.load().problems
    assert len(problems) == 1
    assert problems[0].startswith(f"{saved.path}, line {line}: ")
    assert words in problems[0]


@pytest.mark.parametrize(
    "name", ["compression.treshold", "compresion.mode", "contextlimit", "Filededupe"]
)
def test_a_misspelt_key_is_told_as_where_it_is_typed(tmp_path: Path, name: str) -> None:
    (problem,) = store(tmp_path, f"{name} = 1\n").load().problems
    with pytest.raises(InputError) as typed:
        find_setting(name)
    assert problem.endswith(f"line 1: {typed.value}")


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"a = 1\nb = \n", 2),
        (b"[x\n", 1),
        (b"a = 'open", 1),
        (b"ok = 1\n\xff = 2\n", 2),
        (b"a=1\na=2\n", 2),
    ],
)
def test_a_broken_file_is_told_used_around_and_set_aside_on_save(
    tmp_path: Path, data: bytes, line: int
) -> None:
    saved = store(tmp_path, data)
    loaded = saved.load()
    assert loaded.values == {}
    assert loaded.problems[0].startswith(f"{saved.path}, line {line}: ")
    assert saved.path.read_bytes() == data
    problems = saved.save({schema.RETENTION: 7}).problems
    assert "settings.broken.toml" in problems[0]
    assert (tmp_path / "settings.broken.toml").read_bytes() == data
    assert saved.load() == type(loaded)({schema.RETENTION: 7}, ())


def test_comments_order_and_foreign_keys_stay(tmp_path: Path) -> None:
    density = "[compression.density] # why\nfileDedupe = false # because\n"
    saved = store(tmp_path, f"# mine\nz = [1, 2] # list\n\n{density}\n[other]\na = 1\n")
    saved.save({schema.FILE_DEDUPE: True, schema.PRESERVE: 0.3, schema.STRATEGY: OTHER})
    assert saved.save({schema.PRESERVE: None, schema.STRATEGY: None}).values == {
        schema.FILE_DEDUPE: True
    }
    for part in (
        "# mine\nz = [1, 2] # list",
        "[compression.density] # why",
        "file-dedupe = true # because",
    ):
        assert part in text(saved)
    assert tomllib.loads(text(saved))["other"] == {"a": 1}


@pytest.mark.parametrize(
    ("written", "left"),
    [
        (f'a = 1\n\n[compression]\nstrategy = "{OTHER}"\n', "a = 1"),
        (f'a = 1\ncompression = {{ strategy = "{OTHER}" }}\n', "a = 1"),
        (f'[compression]\n# mine\nstrategy = "{OTHER}"\n', "[compression]\n# mine"),
        (f'[compression] # mine\nstrategy = "{OTHER}"\n', "[compression] # mine"),
        (f'[chatCompression]\nstrategy = "{OTHER}"\n', ""),
    ],
)
def test_a_key_taken_out_leaves_no_empty_table(
    tmp_path: Path, written: str, left: str
) -> None:
    saved = store(tmp_path, written)
    saved.save({schema.STRATEGY: None})
    assert text(saved).strip() == left


def test_the_last_key_of_an_inner_table_takes_the_outer_with_it(tmp_path: Path) -> None:
    saved = store(tmp_path, "[compression.density]\nfile-dedupe = false\n")
    saved.save({schema.FILE_DEDUPE: None})
    assert text(saved).strip() == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"nonsense": 1}, "no setting"),
        ({schema.LIMIT: 0}, "from 1"),
        ({schema.PROFILE: "\ud800"}, "not Unicode"),
    ],
)
def test_what_is_refused_is_not_saved(
    tmp_path: Path, changes: dict[str, SettingValue], words: str
) -> None:
    saved = store(tmp_path, "a = 1\n")
    with pytest.raises(InputError, match=words):
        saved.save(changes)
    assert text(saved) == "a = 1\n"


WRITER = """
import sys
from pathlib import Path
from core.settings_store.settings_file import SavedSettings
saved, key, last = SavedSettings(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
for number in range(1, last + 1):
    before = saved.load().values.get(key)
    assert before == (number - 1 or None), f"{key} was lost: {before} before {number}"
    saved.save({key: number})
"""


def writer(path: Path, key: str, last: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WRITER, str(path), key, str(last)]
    return subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_two_programs_that_write_one_file_lose_nothing(tmp_path: Path) -> None:
    saved = store(tmp_path, "# theirs\nkept = 'yes'\n")
    running = [
        writer(saved.path, key, 40) for key in (schema.RETENTION, schema.SUMMARY_TOKENS)
    ]
    assert [(one.communicate()[1], one.returncode) for one in running] == [
        ("", 0),
        ("", 0),
    ]
    assert saved.load().values == {schema.RETENTION: 40, schema.SUMMARY_TOKENS: 40}
    assert text(saved).startswith("# theirs\nkept = 'yes'\n")


def test_a_program_killed_while_it_writes_leaves_the_old_file_or_the_new(
    tmp_path: Path,
) -> None:
    for pause in (0.0, 0.01, 0.03):
        saved = store(tmp_path, "kept = 'yes'\n")
        with writer(saved.path, schema.SUMMARY_TOKENS, 60_000) as running:
            assert running.stdout is not None
            assert running.stdout.readline() == "ready\n"
            time.sleep(pause)
            running.kill()
        loaded = saved.load()
        assert loaded.problems == ()
        assert text(saved).startswith("kept = 'yes'\n")
        assert saved.save({schema.RETENTION: 9}).values == {
            **loaded.values,
            schema.RETENTION: 9,
        }


HAIKU = Profile(
    name="haiku",
    provider="anthropic",
    model="claude-haiku-4-5",
    key_env="ANTHROPIC_API_KEY",
    parameters={"temperature": 0.2, "stop": ["END"], "extra": {"depth": 1}},
    timeout=30.0,
    settings={STRATEGY: "one-shot", PROFILE: "haiku", FILE_DEDUPE: False},
)
KEY = "sk-" + "ant-" + "api03" + "A1b2C3d4" * 4


@pytest.fixture
def profiles(tmp_path: Path) -> ProfileStore:
    return ProfileStore(tmp_path / "profiles")


def written(profiles: ProfileStore, name: str, text: str) -> Path:
    profiles.folder.mkdir(exist_ok=True)
    path = profiles.folder / f"{name}.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.req("REQ-CS-007.6")
def test_a_profile_keeps_its_model_and_settings(profiles: ProfileStore) -> None:
    profiles.save(HAIKU)
    assert profiles.load("haiku") == HAIKU
    kept = dict.fromkeys((STRATEGY, PROFILE), "kept")
    assert SettingLayers(session=kept).for_profile() == kept


def test_offline_is_built_in_and_stays(profiles: ProfileStore) -> None:
    assert profiles.load("offline") is BUILT_IN
    assert BUILT_IN.is_offline
    for name in ("offline", "Offline"):
        with pytest.raises(InputError, match="built in"):
            profiles.save(replace(HAIKU, name=name))
    with pytest.raises(InputError, match="built in"):
        profiles.delete("offline")


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        "/x",
        "C:x",
        "a\0b",
        "a b",
        "a.",
        ".a",
        "CON",
        "nul.x",
        "x" * 65,
    ],
)
def test_names_cannot_leave_the_folder(profiles: ProfileStore, name: str) -> None:
    with pytest.raises(InputError, match="cannot be the name"):
        profiles.save(replace(HAIKU, name=name))
    with pytest.raises(InputError, match="cannot be the name"):
        profiles.delete(name)
    with pytest.raises(InputError, match="no profile"):
        profiles.load(name)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"key_env": "abcdef0123456789abcdef01"}, "looks like a key"),
        ({"key_env": KEY + "\n"}, "looks like a key"),
        ({"key_ring": KEY}, "looks like a key"),
        ({"key_ring": "0123456789abcdef" * 2}, "looks like a key"),
        ({"base_url": "https://me:secret@host/v1"}, "looks like a key"),
        ({"base_url": "https://host/v1?api_key=short"}, "looks like a key"),
        ({"parameters": {"extra_headers": {"x-api-key": "short"}}}, "looks like a key"),
        ({"parameters": {"user": [KEY]}}, "looks like a key"),
        ({"settings": {PROFILE: KEY}}, "looks like a key"),
        ({"key_env": "MY KEY"}, "environment variable"),
        ({"provider": ""}, "one line"),
        ({"model": "a\nb"}, "one line"),
        ({"base_url": "file:///etc/passwd"}, "http://"),
        ({"base_url": "http://host:99999"}, "http://"),
        ({"timeout": 0.0}, "86,400"),
        ({"timeout": float("nan")}, "86,400"),
        ({"total_timeout": 0.0}, "total_timeout cannot be 0.0"),
        ({"parameters": {"seed": None}}, "parameter seed"),
        ({"settings": {PRESERVE: 3}}, "from 0 up to 1"),
        ({"settings": {"nonsense": 3}}, "no setting"),
    ],
)
def test_what_no_profile_may_hold(
    profiles: ProfileStore, change: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError) as caught:
        profiles.save(replace(HAIKU, **change))
    assert words in str(caught.value)
    assert KEY not in str(caught.value)
    assert profiles.names() == ("offline",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("provider = \n", "line 1: "),
        ("provider = 'p'\n", "has no model"),
        ("provider = 'p'\nmodel = 5\n", "line 2: model cannot be 5"),
        ("provider = 'p'\nmodel = 'm'\ntimeout = true\n", "line 3: timeout"),
        ("provider = 'p'\nmodel = 'm'\ntotal_timeout = 'x'\n", "line 3: total_timeout"),
        ("provider = 'p'\nmodel = 'm'\nsettings = 1\n", "line 3: settings"),
        (
            "provider = 'p'\nmodel = 'm'\n[settings]\ncompression.mode = 'x'\n",
            "line 4: compression.mode",
        ),
        (
            "provider = 'p'\nmodel = 'm'\napi_key = 'abc'\n",
            "api_key holds what looks like a key",
        ),
    ],
)
def test_a_broken_profile_names_its_file_and_line(
    profiles: ProfileStore, text: str, words: str
) -> None:
    path = written(profiles, "haiku", text)
    with pytest.raises(InputError) as caught:
        profiles.load("haiku")
    assert str(path) in str(caught.value)
    assert words in str(caught.value)
    assert path.read_text() == text


def test_a_loaded_profile_gives_session_values_and_its_name() -> None:
    layers = SettingLayers(saved={PRESERVE: 0.1}).with_profile(
        {PRESERVE: 0.25, THRESHOLD: 0.5}, "tuning-a"
    )
    assert layers.resolve().by_key[PRESERVE] == EffectiveValue(
        0.25, SettingLayer.SESSION, "tuning-a"
    )
    by_hand = layers.with_session(PRESERVE, 0.3)
    assert by_hand.resolve().by_key[PRESERVE] == EffectiveValue(
        0.3, SettingLayer.SESSION
    )
    assert by_hand.for_profile() == {PRESERVE: 0.3, THRESHOLD: 0.5}
    reset = by_hand.with_session(PRESERVE, None)
    assert reset == layers
    saved = EffectiveValue(0.1, SettingLayer.SAVED)
    assert reset.with_session(PRESERVE, None).resolve().by_key[PRESERVE] == saved
    assert layers.with_profile({}, "offline").resolve().number(PRESERVE) == 0.1


def test_foreign_fields_and_comments_stay(profiles: ProfileStore) -> None:
    text = "# mine\nprovider = 'p'\nmodel = 'm' # old\nfuture = 1\n[settings]\n'later.key' = 2\n"
    path = written(profiles, "haiku", text)
    profiles.save(HAIKU)
    profiles.save(replace(HAIKU, parameters={}, settings={THRESHOLD: 0.5}))
    assert profiles.load("haiku") == replace(
        HAIKU, parameters={}, settings={THRESHOLD: 0.5}
    )
    found = tomllib.loads(path.read_text())
    assert (found["future"], found["settings"]["later.key"]) == (1, 2)
    assert path.read_text().startswith("# mine\n")


def test_a_deleted_profile_is_gone(profiles: ProfileStore) -> None:
    profiles.save(HAIKU)
    with pytest.raises(TargetExistsError):
        profiles.save(HAIKU, overwrite=False)
    profiles.delete("haiku")
    with pytest.raises(InputError, match="There is no profile 'haiku'"):
        profiles.delete("haiku")
    assert profiles.names() == ("offline",)


def test_a_save_writes_former_names_by_todays_and_keeps_comments(
    tmp_path: Path,
) -> None:
    saved = store(
        tmp_path,
        "context-limit = 9000 # small\n[compaction]\nsummary_role = 'user'\n",
    )
    saved.save({schema.STRATEGY: OTHER})
    assert saved.load().values == {
        schema.LIMIT: 9000,
        schema.SUMMARY_ROLE: "user",
        schema.STRATEGY: OTHER,
    }
    written = tomllib.loads(text(saved))["compression"]
    assert written["context-limit"] == 9000
    assert written["tiered"] == {"summary-role": "user"}
    assert "context-limit = 9000 # small" in text(saved)
