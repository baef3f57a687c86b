"""Defects found by fuzzing, each with its smallest input (tests/robustness.md)."""

import io
import json
import subprocess
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.small_files import SMALL
from tests.fuzz import __main__ as fuzz
from tests.fuzz.trial import try_profile, try_query, try_reader, try_settings

Try = Callable[[bytes], None]


def reader(name: str) -> Try:
    return partial(try_reader, name=name)


def _zipped(name: str) -> bytes:
    """Return a zip of one file, with another name of the same length in the zip's own list."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("n" * len(name), b"{}")
    return made.getvalue().replace(b"n" * len(name), name.encode())


FINDS: dict[str, tuple[Try, bytes]] = {
    "langchain: a part of a call whose id is an object": (
        reader("langchain"),
        b'[{"type":"human","content":[{"type":"tool_use","id":{}}]},{"type":"ai","content":""}]',
    ),
    "chatgpt: a parent that is a list": (
        reader("chatgpt"),
        b'{"mapping":{"a":{"parent":[]}}}',
    ),
    "qwen_code: an id that is a list": (
        reader("qwen_code"),
        b'{"uuid":"a","type":"user"}\n{"uuid":[],"type":"user"}',
    ),
    "vscode_chat: the id of a call is a list": (
        reader("vscode_chat"),
        b'{"requests":[{"result":{"metadata":{"toolCallRounds":[{"toolCalls":[{"id":[]}]}]}}}]}',
    ),
    "packed: a file of a zip without a name": (reader(""), _zipped("\0x")),
    "query: a value that cannot be seen stood in its error": (try_query, b"fate:\x00"),
    "settings: a key of thousands of parts": (try_settings, b"a." * 3_000 + b"b=1"),
    "profile: a key of thousands of parts": (try_profile, b"a." * 3_000 + b"b=1"),
}
"""By target and what was wrong."""


@pytest.mark.parametrize("find", FINDS)
def test_a_find_of_the_fuzzer_is_no_fault_any_more(find: str) -> None:
    run, data = FINDS[find]
    run(data)


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        (subprocess.TimeoutExpired([], 1), "did not end within"),
        (subprocess.CompletedProcess([], 7), "with 7"),
    ],
    ids=["hangs", "dies"],
)
def test_a_target_that_hangs_or_dies_leaves_the_others_their_turn(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ends: Any,
    told: str,
) -> None:
    def run(*words: object, **options: object) -> Any:
        if isinstance(ends, Exception):
            raise ends
        return ends

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr("sys.argv", ["fuzz", "query", "goose", "--keep", str(tmp_path)])
    assert fuzz.main() == 1
    said = capsys.readouterr().out
    assert said.count(told) == 2
    assert "finds: 2" in said


def test_what_the_fuzzer_runs_tells_a_fault_from_a_refusal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    try_reader(b"no transcript", "langchain")

    def broken(path: object, **asked: object) -> None:
        raise KeyError("a fault")

    monkeypatch.setattr("tests.fuzz.trial.load_conversation", broken)
    with pytest.raises(KeyError):
        try_reader(b"no transcript", "langchain")


def test_parts_of_adk_that_are_no_list_are_no_fault() -> None:
    whole = json.dumps(SMALL["google_adk"])
    start = whole.index('"parts": [')
    _, end = json.JSONDecoder().raw_decode(whole, start + len('"parts": '))
    try_reader(f'{whole[:start]}"parts": true{whole[end:]}'.encode(), "google_adk")
