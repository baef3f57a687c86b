"""A made-up prompt page, question and progress of a model."""

from core.presentation.dialog_model import (
    CallQuestion,
    PlaceholderRow,
    PromptChanges,
    PromptContent,
    PromptDiffRow,
    PromptLevelRow,
    PromptNotice,
    PromptOutline,
    PromptPage,
    RequestPage,
    RequestPart,
    SectionRow,
    SummaryProgress,
)
from core.presentation.model import LabelledFigure

SECTIONS = ("goal", "knowledge", "progress", "open_tasks", "faults")
TEXT = """You keep the memory of an agent that repairs tide gauges.
Write at most {max_tokens} tokens. Most room for: {focus}

<memory>
  <goal>one sentence</goal>
  <knowledge>facts and decisions with their reasons</knowledge>
  <progress>what is done, what runs now</progress>
  <open_tasks>each with its state</open_tasks>
  <rules>every rule of the user, word for word, with the number of its message, and never shortened</rules>
</memory>

Repository: {repo}

{message}
"""
LEVELS = (
    ("model", "This model", "…/models/claude-haiku-4-5/compression/"),
    ("provider", "This provider", "providers/anthropic/compression/"),
    ("base", "All providers", "compression/"),
    ("built in", "Built in", "ships with Foldline 0.1, read-only"),
)


def chain(
    level: str = "provider", wins: str = "provider", problem: str = ""
) -> tuple[PromptLevelRow, ...]:
    rows = []
    for name, title, place in LEVELS:
        exists = name in ("provider", "built in") or bool(problem and name == "model")
        broken = problem if name == "model" else ""
        state = "cannot be used" if broken else "in use" if name == wins else "none"
        place = f"{place} · edited" if name == "provider" else place
        state = "" if name == "built in" and name != wins else state
        tone = "error" if broken else ""
        rows.append(
            PromptLevelRow(
                level=name,
                title=title,
                location=place,
                path=path(name),
                state=state,
                exists=exists,
                wins=name == wins,
                is_displayed=name == level,
                problem=broken,
                tone=tone,
            )
        )
    return tuple(rows)


def path(level: str) -> str:
    return f"/prompts/{level}/compression/middle-out.md"


def request() -> RequestPage:
    parts = (
        RequestPart("system", "1 of 3", TEXT.replace("{max_tokens}", "4,000"), "≈160"),
        RequestPart(
            "user", "2 of 3", "[#84 ai → tool] grep -rn retry src\n" * 40, "≈88,383"
        ),
        RequestPart("user", "3 of 3", "Write the memory now.", "≈6"),
    )
    facts = (
        LabelledFigure("Would summarise", "245 messages, #84–#328"),
        LabelledFigure("Request", "≈88,549 tokens"),
        LabelledFigure("Summary at most", "4,000 tokens"),
    )
    return RequestPage(parts, facts)


def fake_page(
    level: str = "provider",
    text: str = TEXT,
    *,
    edited: bool = False,
    outside: str = "",
    problem: str = "",
) -> PromptPage:
    return PromptPage(
        name="middle-out",
        file="compression/middle-out.md",
        chain=chain(level, problem=problem),
        level=level,
        tokens="≈160 tokens · o200k_base estimate",
        request=request(),
        names=("middle-out", "top-down"),
        provider="anthropic",
        model="claude-haiku-4-5",
        content=PromptContent(
            path=path(level),
            text=text,
            editable=level != "built in",
            edited=edited,
            changed_outside=outside,
        ),
        changes=PromptChanges(
            title="Changes against built in" if level != "built in" else "",
            added="+2",
            removed="−1",
            rows=(PromptDiffRow("+", "9", "  <rules>"),) if level != "built in" else (),
        ),
        outline=PromptOutline(
            sections=tuple(
                SectionRow(section, f"<{section}>" in text) for section in SECTIONS
            ),
            text="4 of 5",
            placeholders=(
                PlaceholderRow("max_tokens", "4,000", "{max_tokens}" in text),
                PlaceholderRow("repo", "not a placeholder", True, False),
            ),
        ),
        notice=PromptNotice(
            text="Two things to check.",
            detail=(
                "{repo} is not a placeholder and would be sent as it is. Section faults is missing."
            ),
            line=12,
        ),
    )


def fake_question() -> CallQuestion:
    return CallQuestion(
        title="Send this to anthropic?",
        text=(
            "245 messages (≈88,549 tokens) go to claude-haiku-4-5. At most 4,000 tokens come back."
        ),
        facts=(
            LabelledFigure("Price", "≈ $0.09, at most $0.11"),
            LabelledFigure("Secrets found in the text", "1 token", "warn"),
        ),
        yes_label="Send · at most $0.11",
    )


def fake_writing(
    text: str = "", *, over: bool = False, fraction: float = 0.46
) -> SummaryProgress:
    return SummaryProgress(
        "haiku is writing the summary",
        "18 s",
        (
            "≈88,549 tokens sent · 1,840 of at most 4,000 received · $0.10 so far",
            "Try 2 of 4: the first ended with 529 overloaded after 6 s",
        ),
        text
        or "<memory>\n<goal>Make the upload test reliable\non CI without touching the public API …",
        fraction,
        over,
    )
