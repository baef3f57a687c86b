"""The lines by which tools say that they changed a file, or that they did not: one table for all
agents, from their sources and from real records. A line that stands in neither proves nothing."""

from __future__ import annotations

import re

from core.facts.sentences import clean_text

_DONE = {
    "Claude Code": (
        r"the file .+ has been (?:updated|created|overwritten)\b",
        r"file (?:created|updated) successfully at: ",
        r"applied \d+ edits? to ",
        r"(?:updated|inserted|deleted) cell\b",
    ),
    "Codex": (r"success\. updated the following files:", r"done!$"),
    "Gemini CLI, Qwen Code, llxprt": (
        r"successfully (?:modified|overwrote|edited) file: ",
        r"successfully created and wrote to new file: ",
        r"created new file: .+ with provided content",
    ),
    "opencode": (r"edit applied successfully\.", r"wrote file successfully\."),
    "pi": (r"successfully (?:replaced (?:text|\d+ block\(s\))|wrote \d+ bytes) (?:in|to) ",),
    "str_replace_editor (SWE-agent, OpenHands)": (
        r"the file .+ has been edited\b",
        r"last edit to .+ undone successfully",
        r"(?:text replaced|file updated)\. please review the changes",
        r"\[file written successfully|i wrote to the file ",
    ),
    "Cline, Roo Code": (
        r"the content was successfully saved to ",
        r"changes successfully applied to ",
        r"<file_write_result>",
        r"the (?:updated content|user made the following updates to your content)\b",
    ),
    "Copilot": (
        r"file .+ updated with changes",
        r"created file .+ with \d+ characters",
        r"the following files were successfully edited:",
    ),
    "Cursor": (
        r"the following diff was applied to the file",
        r"(?:wrote contents to|file successfully deleted: ) ?",
        r"the apply model made the following changes to the file",
    ),
    "Goose": (r"successfully (?:wrote to|replaced text|inserted text)\b",),
    "Kimi": (r"file successfully (?:edited|overwritten|appended to|written)",),
    "Crush": (r"(?:<result>)?(?:file successfully written: |content replaced in file: )",),
    "Pencil": (r"#* ?successfully executed all operations",),
    "Aider": (r"applied edit to ",),
    "tools that answer in a word": (
        r"(?:wrote|updated|edited|created|deleted|saved|modified) \S*[./]\w\S*$",
        r"(?:ok|okay|done|success|successful|true|updated|saved|written|edited|created|deleted|"
        r"(?:the )?file (?:updated|saved|written|edited|created|deleted))(?: successfully)?[.!]?$",
    ),
}
"""Of the first line of an answer, in lower case; the agent or tool is the key."""
_NOT_DONE = {
    "Claude Code": (
        r"<tool_use_error>",
        r"the user doesn't want to (?:proceed|take this action)",
        r"(?:the )?tool use was rejected",
        r"file has (?:not been read yet|been (?:unexpectedly )?modified)",
        r"(?:pretooluse|posttooluse)(?::\S+)? (?:hook|\[).*",
        r"claude requested permissions to ",
    ),
    "Codex": (
        r"(?:patch|exec) (?:was )?rejected",
        r"rejected by user",
        r"apply_patch verification failed",
        r"failed to (?:find expected lines|apply patch)",
    ),
    "Gemini CLI, Qwen Code, llxprt": (
        r"failed to edit",
        r"\[operation cancelled\]",
        r"tool \S+ not found",
    ),
    "str_replace_editor (SWE-agent, OpenHands)": (
        r"no replacement was performed",
        r"your proposed edit has introduced",
        r"invalid `\w+` parameter",
    ),
    "Cline, Roo Code": (
        r"the user denied this operation",
        r"the tool execution failed",
        r"user rejected the changes",
    ),
    "Cursor": (r"the user rejected (?:this|the) (?:edit|change)", r"edit rejected"),
    "any": (
        r"error\b[^\n]{0,20}:",
        r"failed to (?:edit|write|apply|replace|create|delete|save)",
        r"(?:file|path) (?:not found|does not exist)",
        r"(?:old_string|old_str|string to replace)\b.{0,80}\bnot found",
        r"could not find\b",
        r"no changes (?:were )?made",
        r"permission denied",
        r"access (?:is )?denied",
        r"operation (?:was )?(?:cancelled|canceled|aborted|not permitted)",
        r"(?:user|permission|request) (?:rejected|declined|denied|cancelled)",
        r"\[?dry[- ]run\b",
        r"read-only file system",
        r"no space left on device",
    ),
}
_DIFF = re.compile(r"(?:```diff\n)?(?:diff --git |Index: \S+\n|--- \S[^\n]*\n\+\+\+ \S|@@ -\d)")
_READ = 4_000  # characters of an answer that are looked at


def _one_of(table: dict[str, tuple[str, ...]]) -> re.Pattern[str]:
    return re.compile("|".join(line for lines in table.values() for line in lines))


_DONE_LINE, _NOT_DONE_LINE = _one_of(_DONE), _one_of(_NOT_DONE)


def reports_change(text: str) -> bool:
    """Return whether an answer begins with a line by which a tool says that it changed a file, or
    with a diff."""
    answer = clean_text(text[:_READ])
    return _DONE_LINE.match(first_line(answer).lower()) is not None or bool(_DIFF.match(answer))


def reports_no_change(text: str) -> bool:
    """Return whether a tool that changes files says that it did not."""
    return _NOT_DONE_LINE.match(first_line(text[:_READ]).lower()) is not None


def first_line(text: str) -> str:
    """Return the first line of an answer that is not empty, white space folded and without the rule
    of "=" that test runners draw around a title."""
    lines = (" ".join(line.split()).strip("= ") for line in text[:_READ].splitlines())
    return next(filter(None, lines), "")
