"""A program of somebody else as a strategy: it gets the history as JSON on standard input and gives
messages back.

The input and the output are those of ``resources/schemas/program``; the help page ``plugins``
explains them.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import IO

from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.common.json_value import Json, json_fault_and_place
from core.common.number_format import share_of
from core.common.paths import installed_version
from core.settings.schema import LIMIT, TARGET, THRESHOLD, share_of_aim
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.draft import result_fault
from core.strategies.helpers import (
    empty_history_no_op,
    no_op_compaction,
    single_fate,
    target_fraction,
)
from core.strategies.names import PROGRAM
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Fate,
    FateKind,
    NoOpCode,
)
from core.transcript.model import Block, Message, MessageFlag, Opaque, Speaker, Text
from core.transcript.provenance import block_entry, block_from_entry

_POLL_SECONDS = 0.02
_MAX_ERROR = 300
"""Characters of what a program wrote on standard error."""


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    seconds: float
    output_bytes: int


def command_words(command: str) -> list[str]:
    """Return the words of a command line, as a shell would split it; InputError."""
    try:
        words = shlex.split(command, posix=os.name == "posix")
    except ValueError as error:
        raise InputError(
            f"The command {command!r} cannot be read: {str(error).lower()}.",
            "Check its quotes.",
        ) from None
    if not words:
        raise InputError("The command is empty.", "Write it as in: node mine.js.")
    return words


def run_program(
    command: str, data: bytes, limits: ProgramLimits, check: Callable[[], None]
) -> bytes:
    """Return what a program writes on standard output, without a shell between.

    ``check`` is called while it runs and may raise Cancelled. Raises InputError, in one sentence,
    where it cannot be started, fails, or goes over a limit; it is ended then.
    """
    words = command_words(command)
    with (
        # Files instead of pipes: neither side waits until the other reads.
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        given.write(data)
        given.seek(0)
        process = _started(command, words, (given, output, errors))
        try:
            _wait(command, process, output, limits, check)
        finally:
            _end(process)
        if process.returncode:
            raise InputError(
                f"{command} failed with {_exit_words(process.returncode)}.",
                _said(errors),
            )
        output.seek(0)
        return output.read()


def _started(
    command: str, words: Sequence[str], files: tuple[IO[bytes], IO[bytes], IO[bytes]]
) -> subprocess.Popen[bytes]:
    given, output, errors = files
    try:
        return subprocess.Popen(
            words,
            stdin=given,
            stdout=output,
            stderr=errors,
            start_new_session=os.name
            == "posix",  # so that all that it starts ends with it
        )
    except OSError as error:
        cause = (error.strerror or str(error)).lower()
        raise InputError(
            f"{command} cannot be started: {cause}.", "Check the name of the program."
        ) from None


def _wait(
    command: str,
    process: subprocess.Popen[bytes],
    output: IO[bytes],
    limits: ProgramLimits,
    check: Callable[[], None],
) -> None:
    end = time.monotonic() + limits.seconds
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_POLL_SECONDS)
        if os.fstat(output.fileno()).st_size > limits.output_bytes:
            raise InputError(
                f"{command} wrote more than {limits.output_bytes // 1_000_000:,} MB.",
                "It was ended.",
            )
        if process.returncode is not None:
            return
        if time.monotonic() > end:
            raise InputError(
                f"{command} gave no result within {limits.seconds:,.10g} seconds.",
                "It was ended.",
            )
        check()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and, where the system has groups of processes, what it started."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.kill()
    process.wait()


def _exit_words(code: int) -> str:
    if code < 0:
        return f"signal {-code}"
    return f"exit code {code}"


def _said(errors: IO[bytes]) -> str:
    """Return the last line with an error that a program wrote, "" where it wrote none."""
    errors.seek(0)
    lines = [
        line.strip() for line in errors.read().decode("utf-8", "replace").splitlines()
    ]
    telling = [line for line in lines if "Error" in line] or [
        line for line in lines if line
    ]
    if telling:
        return f"It said: {one_line_text(telling[-1], _MAX_ERROR)}"
    return "It gave no reason; run it by itself to find one."


SCHEMA = 1
"""Raised when a key of the input or output changes its meaning."""
LIMITS = ProgramLimits(seconds=60, output_bytes=256_000_000)
_TRIGGER = Trigger(TriggerMode.THRESHOLD, 0.85)
_DECLARED_TARGET = 0.5
_RULE = "other program"
_NO_REASON = "The program gave no reason."
_MARKS = {
    MessageFlag.RECORDED_SUMMARY: "summary",
    MessageFlag.COMMAND: "command",
    MessageFlag.META: "harness",
    MessageFlag.CONTEXT: "context",
    MessageFlag.API_ERROR: "error",
}
"""What a message is beside the words of its speaker."""
_SPEAKERS = {one.value: one for one in Speaker}
_WORDS = {"text": "text", "thinking": "thought", "code": "code"}
"""The key that a block of a type cannot be without."""
_WAY_OUT = "The help page plugins says what a program has to write."


def program_strategy(name: str) -> Strategy:
    """Return the strategy of a name that begins with ``PROGRAM``; InputError for no command."""
    command = name.removeprefix(PROGRAM)
    command_words(command)
    return replace(
        _PROGRAM_STRATEGY,
        name=name,
        about=f"Gives the history to {command} and takes back what it keeps.",
        compress=partial(compress, command),
    )


def compress(command: str, context: StrategyContext) -> Compaction:
    """Run the program once over the history; raises InputError where it fails."""
    name = PROGRAM + command
    if not context.history:
        return empty_history_no_op(context, name)
    entries = [_message_json(context, index) for index in range(len(context.history))]
    target = _target(context)
    data = json.dumps(_input(context, entries, target)).encode()

    def check() -> None:
        context.progress(0.0, f"{command} runs")

    output = run_program(command, data, LIMITS, check)
    answer = _Answer(command, context.history, entries, _parsed(command, output))
    if answer.no_op:
        return no_op_compaction(
            context, name, NoOpCode.NOTHING_TO_PRUNE, answer.no_op, parts=None
        )
    return _checked(context, replace(_compaction(name, answer), target=target))


def _target(context: StrategyContext) -> int | None:
    if context.limit is None:
        return None
    configured = share_of_aim(context.values.number(TARGET), context.limit)
    fraction, _ = target_fraction(
        _PROGRAM_STRATEGY, context.values, configured, _DECLARED_TARGET
    )
    return share_of(context.limit, fraction)


def _input(
    context: StrategyContext, entries: Sequence[Json], target: int | None
) -> Json:
    return {
        "foldline": installed_version(),
        "schema": SCHEMA,
        "tokens": context.current_token_count,
        "outside_tokens": context.outside_tokens,
        "limit": context.limit,
        "target": target,
        "must_keep": list(context.musts),
        "messages": entries,
    }


def _message_json(context: StrategyContext, index: int) -> dict[str, Json]:
    message = context.history[index]
    pin = context.pins.get(index)
    return {
        "index": index,
        "speaker": message.speaker.value,
        "marks": [name for flag, name in _MARKS.items() if message.flags & flag],
        "tokens": context.estimate_tokens((message,)),
        "pin": None if pin is None else pin.kind.value,
        "blocks": [_block_json(block) for block in message.blocks],
    }


def _block_json(block: Block) -> Json:
    """Return a block without the notes of readers, whose keys begin with $."""
    entry = block_entry(block)
    if isinstance(block, Opaque) or not isinstance(entry, dict):
        return entry
    return {key: value for key, value in entry.items() if not key.startswith("$")}


def _parsed(command: str, output: bytes) -> dict[str, Json]:
    if not output.strip():
        raise InputError(f"{command} wrote nothing on standard output.", _WAY_OUT)
    try:
        value = json.loads(output)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{command} did not write UTF-8: byte {error.start + 1:,} is none.",
            _WAY_OUT,
        ) from None
    except RecursionError:
        raise InputError(
            f"{command} wrote JSON that is nested too deep.", _WAY_OUT
        ) from None
    except ValueError as error:
        raise InputError(
            f"{command} did not write JSON: {json_fault_and_place(error)}.", _WAY_OUT
        ) from None
    if not isinstance(value, dict):
        raise InputError(f"{command} wrote JSON that is not an object.", _WAY_OUT)
    return value


@dataclass(frozen=True, slots=True)
class _Part:
    """One message of a result, the source messages that it stands for, and why."""

    message: Message
    origins: tuple[int, ...]
    reason: str

    def kind(self, history: Sequence[Message]) -> FateKind:
        if len(self.origins) != 1:
            return FateKind.SUMMARISED
        source = history[self.origins[0]]
        if self.message is source:
            return FateKind.KEPT
        same = self.message.speaker is source.speaker
        return FateKind.EDITED if same else FateKind.SUMMARISED


class _Answer:
    """What a program wrote, checked part by part."""

    def __init__(
        self,
        command: str,
        history: Sequence[Message],
        entries: Sequence[Mapping[str, Json]],
        value: Mapping[str, Json],
    ) -> None:
        self.history = history
        self._command = command
        self._entries = entries
        self._used = set[int]()
        self.no_op = self._no_op(value)
        reasons = value.get("reasons")
        self.reasons: Mapping[str, Json] = reasons if isinstance(reasons, dict) else {}
        messages = value.get("messages")
        if not self.no_op and not isinstance(messages, list):
            raise self._error('has no list "messages"')
        self.parts = tuple(map(self._part, range(len(messages or ())), messages or ()))

    def reason(self, index: int) -> str:
        """Return why a source message went."""
        return str(self.reasons.get(str(index)) or _NO_REASON)

    def _no_op(self, value: Mapping[str, Json]) -> str:
        reason = value.get("no_op")
        if reason is None:
            return ""
        if not isinstance(reason, str) or not reason.strip():
            raise self._error('has a "no_op" that is no sentence')
        if value.get("messages"):
            raise self._error('has both "no_op" and "messages"')
        return reason

    def _part(self, number: int, entry: Json) -> _Part:
        if not isinstance(entry, dict):
            raise self._error(f"has a message {number} that is not an object")
        origins = self._origins(number, entry.get("origins"))
        reason = str(entry.get("reason") or _NO_REASON)
        if "blocks" in entry or "text" in entry:
            return _Part(self._message(number, entry, origins), origins, reason)
        if len(origins) != 1:
            raise self._error(
                f"has a message {number} without text, blocks or a single origin"
            )
        return _Part(self.history[origins[0]], origins, reason)

    def _origins(self, number: int, value: Json) -> tuple[int, ...]:
        if not isinstance(value, list):
            raise self._error(f'has a message {number} without a list "origins"')
        for index in value:
            if type(index) is not int or not 0 <= index < len(self.history):
                raise self._error(
                    f"has an origin {index!r} in message {number} that is not an index"
                )
            if index in self._used:
                raise self._error(f"has the origin {index} in two places")
            self._used.add(index)
        return tuple(sorted(value))

    def _message(
        self, number: int, entry: Mapping[str, Json], origins: Sequence[int]
    ) -> Message:
        """Return a message with content of its own; blocks that equal those of its only origin are
        these."""
        if len(origins) == 1:
            source = self.history[origins[0]]
        else:
            source = None
        name = entry.get(
            "speaker", source.speaker.value if source else Speaker.HUMAN.value
        )
        if name not in _SPEAKERS:
            raise self._error(
                f"has a speaker {name!r} in message {number} that is unknown"
            )
        blocks = self._blocks(number, entry, origins)
        if source is None or source.speaker.value != name:
            return Message(_SPEAKERS[name], blocks)
        if blocks == source.blocks:
            return source
        return replace(source, blocks=blocks)

    def _blocks(
        self, number: int, entry: Mapping[str, Json], origins: Sequence[int]
    ) -> tuple[Block, ...]:
        if "blocks" not in entry:
            text = entry["text"]
            if not isinstance(text, str):
                raise self._error(f'has a message {number} whose "text" is no text')
            return (Text(text),)
        if "text" in entry:
            raise self._error(f'has a message {number} with both "text" and "blocks"')
        if not isinstance(entry["blocks"], list):
            raise self._error(f'has a message {number} whose "blocks" are not a list')
        known = [
            pair
            for index in origins
            for pair in zip(
                self._entries[index]["blocks"],
                self.history[index].blocks,
                strict=True,
            )
        ]
        return tuple(self._block(number, block, known) for block in entry["blocks"])

    def _block(
        self, number: int, entry: Json, known: Sequence[tuple[Json, Block]]
    ) -> Block:
        # A block that the program gave back unchanged stays the same object, with the fields of
        # its file.
        same = next((block for value, block in known if value == entry), None)
        if same is not None:
            return same
        block = block_from_entry(entry)
        if isinstance(block, Opaque) or _is_without_words(entry):
            raise self._error(
                f"has a block in message {number} that is neither of the input nor of a known shape"
            )
        return block

    def _error(self, problem: str) -> InputError:
        return InputError(f"What {self._command} wrote {problem}.", _WAY_OUT)


def _is_without_words(entry: Json) -> bool:
    key = _WORDS.get(entry["type"])
    return key is not None and not isinstance(entry.get(key), str)


def _compaction(name: str, answer: _Answer) -> Compaction:
    history, parts = answer.history, answer.parts
    fates: dict[int, Fate] = {}
    inserted = set()
    for place, part in enumerate(parts):
        kind = part.kind(history)
        if kind is FateKind.SUMMARISED:
            inserted.add(place)
        fates |= dict.fromkeys(part.origins, single_fate(kind, _RULE, part.reason))
    dropped = set(range(len(history))) - fates.keys()
    for index in dropped:
        fates[index] = single_fate(FateKind.DROPPED, _RULE, answer.reason(index))
    return Compaction(
        messages=tuple(part.message for part in parts),
        origins=tuple(part.origins for part in parts),
        fates=tuple(fates[index] for index in range(len(history))),
        metadata=CompactionMetadata(
            original_message_count=len(history),
            compressed_message_count=len(parts),
            strategy_used=name,
            llm_call_made=False,
        ),
        inserted=frozenset(inserted),
    )


def _checked(context: StrategyContext, compaction: Compaction) -> Compaction:
    """Return the result with its fault as a warning, or a no-op where nothing changed."""
    name = compaction.metadata.strategy_used
    if compaction.messages == context.history:
        reason = "The program left every message as it was."
        return no_op_compaction(
            context, name, NoOpCode.NOTHING_TO_PRUNE, reason, parts=None
        )
    fault = result_fault(context.history, compaction.messages)
    if fault:
        return replace(compaction, warnings=(fault,))
    return compaction


_PROGRAM_STRATEGY = Strategy(
    name=PROGRAM,
    about="",
    requires_llm=False,
    trigger=_TRIGGER,
    options=(THRESHOLD, LIMIT, TARGET),
    compress=partial(compress, ""),
    obeys_pins=True,
)
