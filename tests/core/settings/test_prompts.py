"""Built-in prompts, their sections and placeholders."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.common import paths
from core.common.errors import InputError
from core.settings.prompts import (
    SectionStyle,
    built_in,
    required_sections,
    summary_layout,
    unknown_placeholders,
)

SECTIONS = (
    "overall_goal",
    "key_knowledge",
    "current_progress",
    "active_tasks",
    "open_questions",
    "task_context",
    "user_directives",
    "errors_encountered",
    "code_references",
)


@pytest.mark.req("REQ-CS-005.1")
@pytest.mark.req("REQ-CS-005.3")
def test_middle_out_ships_as_a_markdown_file() -> None:
    prompt = built_in("middle-out")
    assert prompt.path == paths.PROMPTS / "compression" / "middle-out.md"
    assert prompt.text == prompt.path.read_text(encoding="utf-8")


@pytest.mark.req("REQ-HD-010.1")
@pytest.mark.req("REQ-HD-010.2")
@pytest.mark.req("REQ-HD-010.3")
@pytest.mark.req("REQ-HD-010.4")
def test_the_default_prompt_asks_for_nine_sections_each_with_its_purpose() -> None:
    text = built_in("middle-out").text
    assert required_sections(text) == SECTIONS
    for section in SECTIONS:
        assert text.split(f"<{section}>")[1].split(f"</{section}>")[0].strip().startswith("<!--")


def test_every_shipped_prompt_has_only_known_placeholders() -> None:
    for path in (paths.PROMPTS / "compression").glob("*.md"):
        assert unknown_placeholders(built_in(path.stem).text) == ()


@pytest.mark.parametrize(("data", "word"), [(None, "missing"), (b" \n", "empty"), (b"\xff\xfe", "UTF-8")])
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


@pytest.mark.parametrize(
    ("text", "style", "sections"),
    [
        ("<s>\n<a_b></a_b>\n<c>\n</c>\n</s>", SectionStyle.XML, ("a_b", "c")),
        (
            "Write:\n1. GOAL: what\n2. FILES: which\n3. NEXT STEPS: then",
            SectionStyle.NUMBERED,
            ("GOAL", "FILES", "NEXT STEPS"),
        ),
        ("# Summary\n## Goal\nx\n## Files\ny", SectionStyle.HEADING, ("Goal", "Files")),
        ("1. Read everything with great care and patience first\nThen sum up.", SectionStyle.DIGEST, ()),
    ],
)
def test_layout_follows_the_prompt(text: str, style: SectionStyle, sections: tuple[str, ...]) -> None:
    assert (summary_layout(text).style, summary_layout(text).sections) == (style, sections)
