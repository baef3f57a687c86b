"""Where the fuzzer begins: small files of ours, short real ones where there are some, and words."""

import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.registry import FORMATS, format_by_name
from core.presentation.filter_query import KEYS
from core.settings_store.layers import SETTINGS
from tests.conftest import SHARED
from tests.core.formats.small_files import SMALL, written
from tests.core.formats.test_formats_odd import changed, places
from tests.fuzz.trial import try_profile, try_query, try_reader, try_settings
from tests.support.source_tree import files, imports, module_of, strings

_SHORT = 30_000
"""Bytes of a real file that is used as a seed: longer ones slow every input that is made of
them."""
_PROFILE = (
    b'provider = "anthropic"\nmodel = "m"\nkey_env = "A_KEY"\ntimeout = 5\n[parameters]\na = 1\n'
    b'[settings]\n"compression.strategy" = "one-shot"\n'
)
_QUERY = b'tool:bash tokens>2k -fate:dropped "a text" #12-40 OR marked id:"x y"'


@dataclass(frozen=True, slots=True)
class Target:
    """A thing to fuzz: its first inputs, what is tried with one, and words that its grammar
    knows."""

    name: str
    seeds: Callable[[], list[bytes]]
    run: Callable[[bytes], None]
    words: Callable[[], list[str]]
    is_json: bool = True


def _reader(name: str) -> Target:
    return Target(
        name,
        lambda: [written(SMALL[name]), *_real(name)],
        lambda data: try_reader(data, name),
        lambda: _words(format_by_name(name).read.__module__),
    )


def _packed() -> list[bytes]:
    """A zip of several files, one in a zip, a gzip, two gzips in a row, a zst."""
    import zstandard

    small = {
        name: written(SMALL[name])
        for name in ("claude_code", "openai_chat", "inspect_ai")
    }
    inner, log = _zip(small), small["claude_code"]
    return [
        inner,
        _zip({"a/b.json": small["openai_chat"], "c.zip": inner, "event-0.json": b"{}"}),
        gzip.compress(log, mtime=0),
        gzip.compress(log[:300], mtime=0) + gzip.compress(log[300:], mtime=0),
        zstandard.ZstdCompressor().compress(small["openai_chat"]),
    ]


def _zip(contents: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return made.getvalue()


def _settings() -> list[bytes]:
    lines = [
        f'"{one.key}" = {json.dumps(one.default)}'
        for one in SETTINGS
        if one.default is not None
    ]
    tables = (
        b"[compression]\nstrategy = 'one-shot' # why\n"
        b"[compression.density]\nfileDedupe = false\n[[z]]\na = [\n1]\n"
    )
    inline = b"compression = { mode = 'safe', density.fileDedupe = true }\n"
    return ["\n".join(lines).encode(), tables, inline]


def _keys() -> list[str]:
    return [one.key for one in SETTINGS] + [
        alias for one in SETTINGS for alias in one.aliases
    ]


TARGETS: Mapping[str, Target] = {
    **{one.name: _reader(one.name) for one in FORMATS if one.name in SMALL},
    "packed": Target(
        "packed", _packed, lambda data: try_reader(data, ""), list, is_json=False
    ),
    "settings": Target("settings", _settings, try_settings, _keys, is_json=False),
    "profile": Target("profile", lambda: [_PROFILE], try_profile, _keys, is_json=False),
    "query": Target(
        "query", lambda: [_QUERY], try_query, lambda: list(KEYS), is_json=False
    ),
}
"""Every reader of transcripts in one file, and what else reads bytes of somebody else."""


def _real(name: str) -> list[bytes]:
    folder = SHARED / "corpus" / name
    if not folder.is_dir():
        return []
    short = [
        path
        for path in folder.iterdir()
        if path.is_file() and path.stat().st_size <= _SHORT
    ]
    return [
        path.read_bytes()
        for path in sorted(short, key=lambda path: path.stat().st_size)[:3]
    ]


def _words(module: str) -> list[str]:
    """The names and kinds that a reader's module, and those of its folder that it imports, look
    for."""
    by_module = {module_of(path): path for path in files("core/formats")}
    own = by_module[module]
    near = [by_module[one.target] for one in imports(own) if one.target in by_module]
    found = {text for path in (own, *near) for _, text in strings(path)}
    return sorted(
        text
        for text in found
        if 0 < len(text) < 40 and text.isprintable() and " " not in text
    )


def mutated(data: bytes, dice: random.Random, words: list[str]) -> bytes:
    """The same JSON with a value, a field or a line changed; bytes that are no JSON as they are."""
    value = _parsed(data)
    if not isinstance(value, list | dict | tuple) or not value:
        return data
    for _ in range(dice.choice((1, 1, 2, 4))):
        if not list(places(value)):
            break
        value = (
            _worded(value, dice, words)
            if words and dice.random() < 0.4
            else changed(value, dice)
        )
    try:
        return written(value)
    except (ValueError, RecursionError):
        return data


def _worded(value: Json, dice: random.Random, words: list[str]) -> Json:
    """A copy in which a field has another name, or a text says another word, that the reader
    knows."""
    made = json.loads(json.dumps(value))
    holders = [made, *(inner for inner in _inside(made))]
    holder = dice.choice(holders)
    word = dice.choice(words)
    if isinstance(holder, dict) and (not holder or dice.random() < 0.5):
        holder[word] = (
            dice.choice(holders) if dice.random() < 0.3 else dice.choice(words)
        )
        made = (
            json.loads(json.dumps(made))
            if not _is_loop(made)
            else json.loads(json.dumps(value))
        )
    elif isinstance(holder, dict):
        holder[dice.choice(list(holder))] = word
    elif holder:
        holder[dice.randrange(len(holder))] = word
    return tuple(made) if isinstance(value, tuple) else made


def _is_loop(value: Json) -> bool:
    try:
        json.dumps(value)
    except (ValueError, RecursionError):
        return True
    return False


def _inside(value: Json) -> list[Json]:
    found: list[Json] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        inner = list(one.values()) if isinstance(one, dict) else list(one)
        nested = [two for two in inner if isinstance(two, dict | list)]
        found += nested
        waiting += nested
    return found


def _parsed(data: bytes) -> Json:
    """A JSON value, or the tuple of those that stand on lines; None for neither."""
    with suppress(ValueError, RecursionError):
        return json.loads(data)
    with suppress(ValueError, RecursionError):
        return tuple(json.loads(line) for line in data.splitlines() if line.strip())
    return None
