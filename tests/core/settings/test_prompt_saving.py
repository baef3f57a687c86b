"""Prompts: resolution, names that try to leave the folder, installing, saving, deleting,
checking."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common import paths
from core.common.errors import InputError
from core.settings.prompt_levels import (
    InstallOutcome,
    PromptCheck,
    check_prompt,
    install_prompts,
    prompt_chain,
    revert_override,
    save_override,
    with_section,
)
from core.settings.prompts import (
    PromptLevel,
    built_in,
    override_paths,
    path_part,
    prompt_names,
    required_sections,
    resolve_prompt,
    unknown_placeholders,
)
from core.settings.schema import Mode
from core.strategies.registry import COMPACTION_STRATEGIES
from tests.support.source_tree import ROOT

NAME = COMPACTION_STRATEGIES[0]
BASE = f"compression/{NAME}.md"
PROVIDER = f"providers/anthropic/{BASE}"
CALLED = ("anthropic", "claude-haiku-4-5")


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a built-in prompt ``x`` that a test can change, as an upgrade does."""
    path = tmp_path / "program" / "compression" / "x.md"
    path.parent.mkdir(parents=True)
    path.write_text("one\n")
    monkeypatch.setattr(paths, "PROMPTS", tmp_path / "program")
    return path


def outcomes(folder: Path) -> list[InstallOutcome]:
    return [one.outcome for one in install_prompts(folder)]


@pytest.mark.req("REQ-CS-005.3", "REQ-HD-010.5")
def test_the_installed_prompt_is_the_one_that_ships(tmp_path: Path) -> None:
    report = install_prompts(tmp_path)
    assert [one.name for one in report] == list(prompt_names())
    for one in report:
        assert one.path.read_bytes() == built_in(one.name).path.read_bytes()
    assert resolve_prompt(NAME, *CALLED, tmp_path).text == built_in(NAME).text


@pytest.mark.req("REQ-CS-005.3")
def test_upgrades_replace_what_nobody_edited(tmp_path: Path, shipped: Path) -> None:
    folder = tmp_path / "mine"
    assert outcomes(folder) == [InstallOutcome.INSTALLED]
    assert outcomes(folder) == [InstallOutcome.UNCHANGED]
    shipped.write_text("two\n")
    assert prompt_chain("x", "", "", folder)[0].outdated
    assert outcomes(folder) == [InstallOutcome.UPGRADED]
    assert resolve_prompt("x", "", "", folder).text == "two\n"
    assert prompt_chain("x", "", "", folder)[0].installed


@pytest.mark.parametrize(
    "manifest", [None, "{", '{"version": 1, "prompts": 3}', "[" * 100_000]
)
def test_an_edited_prompt_is_kept_in_any_case(
    tmp_path: Path, shipped: Path, manifest: str | None
) -> None:
    folder = tmp_path / "mine"
    install_prompts(folder)
    (folder / "compression" / "x.md").write_text("mine\n")
    if manifest is not None:
        (folder / ".installed.json").write_text(manifest)
    shipped.write_text("two\n")
    assert outcomes(folder) == [InstallOutcome.KEPT]
    assert resolve_prompt("x", "", "", folder).text == "mine\n"
    assert not prompt_chain("x", "", "", folder)[0].installed


@pytest.mark.parametrize(
    "level", [PromptLevel.MODEL, PromptLevel.PROVIDER, PromptLevel.BASE]
)
def test_an_override_is_saved_used_and_deleted(
    tmp_path: Path, level: PromptLevel
) -> None:
    path = save_override(level, "Sum up.\n", NAME, *CALLED, tmp_path)
    found = resolve_prompt(NAME, *CALLED, tmp_path)
    assert (found.level, found.text, found.path) == (level, "Sum up.\n", path)
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]
    revert_override(level, NAME, *CALLED, tmp_path)
    assert resolve_prompt(NAME, *CALLED, tmp_path).text == built_in(NAME).text
    assert not (tmp_path / "providers").exists()


