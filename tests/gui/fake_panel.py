"""Made-up tuning groups, lint reports, explanations and message bodies."""

from __future__ import annotations

from collections.abc import Sequence

from core.presentation.dialog_model import ExportChoice, FileOpenedEvent
from core.presentation.inspector_model import BodyBlock, MessageBody, TextSpan, WhyPage, WhySection, WhyStep
from core.presentation.model import (
    ChangeEffect,
    ControlGroup,
    LabelledFigure,
    LintReport,
    LintRow,
    PickerChoice,
    SettingControl,
)
from gui.inspect.tuning_panel import TuningPanel


def _fraction(key: str, label: str, value: float, layer: str = "default", hint: str = "") -> SettingControl:
    text = f"{value:.0%}".replace("%", " %")
    layers = (("session", text if layer == "session" else "–"), ("saved", "–"), ("default", "20 %"))
    return SettingControl(
        key, label, "fraction", value, text, layer, layers, f"{label} of the history.", hint=hint
    )


def _flag(key: str, label: str, value: bool, effect: str, *, enabled: bool = True) -> SettingControl:
    layers = (("session", "–"), ("saved", "–"), ("default", "on"))
    text, tone = "on" if value else "off", "ok" if value and enabled else ""
    return SettingControl(
        key,
        label,
        "flag",
        value,
        text,
        "default",
        layers,
        label + ".",
        effect=effect,
        effect_tone=tone,
        enabled=enabled,
    )


def groups(strategy: str) -> tuple[ControlGroup, ...]:
    """The groups of the tuning panel."""
    density = "compression.density."
    if strategy == "high-density":
        switches = (
            _flag(density + "readWritePruning", "Remove stale reads", True, "saved 33,029"),
            _flag(density + "fileDedupe", "Remove repeated files", True, "saved 6,494"),
            _flag(density + "recencyPruning", "Keep only the newest results", False, "would save 32,999"),
        )
        keep = _fraction("compression-preserve-threshold", "Keep Bottom", 0.2, hint="#337–#412")
        target = _fraction(density + "compressHeadroom", "Aim for", 0.6, hint="102,000, met")
        saved = LabelledFigure("Saved together", "−39,523", "strong")
        return ControlGroup("", switches, facts=(saved,)), ControlGroup("", (keep, target))
    cuts = (
        _fraction("compression-top-preserve-threshold", "Keep Top", 0.2, hint="#1–#83 · ≈29,118 tokens"),
        _fraction("compression-preserve-threshold", "Keep Bottom", 0.2, "session", "#329–#412 · moved by 1"),
    )
    layers = (("session", "–"), ("saved", "–"), ("default", "0"))
    size = SettingControl(
        "compression.summary-tokens",
        "Summary at most",
        "whole",
        0,
        "0",
        "default",
        layers,
        "At most so many tokens; 0 is automatic.",
        high=8_000,
        step=100,
    )
    prompt = SettingControl("prompt", "Prompt", "fact", None, "built in", "default", (), "")
    return ControlGroup("", cuts), ControlGroup("", (size, prompt))


def effect() -> ChangeEffect:
    """The effect of the last change."""
    facts = (
        LabelledFigure("kept → summarised", "20 messages"),
        LabelledFigure("tokens after", "−3,681", "ok"),
        LabelledFigure("fidelity", "0.73 → 0.71", "error"),
    )
    return ChangeEffect("Keep bottom", "25 % → 20 %", facts)


def lint() -> tuple[LintReport, ...]:
    """A valid report with two warnings and one with an error."""
    warnings = (
        LintRow("warning", "starts-with-assistant", "The first message is the model's.", "after", 0),
        LintRow("warning", "long-tool-result", "A result of 4,940 tokens.", "before", 84),
    )
    error = LintRow("error", "unanswered-call", "call_7f has no result.", "after", 12)
    return (
        LintReport("anthropic", "Anthropic", warnings, "valid for Anthropic", "ok"),
        LintReport("openai", "OpenAI", (error, *warnings), "1 error for OpenAI", "error"),
        LintReport("gemini", "Gemini", (), "valid for Gemini", "ok"),
    )


