"""Resolution of prompts, unusable overrides, and names that try to leave the folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import InputError
from core.settings.prompts.prompt_files import PromptLevel, built_in, override_paths, path_part
from core.settings.prompts.resolution import resolve_prompt
from core.settings.schema import Mode
from core.strategies.registry import COMPRESSION_STRATEGIES

NAME = COMPRESSION_STRATEGIES[0]
BASE = f"compression/{NAME}.md"
PROVIDER = f"providers/anthropic/{BASE}"
MODEL = f"providers/anthropic/models/claude-haiku-4-5/{BASE}"
CALLED = ("Anthropic", "claude-haiku-4.5")
HOSTILE = st.sampled_from(
    ("../..", "..", ".", "/etc", "C:\\x", "con", "NUL", "a/../../b", "a\0b", "~", " ", "ﬀ", "é/..", "%2e%2e")
)


def put(folder: Path, place: str, data: bytes | None = None) -> Path:
    """Write a prompt file with its own path or the given text."""
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(place.encode() if data is None else data)
    return path


@pytest.mark.req("REQ-CS-005.1", "REQ-CS-005.2")
def test_the_most_specific_prompt_wins(tmp_path: Path) -> None:
    assert resolve_prompt(NAME, *CALLED, tmp_path) == built_in(NAME)
    for place, level in (
        (BASE, PromptLevel.BASE),
        (PROVIDER, PromptLevel.PROVIDER),
        (MODEL, PromptLevel.MODEL),
    ):
        path = put(tmp_path, place)
        found = resolve_prompt(NAME, *CALLED, tmp_path)
        assert (found.level, found.path, found.text) == (level, path, place)


@pytest.mark.req("REQ-CS-005.2")
def test_a_level_needs_its_names(tmp_path: Path) -> None:
    assert [one.level for one in override_paths(NAME, "", "gpt-5", tmp_path)] == ["base"]
    assert [one.level for one in override_paths(NAME, "openai", "", tmp_path)] == ["provider", "base"]


@pytest.mark.req("REQ-CS-006A.3")
@pytest.mark.parametrize(
    ("data", "word"), [(b" \n", "empty"), (b"\xff\xfe", "UTF-8"), (b"x" * 1_000_001, "longer")]
)
def test_an_unusable_override_is_named_and_never_skipped(tmp_path: Path, data: bytes, word: str) -> None:
    put(tmp_path, BASE)
    path = put(tmp_path, MODEL, data)
    with pytest.raises(InputError, match=word) as caught:
        resolve_prompt(NAME, *CALLED, tmp_path)
    assert str(path) in caught.value.message


@pytest.mark.req("REQ-CS-006A.3")
def test_folders_pipes_and_broken_links_in_place_of_a_prompt_are_named(tmp_path: Path) -> None:
    path = tmp_path / BASE
    path.mkdir(parents=True)
    with pytest.raises(InputError, match="not a regular file"):
        resolve_prompt(NAME, "", "", tmp_path)
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(InputError, match="not a regular file"):
        resolve_prompt(NAME, "", "", tmp_path)
    path.unlink()
    path.symlink_to("nowhere.md")
    with pytest.raises(InputError, match="missing"):
        resolve_prompt(NAME, "", "", tmp_path)


@pytest.mark.parametrize("linked", ["providers", "providers/anthropic", f"{BASE}"])
def test_links_that_lead_out_of_the_folder_are_refused(tmp_path: Path, linked: str) -> None:
    folder, outside = tmp_path / "prompts", tmp_path / "outside"
    for name in ("x.md", BASE, f"anthropic/{BASE}"):
        put(outside, name)
    link = folder / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(outside / "x.md" if linked == BASE else outside)
    with pytest.raises(InputError, match="leads out of the prompts folder"):
        resolve_prompt(NAME, "anthropic", "", folder)


def test_names_become_parts_of_a_path() -> None:
    assert [path_part(name) for name in ("GPT-4.1", "--a  b--", "CON")] == ["gpt-4-1", "a-b", "reserved-con"]
    assert path_part("!!!") == path_part("..") == "unknown"
    assert path_part("x" * 300) == "x" * 255


@given(HOSTILE | st.text(), HOSTILE | st.text())
def test_no_provider_or_model_leads_out_of_the_folder(provider: str, model: str) -> None:
    folder = Path("/prompts")
    for one in override_paths(NAME, provider, model, folder):
        assert Path(os.path.normpath(one.path)) == one.path
        assert one.path.is_relative_to(folder)
        assert all(1 <= len(part) <= 264 and part.isascii() and "\0" not in part for part in one.path.parts)


@pytest.mark.parametrize(
    ("file", "called", "level"),
    [
        (BASE, ("p", "m"), PromptLevel.BASE),
        (f"providers/p/models/m/{BASE}", ("", "m"), PromptLevel.BUILT_IN),
        (f"providers/reserved-con/{BASE}", ("CON", ""), PromptLevel.PROVIDER),
        (f"providers/p/{BASE}/x", ("p", ""), PromptLevel.BUILT_IN),
    ],
)
def test_files_are_found_as_the_reference_finds_them(
    tmp_path: Path, file: str, called: tuple[str, str], level: PromptLevel
) -> None:
    put(tmp_path, file)
    found = resolve_prompt(NAME, *called, tmp_path, Mode.REFERENCE)
    assert found.level is level
    assert found.path == (tmp_path / file if level is not PromptLevel.BUILT_IN else built_in(NAME).path)


def test_the_reference_falls_through_to_the_built_in_text(tmp_path: Path) -> None:
    put(tmp_path, BASE, b"raw \xff")
    assert resolve_prompt(NAME, "", "", tmp_path, Mode.REFERENCE).text == "raw \ufffd"
    outside = put(tmp_path.parent, f"{tmp_path.name}-outside/x.md")
    (tmp_path / BASE).unlink()
    (tmp_path / BASE).symlink_to(outside)
    assert resolve_prompt(NAME, "", "", tmp_path, Mode.REFERENCE) == built_in(NAME)
