"""What fuzzing found, each as the smallest input that showed it (resources/help/robustness.md)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import partial

import pytest

from tests.fuzz.trial import try_profile, try_query, try_reader, try_settings

Try = Callable[[bytes], None]


def reader(name: str) -> Try:
    return partial(try_reader, name=name)


def _zipped(name: str) -> bytes:
    """A zip of one file whose name, as long as it is, says what is in the zip's own list."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("n" * len(name), b"{}")
    return made.getvalue().replace(b"n" * len(name), name.encode())


FINDS: dict[str, tuple[Try, bytes]] = {
    "langchain: a part of a call whose id is an object": (
        reader("langchain"),
        b'[{"type":"human","content":[{"type":"tool_use","id":{}}]},{"type":"ai","content":""}]',
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


def test_what_the_fuzzer_runs_tells_a_fault_from_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    try_reader(b"no transcript", "langchain")

    def broken(path: object, **asked: object) -> None:
        raise KeyError("a fault")

    monkeypatch.setattr("tests.fuzz.trial.load", broken)
    with pytest.raises(KeyError):
        try_reader(b"no transcript", "langchain")