@pytest.mark.parametrize(
    ("level", "text", "word"),
    [
        (PromptLevel.BASE, " \n", "empty"),
        (PromptLevel.BASE, "\ud800", "not valid Unicode"),
        (PromptLevel.BASE, "x" * 1_000_001, "longer"),
        (PromptLevel.BUILT_IN, "x", "Built-in"),
    ],
)
def test_what_can_be_no_prompt_is_not_saved(
    tmp_path: Path, level: PromptLevel, text: str, word: str
) -> None:
    with pytest.raises(InputError, match=word):
        save_override(level, text, NAME, *CALLED, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("linked", ["providers", "providers/anthropic", PROVIDER])
def test_a_link_of_the_user_is_followed_file_or_folder(
    tmp_path: Path, linked: str
) -> None:
    folder, outside = tmp_path / "prompts", tmp_path / "outside"
    target = put(outside, PROVIDER, b"Mine {max_tokens}")
    (folder / linked).parent.mkdir(parents=True)
    (folder / linked).symlink_to(outside / linked)
    found = resolve_prompt(NAME, "anthropic", "", folder)
    assert (found.text, found.path) == ("Mine {max_tokens}", folder / PROVIDER)
    assert (
        resolve_prompt(NAME, "anthropic", "", folder, Mode.REFERENCE).text == found.text
    )
    save_override(PromptLevel.PROVIDER, "Newer", NAME, "anthropic", "", folder)
    assert target.read_text() == "Newer"
    assert (folder / linked).is_symlink()
    assert not target.is_symlink()


def test_reverting_removes_a_linked_file_and_not_its_target(tmp_path: Path) -> None:
    target = put(tmp_path / "outside", "mine.md", b"Mine")
    link = tmp_path / "prompts" / BASE
    link.parent.mkdir(parents=True)
    link.symlink_to(target)
    revert_override(PromptLevel.BASE, NAME, "", "", tmp_path / "prompts")
    assert not link.is_symlink()
    assert target.read_text() == "Mine"


@pytest.mark.req("REQ-CS-005.4")
def test_the_shipped_prompt_sets_role_limits_and_order_of_work() -> None:
    text = " ".join(built_in(NAME).text.split())
    for phrase in (
        "about to be removed",
        "scratchpad",
        "Density matters",
        "word for word",
        "{max_tokens}",
    ):
        assert phrase in text
    assert text.index("scratchpad") < text.index("<state_snapshot>")


def test_missing_sections_and_unknown_placeholders_are_found_with_their_line() -> None:
    found = check_prompt(
        "Hi\n<s><a>x</a><c/></s>\nin {repo}", "<s><a></a><b></b><c></c></s>"
    )
    assert (found.required, found.missing, found.unknown) == (
        ("a", "b", "c"),
        ("b",),
        (("repo", 3),),
    )
    own = built_in(NAME).text
    assert check_prompt(own, own) == PromptCheck(
        required_sections(own), (), (), empty=False
    )


SECTIONS = (
    *(
        "overall_goal",
        "key_knowledge",
        "current_progress",
        "active_tasks",
        "open_questions",
    ),
    *("task_context", "user_directives", "errors_encountered", "code_references"),
)


@pytest.mark.req(
    "REQ-CS-005.1", "REQ-HD-010.1", "REQ-HD-010.2", "REQ-HD-010.3", "REQ-HD-010.4"
)
def test_middle_out_ships_as_markdown_that_asks_for_nine_sections_each_with_its_purpose() -> (
    None
):
    assert (
        built_in("middle-out").path == paths.PROMPTS / "compression" / "middle-out.md"
    )
    text = built_in("middle-out").text
    assert required_sections(text) == SECTIONS
    for section in SECTIONS:
        assert (
            text.split(f"<{section}>")[1]
            .split(f"</{section}>")[0]
            .strip()
            .startswith("<!--")
        )


def test_every_shipped_prompt_has_only_known_placeholders() -> None:
    for path in (paths.PROMPTS / "compression").glob("*.md"):
        assert unknown_placeholders(built_in(path.stem).text) == ()


@pytest.mark.parametrize(
    ("data", "word"), [(None, "missing"), (b" \n", "empty"), (b"\xff\xfe", "UTF-8")]
)
def test_a_prompt_that_cannot_be_used_is_an_error_that_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes | None, word: str
) -> None:
    monkeypatch.setattr(paths, "PROMPTS", tmp_path)
    (tmp_path / "compression").mkdir()
    file = tmp_path / "compression" / "x.md"
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(InputError, match=word) as caught:
        built_in("x")
    assert str(file) in caught.value.message


@pytest.mark.parametrize("section", required_sections(built_in(NAME).text))
def test_a_missing_section_can_be_put_back(section: str) -> None:
    original = built_in(NAME).text
    start, end = (
        original.index(f"<{section}>"),
        original.index(f"</{section}>") + len(section) + 3,
    )
    cut = original[:start] + original[end:]
    assert check_prompt(cut, original).missing == (section,)
    again = with_section(cut, section, original)
    assert check_prompt(again, original).missing == ()
    assert again.rstrip().endswith("</state_snapshot>")


def test_prompts_are_installed_in_a_linked_folder_and_a_linked_prompt_is_kept(
    tmp_path: Path,
) -> None:
    folder, outside = tmp_path / "mine", tmp_path / "outside"
    mine = put(tmp_path, "own.md", b"Mine")
    for one in (folder, outside):
        one.mkdir()
    (folder / "compression").symlink_to(outside)
    (outside / f"{NAME}.md").symlink_to(mine)
    found = {one.name: one.outcome for one in install_prompts(folder)}
    assert found.pop(NAME) == "kept"
    assert {*found.values()} == {"installed"}
    assert {one.stem for one in outside.iterdir()} == {NAME, *found}
    assert mine.read_text() == "Mine"


