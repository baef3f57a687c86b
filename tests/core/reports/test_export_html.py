"""The HTML report: one page without scripts or requests that matches the preview."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from core.common.redaction import find_secrets
from core.export.export import export_history
from core.formats.registry import load_conversation
from core.losses.losses_of import losses_of
from core.presentation.model import FATES
from core.presentation.preview_columns import preview_columns
from core.presentation.verdict import losses_cell, preview_verdict
from core.preview.options import StageCache
from core.reports.html_page import MAX_ROWS, choose_messages, report_style
from core.reports.report_data import ReportInput, export_input, report_losses
from core.settings_store.layers import SETTINGS
from core.strategies.registry import COMPACTION_STRATEGIES
from core.transcript.model import Conversation
from tests.core.formats.exporting import corpus_files
from tests.core.reports.reporting import (
    HIGH_DENSITY,
    KEY,
    MIDDLE_OUT,
    report,
    report_input,
    report_preview,
    unwritten_preview,
)
from tests.support.builders import ai, call, conversation, exchange, human, talk
from tests.support.hostile import hostile
from tests.support.hostile import html as pieces
from tests.support.sampling import sampled

_VOID = {"meta", "link", "input", "path", "rect", "circle", "use", "br"}
_ALLOWED = re.compile(
    r"html|head|meta|link|title|style|body|svg|symbol|path|circle|rect|use|defs|pattern|main|header|div|p|h[1-4]"
    r"|span|i|b|a|bdi|section|figure|figcaption|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|th|td|code|details"
    r"|summary|pre|article|fieldset|legend|label|input|footer"
)


class _Page(HTMLParser):
    """The parts of a page; ``text`` is the readable text of its body."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.parts: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []
        self.text = "".join(self.parts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open and "title" not in self.open:
            self.parts.append(data)

    def attributes(self, name: str) -> list[str]:
        return [
            value or ""
            for _, attrs in self.elements
            for key, value in attrs.items()
            if key == name
        ]


def _page(talked: Conversation, strategy: str = MIDDLE_OUT, **settings: Any) -> _Page:
    return _Page(report(talked, "html", strategy, **settings).data.decode("utf-8"))


def _session() -> Conversation:
    read = exchange("c", "read_file", "line\n" * 40, path="src/a.py")
    return conversation(*talk(20), *read, *talk(20), model="gpt-4o")


@pytest.mark.parametrize("strategy", COMPACTION_STRATEGIES[:: sampled(1, 3)])
def test_the_page_is_whole_and_made_of_known_elements_only(strategy: str) -> None:
    odd = (
        hostile("http://elsewhere.invalid"),
        conversation(human("hi")),
        conversation(),
    )
    for talked in (_session(), *odd):
        page = _page(talked, strategy, limit=3000)
        assert not [tag for tag, _ in page.elements if not _ALLOWED.fullmatch(tag)]
        assert not [
            name
            for _, attrs in page.elements
            for name in attrs
            if name.startswith("on")
        ]
        assert all(
            link.startswith("#") or link == "data:," for link in page.attributes("href")
        )
        assert page.attributes("src") == []
        targets = page.attributes("id")
        assert len(set(targets)) == len(targets)
        assert {
            link[1:] for link in page.attributes("href") if link.startswith("#")
        } <= set(targets)


@pytest.mark.parametrize("path", corpus_files("anthropic_messages"))
def test_of_real_transcripts_the_page_is_whole_and_keeps_secrets(path: Path) -> None:
    found = report(load_conversation(path), "html", HIGH_DENSITY, limit=8_000)
    assert _Page(found.data.decode("utf-8")).elements
    assert len(found.data) < 10_000_000
    assert {one.kind for one in find_secrets(found.data.decode("utf-8"))} == set()


def test_the_policy_allows_style_and_nothing_else() -> None:
    policy = next(
        attrs["content"]
        for _, attrs in _page(_session()).elements
        if "http-equiv" in attrs
    )
    assert policy is not None
    assert policy.startswith(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    )
    assert not re.search(r"url\((?!#)|@import|https?:", report_style())


def test_everything_hostile_is_there_as_text() -> None:
    base = "http://elsewhere.invalid"
    text = _page(hostile(base)).text
    assert all(piece in text for piece in pieces(base))


def test_it_says_what_the_preview_says() -> None:
    text, shown = _page(_session()).text, report_preview(_session())
    assert shown.result.compaction.summary is not None
    for fact in (
        *(
            "OpenAI chat",
            "because of its fields",
            "gpt-4o",
            "100,000 (set by compression.context-limit)",
            "safe mode",
        ),
        *(
            f"={shown.sizes.before_tokens:,}",
            f"={shown.sizes.after_tokens:,}",
            shown.result.compaction.summary.text,
        ),
        *(
            "\u2014 context compacted (",
            "Asked: keep top 20 % of 42",
            "Result: in order · source: in order",
        ),
        *(
            "Gone: 2 of your sentences",
            *(setting.key for setting in SETTINGS),
        ),
    ):
        assert fact in text


def test_its_verdict_is_that_of_the_window() -> None:
    text, shown = _page(_session()).text, report_preview(_session())
    verdict = preview_verdict(preview_columns(shown))
    losses = losses_cell(losses_of(shown, StageCache()))
    for cell in (verdict.size, verdict.messages, losses):
        for phrase in cell.phrases:
            assert "".join(part for part, _ in phrase) in text


@pytest.mark.parametrize(
    ("strategy", "limit", "word"),
    [
        ("none", 300, "above the limit"),
        ("none", 100_000, "unchanged"),
        ("middle-out", 300, "above the limit"),
        ("middle-out", 100_000, "tokens"),
    ],
)
def test_a_result_that_is_still_too_large_is_no_success(
    strategy: str, limit: int, word: str
) -> None:
    talked = conversation(
        human("go"),
        *(m for n in range(9) for m in exchange(str(n), "bash", "line\n" * 90)),
    )
    page = report(talked, "html", strategy, limit=limit).data.decode()
    head = page.split("<b>")[1].split("</b>")[0]
    assert word in head
    assert ('<span class="error">' in head) == (limit == 300)


@pytest.mark.req("LOSS-2.5.1")
def test_markdown_says_the_losses_in_the_words_of_the_page() -> None:
    content = report_input(_session())
    said = report_losses(content.preview, content.stages)
    assert "removed" in said.sentences[0]
    page, head = _page(_session()).text, _markdown_head(content)
    for sentence in (said.heading, *said.sentences):
        assert sentence in page
        assert sentence in head
    assert "removed" not in _markdown_head(export_input(content.preview, result=False))


def _markdown_head(content: ReportInput) -> str:
    return export_history(content, "markdown").data.decode().partition("\n## ")[0]


def test_every_message_is_listed_with_fate_reason_and_text() -> None:
    shown, page = report_preview(_session()), _page(_session())
    rows = [attrs for tag, attrs in page.elements if tag == "details" and "id" in attrs]
    fates = [FATES.index(fate.kind.value) for fate in shown.result.compaction.fates]
    assert [row["id"] for row in rows] == [
        f"m{number}" for number in range(1, len(fates) + 1)
    ]
    assert [row["class"] for row in rows] == [f"m f{fate}" for fate in fates]
    assert all(fate.last.reason in page.text for fate in shown.result.compaction.fates)
    assert "line\n" * 40 in page.text


def test_a_summary_of_a_model_that_was_not_called_is_said_to_be_missing() -> None:
    unwritten = export_input(unwritten_preview(_session()), result=True)
    assert b"not written yet" in export_history(unwritten, "html").data


def test_secrets_are_replaced_and_counted_by_default() -> None:
    talked = conversation(
        human(f"use {KEY}"), ai("", call("bash", "b", command=f"curl {KEY}")), *talk(9)
    )
    covered, plain = (
        report(talked, "html"),
        export_history(report_input(talked), "html", redact=False),
    )
    assert KEY.encode() not in covered.data
    assert b"[redacted:anthropic-key]" in covered.data
    assert covered.secrets == plain.secrets > 2
    assert KEY.encode() in plain.data
    assert b"redaction was off" in plain.data
    assert "redaction is off" in plain.warnings[-1]


def test_of_a_long_conversation_the_ends_of_each_run_are_listed() -> None:
    fates = b"\0" * 3_000 + b"\3" * 90_000 + b"\0" * 7_000
    chosen = choose_messages(fates)
    assert len(chosen) <= MAX_ROWS
    assert set(chosen) >= {0, 2_999, 3_000, 92_999, 93_000, 99_999}
    assert choose_messages(bytes(index % 2 for index in range(9_000)))[-1] == 8_999
    assert choose_messages(fates[:4_000]) == tuple(range(4_000))


def test_a_page_of_bounded_size_says_what_it_leaves_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "core.reports.html_page.choose_messages", lambda fates: (0, 1, len(fates) - 1)
    )
    shown, page = report_preview(_session()), report(_session(), "html").data.decode()
    assert f"3 of {len(shown.messages)} messages are listed." in page
    gaps = re.findall(r'class="gap">([\d,]+) more', page)
    assert sum(int(gap.replace(",", "")) for gap in gaps) == len(shown.messages) - 3
    assert "Top ends after #" in page
    assert "Bottom starts at #" in page


def test_the_ruler_holds_every_token_in_place() -> None:
    page = report(_session(), "html").data.decode()
    picture = page[page.index('<svg class="bars"') :]
    picture = picture[: picture.index("</svg>", picture.index("</defs>"))]
    assert 'class="line trigger"' in picture
    assert 'class="line limit"' in picture
    widths = [
        float(width)
        for width in re.findall(r'class="frame" y="\d+" width="([\d.]+)"', picture)
    ]
    shown = report_preview(_session())
    expected = [
        1_200 * tokens / 100_000
        for tokens in (shown.sizes.before_tokens, shown.sizes.after_tokens)
    ]
    assert widths == pytest.approx(expected, abs=0.01)
