"""Made-up lint reports, explanations and message bodies, and the event of an opened transcript."""

from core.presentation.dialog_model import ExportChoice, FileOpenedEvent, FileReader
from core.presentation.inspector_model import (
    BodyBlock,
    MessageBody,
    TextSpan,
    WhyPage,
    WhySection,
    WhyStep,
)
from core.presentation.model import (
    FaultGroup,
    FaultPage,
    FaultRow,
    LabelledFigure,
    LintReport,
    LintRow,
    PickerChoice,
)


def fault_page(*rows: FaultRow) -> FaultPage:
    """The page of faults that stand one by one."""
    groups = tuple(FaultGroup("", (row,)) for row in rows)
    return FaultPage(
        count=len(rows),
        head="The request would be refused",
        text=f"{len(rows)} faults",
        groups=groups,
        outlook="Then valid.",
    )


def lint() -> tuple[LintReport, ...]:
    warnings = (
        LintRow(
            "warning",
            "starts-with-assistant",
            "The first message is the model's.",
            "after",
            0,
        ),
        LintRow(
            "warning", "long-tool-result", "A result of 4,940 tokens.", "before", 84
        ),
    )
    error = LintRow("error", "unanswered-call", "call_7f has no result.", "after", 12)
    fault = FaultRow(title="1 call in #13 has no result", side="after", index=12)
    in_order = "Order, ids and content are in order for {}, before and after."
    return (
        LintReport("anthropic", "Anthropic", warnings, "in order for Anthropic", "ok"),
        LintReport(
            "openai",
            "OpenAI",
            (error, *warnings),
            "1 error for OpenAI",
            "error",
            faults=fault_page(fault),
        ),
        LintReport(
            "gemini",
            "Gemini",
            (),
            "in order for Gemini",
            "ok",
            faults=FaultPage(head=in_order.format("Gemini")),
        ),
    )


FAKE_EXPORTS = (
    ExportChoice(
        value="claude_code", label="Claude Code", suffix=".jsonl", appends=True
    ),
    ExportChoice(value="openai_chat", label="OpenAI chat", suffix=".json"),
    ExportChoice(value="llxprt", label="llxprt", suffix=".json", provenance=True),
    ExportChoice(
        value="html",
        label="HTML report",
        suffix=".html",
        about="A page.",
        word="report",
        redacts=True,
    ),
)


def fake_opened(messages: int = 412) -> FileOpenedEvent:
    return FileOpenedEvent(
        path="retry-queue.jsonl",
        name="retry-queue.jsonl",
        title=f"retry-queue.jsonl · Claude Code · {messages} messages · no recorded compaction",
        scopes=(
            PickerChoice("all", "whole session"),
            PickerChoice("current", "since the last compaction"),
        ),
        models=(PickerChoice("gpt-5", "gpt-5 · 400k"),),
        profiles=(PickerChoice("offline", "offline"),),
        reader=FileReader(
            format="claude_code",
            label="Claude Code",
            why="uuid and parentUuid in 200 of 200 lines",
        ),
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
                (TextSpan("Read-write pruning"),),
                (TextSpan("read_file in "), TextSpan("#84", "before:83")),
            ),
            WhyStep(
                (TextSpan("A later write covers it"),),
                (TextSpan("write_file in #251, 618 lines"),),
            ),
        ),
        (
            WhySection("Reference (llxprt)", (TextSpan("Keeps #84 and #85."),)),
            WhySection("What goes with it", (), (LabelledFigure("code", "22 lines"),)),
            WhySection("Source", (), (), '{"type":"user","message":{"role":"user"}}'),
        ),
    )


def fake_body(side: str = "before", index: int = 84) -> MessageBody:
    code = (
        '"""Worker loop."""\nimport asyncio\n\n\nasync def run(queue: Queue) -> None:\n    ...\n'
        * 8
    )
    return MessageBody(
        speaker="tool",
        side=side,
        index=index,
        facts=(
            LabelledFigure("tokens", "≈4,940"),
            LabelledFigure("answers", "#84 read_file"),
        ),
        blocks=(
            BodyBlock(
                kind="text",
                title="",
                text="Here is the file.",
                displayed_length=17,
                total=17,
            ),
            BodyBlock(
                kind="response",
                title="read_file",
                name="read_file",
                text=code,
                displayed_length=len(code),
                total=400_000,
                mono=True,
            ),
        ),
        raw_title="retry-queue.jsonl:133",
        raw='{"type": "user", "message": {"role": "user", "content": [{"type": "tool_result"}]}}',
        raw_total=83,
        why=fake_why(),
    )