MODEL = f"providers/anthropic/models/claude-haiku-4-5/{BASE}"
SPELLED = ("Anthropic", "claude-haiku-4.5")
HOSTILE = st.sampled_from(
    (
        "../..",
        "..",
        ".",
        "/etc",
        "C:\\x",
        "con",
        "NUL",
        "a/../../b",
        "a\0b",
        "~",
        " ",
        "ﬀ",
        "é/..",
        "%2e%2e",
    )
)


def put(folder: Path, place: str, data: bytes | None = None) -> Path:
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(place.encode() if data is None else data)
    return path


@pytest.mark.req("REQ-CS-005.1", "REQ-CS-005.2")
def test_the_most_specific_prompt_wins(tmp_path: Path) -> None:
    assert resolve_prompt(NAME, *SPELLED, tmp_path) == built_in(NAME)
    for place, level in (
        (BASE, PromptLevel.BASE),
        (PROVIDER, PromptLevel.PROVIDER),
        (MODEL, PromptLevel.MODEL),
    ):
        path = put(tmp_path, place)
        found = resolve_prompt(NAME, *SPELLED, tmp_path)
        assert (found.level, found.path, found.text) == (level, path, place)


@pytest.mark.req("REQ-CS-005.2")
def test_a_level_needs_its_names(tmp_path: Path) -> None:
    assert [one.level for one in override_paths(NAME, "", "gpt-5", tmp_path)] == [
        "base"
    ]
    assert [one.level for one in override_paths(NAME, "openai", "", tmp_path)] == [
        "provider",
        "base",
    ]


@pytest.mark.req("REQ-CS-006A.3")
@pytest.mark.parametrize(
    ("data", "word"),
    [(b" \n", "empty"), (b"\xff\xfe", "UTF-8"), (b"x" * 1_000_001, "longer")],
)
def test_an_unusable_override_is_named_and_never_skipped(
    tmp_path: Path, data: bytes, word: str
) -> None:
    put(tmp_path, BASE)
    path = put(tmp_path, MODEL, data)
    with pytest.raises(InputError, match=word) as caught:
        resolve_prompt(NAME, *SPELLED, tmp_path)
    assert str(path) in caught.value.message


@pytest.mark.req("REQ-CS-006A.3")
def test_folders_pipes_and_broken_links_in_place_of_a_prompt_are_named(
    tmp_path: Path,
) -> None:
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


def test_a_link_that_leads_to_itself_is_named(tmp_path: Path) -> None:
    path = tmp_path / BASE
    path.parent.mkdir()
    path.symlink_to(path)
    with pytest.raises(InputError, match=f"{NAME}.md cannot be read"):
        resolve_prompt(NAME, "", "", tmp_path)


def test_names_become_parts_of_a_path() -> None:
    assert [path_part(name) for name in ("GPT-4.1", "--a  b--", "CON")] == [
        "gpt-4-1",
        "a-b",
        "reserved-con",
    ]
    assert path_part("!!!") == path_part("..") == "unknown"
    assert path_part("x" * 300) == "x" * 255


@given(HOSTILE | st.text(), HOSTILE | st.text())
def test_no_provider_or_model_leads_out_of_the_folder(
    provider: str, model: str
) -> None:
    folder = Path("/prompts")
    for one in override_paths(NAME, provider, model, folder):
        assert Path(os.path.normpath(one.path)) == one.path
        assert one.path.is_relative_to(folder)
        assert all(
            1 <= len(part) <= 264 and part.isascii() and "\0" not in part
            for part in one.path.parts
        )


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
    assert found.path == (
        tmp_path / file if level is not PromptLevel.BUILT_IN else built_in(NAME).path
    )


def test_the_reference_falls_through_to_the_built_in_text(tmp_path: Path) -> None:
    put(tmp_path, BASE, b"raw \xff")
    assert resolve_prompt(NAME, "", "", tmp_path, Mode.REFERENCE).text == "raw \ufffd"
    (tmp_path / BASE).unlink()
    (tmp_path / BASE).symlink_to("nowhere.md")
    assert resolve_prompt(NAME, "", "", tmp_path, Mode.REFERENCE) == built_in(NAME)


def test_every_shipped_prompt_asks_for_the_language_of_the_conversation() -> None:
    prompts = sorted((ROOT / "prompts" / "compression").glob("*.md"))
    silent = [
        path.name for path in prompts if "language" not in path.read_text("utf-8")
    ]
    assert prompts
    assert silent == []
