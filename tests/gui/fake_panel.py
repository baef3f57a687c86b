"""Made-up lint reports, explanations and message bodies, and the event of an opened transcript."""

from core.presentation.dialog_model import ExportChoice, FileOpenedEvent
from core.presentation.inspector_model import BodyBlock, MessageBody, TextSpan, WhyPage, WhySection, WhyStep
from core.presentation.model import LabelledFigure, LintReport, LintRow, PickerChoice


def lint() -> tuple[LintReport, ...]:
    warnings = (
        LintRow("warning", "starts-with-assistant", "The first message is the model's.", "after", 0),
        LintRow("warning", "long-tool-result", "A result of 4,940 tokens.", "before", 84),
    )
    error = LintRow("error", "unanswered-call", "call_7f has no result.", "after", 12)
    return (
        LintReport("anthropic", "Anthropic", warnings, "in order for Anthropic", "ok"),
        LintReport("openai", "OpenAI", (error, *warnings), "1 error for OpenAI", "error"),
        LintReport("gemini", "Gemini", (), "in order for Gemini", "ok"),
    )


FAKE_EXPORTS = (
    ExportChoice("claude_code", "Claude Code", ".jsonl", appends=True),
    ExportChoice("openai_chat", "OpenAI chat", ".json"),
    ExportChoice("llxprt", "llxprt", ".json", provenance=True),
    ExportChoice("html", "HTML report", ".html", "A page.", "report", True),
)


def fake_opened(messages: int = 412) -> FileOpenedEvent:
    return FileOpenedEvent(
        path="retry-queue.jsonl",
        name="retry-queue.jsonl",
        format="claude_code",
        format_label="Claude Code",
        why="uuid and parentUuid in 200 of 200 lines",
        title=f"retry-queue.jsonl · Claude Code · {messages} messages · no recorded compaction",
        scopes=(PickerChoice("all", "whole session"), PickerChoice("current", "since the last compaction")),
        models=(PickerChoice("gpt-5", "gpt-5 · 400k"),),
        profiles=(PickerChoice("offline", "offline"),),
    )


def fake_why(fate: int = 2) -> WhyPage:
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
                (TextSpan("Read-write pruning"),), (TextSpan("read_file in "), TextSpan("#84", "before:83"))
            ),
            WhyStep((TextSpan("A later write covers it"),), (TextSpan("write_file in #251, 618 lines"),)),
        ),
        (
            WhySection("Reference (llxprt)", (TextSpan("Keeps #84 and #85."),)),
            WhySection("What goes with it", (), (LabelledFigure("code", "22 lines"),)),
            WhySection("Source", (), (), '{"type":"user","message":{"role":"user"}}'),
        ),
    )


def fake_body(side: str = "before", index: int = 84) -> MessageBody:
    code = '"""Worker loop."""\nimport asyncio\n\n\nasync def run(queue: Queue) -> None:\n    ...\n' * 8
    return MessageBody(
        side,
        index,
        f"#{index + 1} tool",
        (LabelledFigure("tokens", "≈4,940"), LabelledFigure("answers", "#84 read_file")),
        (
            BodyBlock("text", "", "Here is the file.", 17, 17),
            BodyBlock("response", "read_file", code, len(code), 400_000, mono=True),
        ),
        "retry-queue.jsonl:133",
        '{"type": "user", "message": {"role": "user", "content": [{"type": "tool_result"}]}}',
        83,
        fake_why(),
    )
