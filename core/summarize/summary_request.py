"""Budget and trigger of summary requests, and the acknowledgement after a summary."""

from __future__ import annotations

from core.common.excerpts import (
    trim,
)

TRIGGER = (
    "Think in private first: go through the messages above one by one and collect what the next turns "
    "will need. Then write the one <state_snapshot> element that the instructions describe, and nothing else."
)
"""The last message of a request as the reference writes it."""
CLOSING_REQUEST = (
    "Now write what the instructions describe, in the form that they ask for, and nothing "
    "before or after it."
)
"""The last message of a request: it asks for nothing that a prompt of the person does not ask
for."""


MAX_SUMMARY_TOKENS = (
    4000  # upper end of the automatic budget (compression.summary-tokens)
)


def summary_budget(configured: int, replaced_tokens: int) -> int:
    """Return the budget in tokens: as configured, or a quarter of the replaced tokens, at most
    4,000."""
    return configured or max(1, min(MAX_SUMMARY_TOKENS, replaced_tokens // 4))


def continuation_text(todos: str) -> str:
    """Return the model's message after the summary: the first active task, or a plain sentence."""
    task = first_task(todos)
    if task:
        return f"Understood. Continuing with: {task}."
    return "Understood. Continuing from here."


def first_task(todos: str) -> str:
    """Return the text of the first line ``- [status] text``; without a bracket the whole line."""
    line = trim(todos).partition("\n")[0]
    _, bracket, rest = line.partition("]")
    return trim(rest if bracket else line)


def reference_continuation(variant: str, todos: str) -> str:
    """Return the acknowledgement of the reference's variant."""
    if variant in ("cs", "hd"):
        return "Got it. Thanks for the additional context!"
    task = first_task(todos)
    if not task:
        return "Understood. Continuing with the current task."
    return f'Understood. Continue with current task: "{task}". Use todo_read for full context.'