def fake_opened(messages: int = 412) -> FileOpenedEvent:
    """The event of an opened transcript, before any preview."""
    return FileOpenedEvent(
        path="retry-queue.jsonl",
        name="retry-queue.jsonl",
        format="claude_code",
        format_label="Claude Code",
        why="uuid and parentUuid in 200 of 200 lines",
        title=f"retry-queue.jsonl · Claude Code · {messages} messages · no recorded compaction",
        messages=messages,
        scopes=(PickerChoice("all", "whole session"), PickerChoice("current", "since the last compaction")),
        strategies=(PickerChoice("middle-out", "middle-out"), PickerChoice("high-density", "high-density")),
        models=(
            PickerChoice("claude-sonnet-4-5", "claude-sonnet-4-5 · 200k"),
            PickerChoice("gpt-5", "gpt-5 · 400k"),
        ),
        profiles=(PickerChoice("offline", "offline"),),
        exports=(
            ExportChoice("claude_code", "Claude Code", ".jsonl", "Transcript", appends=True),
            ExportChoice("openai_chat", "OpenAI chat", ".json", "Transcript"),
            ExportChoice("llxprt", "llxprt", ".json", "Transcript", provenance=True),
            ExportChoice("html", "HTML report", ".html", "Reports", "A page.", "report", True),
        ),
    )


def fake_why(fate: int = 2) -> WhyPage:
    """The explanation of a pruned message."""
    return WhyPage(
        "#85 pruned",
        "≈4,940 tokens",
        fate,
        (
            TextSpan("Superseded by the write in "),
            TextSpan("#251", "before:250"),
            TextSpan(": the file was written again, whole, and the write succeeded."),
        ),
        (
            WhyStep(
                (TextSpan("Read-write pruning"),),
                (TextSpan("read_file src/queue/worker.py in "), TextSpan("#84", "before:83")),
            ),
            WhyStep(
                (TextSpan("A later write covers it"),),
                (TextSpan("write_file src/queue/worker.py in #251, 618 lines"),),
            ),
            WhyStep(
                (TextSpan("Call and result go together"),), (TextSpan("#84 and #85 form one pair"),), "end"
            ),
        ),
        (
            WhySection(
                "Reference (llxprt)", (TextSpan("Keeps #84 and #85: it knows only its own tool names."),)
            ),
            WhySection(
                "What goes with it",
                (),
                (LabelledFigure("paths", "1, kept elsewhere"), LabelledFigure("code", "22 lines")),
            ),
            WhySection("Source", (), (), '{"type":"user","message":{"role":"user"}}'),
        ),
    )


def fake_body(side: str = "before", index: int = 84) -> MessageBody:
    """A tool message with a call, a long response and its raw JSON."""
    code = '"""Worker loop."""\nimport asyncio\n\n\nasync def run(queue: Queue) -> None:\n    ...\n' * 8
    return MessageBody(
        side,
        index,
        f"#{index + 1} tool",
        (
            LabelledFigure("tokens", "≈4,940"),
            LabelledFigure("line", "133"),
            LabelledFigure("answers", "#84 read_file"),
        ),
        (
            BodyBlock("text", "", "Here is the file.", 17, 17),
            BodyBlock("response", "read_file", code, len(code), 400_000, mono=True),
        ),
        "retry-queue.jsonl:133",
        '{"type": "user", "message": {"role": "user", "content": [{"type": "tool_result"}]}}',
        83,
        fake_why(),
    )


def show_all(
    panel: TuningPanel, groups: Sequence[ControlGroup], effect: ChangeEffect | None, can_undo: bool
) -> None:
    """Show all groups and the effect in the panel at once; the page does it step by step."""
    panel.show_change(effect, can_undo=can_undo)
    for _ in panel.show_groups(groups):
        pass
