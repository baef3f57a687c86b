"""The files that calls read and changed, and their contents in the history."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.facts.file_accesses import FileAccess, file_accesses, may_change_shell_folder
from core.facts.sentences import is_summary, plain_text
from core.transcript.model import Message, ToolCall, ToolResponse, tool_calls, tool_responses
from core.transcript.tool_kinds import FileOperation
from core.transcript.tool_outcomes import is_failed_result, result_text

_CONTENTS = ("content", "file_text")  # arguments of tools that write a whole file
_LISTED = re.compile(r"<(read-files|modified-files)>\n(.*?)\n</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file, whether a call changed it, and its content as last seen whole. ``content`` is None where the
    history never shows it whole; ``stale``: it changed after that."""

    path: str
    changed: bool = False
    content: str | None = None
    stale: bool = False


def touched_files(messages: Sequence[Message]) -> tuple[TouchedFile, ...]:
    """Return the files touched by successful calls, the one touched last at the end. A whole read or write
    sets the content; any other change makes it stale."""
    files: dict[str, TouchedFile] = {}
    for access, content in _accesses(messages):
        old = files.pop(access.path, TouchedFile(access.path))
        is_read, changed = (
            access.operation is FileOperation.READ,
            old.changed or access.operation is not FileOperation.READ,
        )
        if content is not None:
            files[access.path] = TouchedFile(access.path, changed, content)
        else:
            files[access.path] = replace(old, changed=changed, stale=old.stale or not is_read)
    return tuple(files.values())


def file_lists(messages: Sequence[Message]) -> str:
    """Return tagged lists of the files read and changed, including those of earlier summaries. A changed file
    is not listed as read. "" where no file was touched."""
    read: set[str] = set()
    modified: set[str] = set()
    for message in messages:
        if is_summary(message):
            for tag, lines in _LISTED.findall(plain_text(message)):
                (read if tag == "read-files" else modified).update(filter(None, lines.splitlines()))
    for file in touched_files(messages):
        (modified if file.changed else read).add(file.path)
    lists = (("read-files", read - modified), ("modified-files", modified))
    return "".join(
        f"\n\n<{tag}>\n" + "\n".join(sorted(paths)) + f"\n</{tag}>" for tag, paths in lists if paths
    )


def _accesses(messages: Sequence[Message]) -> Iterator[tuple[FileAccess, str | None]]:
    """Yield the file accesses of successful calls, with the whole content they wrote or returned."""
    responses = {item.call_id: item for message in messages for item in tool_responses(message)}
    shell_moved = False
    for message in messages:
        for call in tool_calls(message):
            response = responses.get(call.id)
            if response is not None and not is_failed_result(response):
                files = file_accesses(call, "", shell_moved=shell_moved)
                yield from (
                    (item, _content(call, response, item) if len(files) == 1 else None) for item in files
                )
            shell_moved = shell_moved or may_change_shell_folder(call)


def _content(call: ToolCall, answer: ToolResponse, access: FileAccess) -> str | None:
    """Return the whole content that a read returned or a write wrote; None for parts."""
    if access.operation is FileOperation.READ:
        return result_text(answer.result) or None if access.lines is None else None
    if access.operation is FileOperation.EDIT or not isinstance(call.arguments, dict):
        return None
    return next((call.arguments[key] for key in _CONTENTS if isinstance(call.arguments.get(key), str)), None)
