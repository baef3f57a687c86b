"""What the adapters for agent frameworks share: it compacts the history of an agent, as messages of
OpenAI's chat API, and remembers what it compacted."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from threading import RLock
from typing import Any, Generic, TypeVar

from core.api import (
    Compacted,
    FoldlineError,
    InputError,
    compact,
    is_due,
    is_overflow,
    size,
)
from core.api.loop import After, Before
from core.common.json_value import Json
from core.llm.catalog import find_model_limit
from core.strategies.helpers import require_trigger
from core.strategies.names import EXCERPT
from core.transcript.compaction import FateKind

Message = TypeVar("Message")
MessageDict = dict[str, Json]
_SIZE_OPTIONS = ("model", "system", "tools")
_TRIGGER_OPTIONS = ("strategy", "settings", "limit", *_SIZE_OPTIONS)
_REMEMBERED = 16  # histories of one adapter: several runs of an agent may share it
_GROWTH = (
    10  # a run that left the history due is repeated once it has grown by this part
)
_LOG = logging.getLogger("foldline")


@dataclass(frozen=True, slots=True)
class _Remembered(Generic[Message]):
    """What the first messages of a history became; ``digest`` is that of all of them. Below
    ``retry_size`` tokens the strategy does not run again."""

    length: int
    digest: bytes
    messages: tuple[Message, ...]
    retry_size: int


class HistoryCompactor(Generic[Message]):
    """Compacts a history once it reaches the trigger of the strategy, and remembers the result.

    A host that keeps the whole history gives it again for each request: what begins with messages
    that were compacted before has their result in their place, and only what then reaches the
    trigger is compacted. A run that failed, that used none of the summaries it asked for, or whose
    result is still due although a summary was written for it, is repeated only once the history has
    grown by a tenth; why is logged.

    ``options`` are those of ``foldline.api.compact``; the window must be known by ``limit``
    (tokens) or ``model``. ``before`` is called with the tokens of a history that is due, and leaves
    it as it is by returning False; ``after`` with each result that replaces one. Raises InputError
    for options that are unknown or cannot be used.
    """

    def __init__(
        self,
        strategy: str = EXCERPT,
        *,
        before: Before | None = None,
        after: After | None = None,
        **options: Any,
    ) -> None:
        if not options.get("limit") and not options.get("model"):
            raise InputError(
                f"{strategy} needs the window of the model.", "Give limit= or model=."
            )
        self.options: dict[str, Any] = {"strategy": strategy, **options}
        self._lowered: dict[
            str, int
        ] = {}  # the window, once a provider refused a request
        self._before, self._after = before, after
        self._limit = self._checked_limit()
        self._remembered: list[_Remembered[Message]] = []
        self._lock = RLock()

    def compacted(
        self,
        messages: Sequence[Message],
        to_dicts: Callable[[Message], Sequence[MessageDict]],
        from_dict: Callable[[MessageDict], Message],
        *,
        target: int | None = None,
        is_refused: bool = False,
        **request: Any,
    ) -> list[Message] | None:
        """Return the shorter history; None if there is none.

        Messages that the strategy keeps are the host's own objects. ``target`` replaces the trigger
        where the host decides when to compact: a remembered result of at most so many tokens is
        enough; 0 always compacts. ``is_refused``: the provider refused it, whatever its size.
        ``request`` are ``system`` and ``tools`` of ``foldline.api.size``. An error is logged and
        changes nothing, so that no agent fails for it.
        """
        try:
            groups = [list(to_dicts(message)) for message in messages]
            digests = _digests(groups)
            known = self._recall(digests)
        except Exception:
            _LOG.exception("The history is unchanged, because it could not be read.")
            return None
        current = list(messages)
        if known is not None:
            current[: known.length] = known.messages
        before = None if known is None else current
        try:
            groups = [list(to_dicts(message)) for message in current]
            dicts = [item for group in groups for item in group]
            if not is_refused and not self._must_run(dicts, known, target, request):
                return before
        except Exception:
            _LOG.exception("The history is unchanged, because its size is unknown.")
            return before
        shorter, retry_size = self._run(current, groups, from_dict, target, request)
        shorter = before if shorter is None else shorter
        if shorter is not None or retry_size:
            kept = tuple(current if shorter is None else shorter)
            self._remember(_Remembered(len(messages), digests[-1], kept, retry_size))
        if (
            shorter is not None and retry_size
        ):  # a host that stores the result gives that one next
            digests = _digests([list(to_dicts(message)) for message in shorter])
            self._remember(
                _Remembered(len(shorter), digests[-1], tuple(shorter), retry_size)
            )
        return shorter

    def compacted_after(
        self,
        error: BaseException,
        messages: Sequence[Message],
        to_dicts: Callable[[Message], Sequence[MessageDict]],
        from_dict: Callable[[MessageDict], Message],
        **request: Any,
    ) -> list[Message] | None:
        """Return the shorter history of a request that failed with ``error``, to send it once more;
        None where the provider did not say that it is too long, or nothing makes it shorter.

        The window is from then on at most what was refused: the provider counts more than we do, or
        the window that was given is not that of the model.
        """
        if not is_overflow(error):
            return None
        try:
            refused = self._size(
                [item for one in messages for item in to_dicts(one)], request
            )
            self._lower_limit(refused)
        except Exception:
            _LOG.exception("The history is unchanged, because its size is unknown.")
            return None
        return self.compacted(messages, to_dicts, from_dict, is_refused=True, **request)

    def _lower_limit(self, refused: int) -> None:
        before = self._lowered
        if refused >= self._limit:
            return
        self._lowered = {"limit": refused}
        try:
            self._limit = self._checked_limit()
        except InputError:  # a window in which the strategy would be due for ever
            self._lowered = before

    def _run(
        self,
        current: Sequence[Message],
        groups: Sequence[list[MessageDict]],
        from_dict: Callable[[MessageDict], Message],
        target: int | None,
        request: dict[str, Any],
    ) -> tuple[list[Message] | None, int]:
        """Return the shorter history, if there is one, and the size below which no other run is
        due."""
        dicts = [item for group in groups for item in group]
        try:
            if (
                self._before is not None
                and self._before(self._size(dicts, request)) is False
            ):
                return None, 0
            result = compact(dicts, **self._options(request))
            if result.no_op:
                shorter = None
            else:
                shorter = _joined(current, groups, result.messages, from_dict)
            is_written = any(
                fate is not None and fate.kind is FateKind.SUMMARISED
                for fate in result.fates
            )
            is_in_vain = not is_written or self._is_due(
                result.messages, target, request
            )
            retry_size = 0
            if result.preview.result.compaction.calls and is_in_vain:
                retry_size = self._retry_size(result.messages, request)
            tokens = self._size(result.messages, request)
            name = self.options["strategy"]
            if retry_size:
                faults = [f"{name} asked for a summary in vain."]
            else:
                faults = []
            if tokens > self._limit:
                faults.append(
                    f"{name} leaves {tokens} tokens, above the window of {self._limit}."
                )
            if faults:
                _LOG.warning("%s", " ".join((*faults, *result.warnings)))
            self._tell(result)
            return shorter, retry_size
        except FoldlineError as error:
            _LOG.warning("The history is unchanged. %s", error)
        except Exception:
            _LOG.exception(
                "The history is unchanged, because it could not be compacted."
            )
        return None, self._retry_size(dicts, request)

    def _options(self, request: dict[str, Any]) -> dict[str, Any]:
        return {**self.options, **self._lowered, **request}

    def _tell(self, result: Compacted[Any]) -> None:
        """Call ``after``; its error is logged, the result stands."""
        if self._after is None or result.no_op:
            return
        try:
            self._after(result)
        except Exception:
            _LOG.exception("The function that is told of a compaction failed.")

    def _checked_limit(self) -> int:
        """Return the window, after a run over one message: what is unknown or cannot be used raises
        here, not inside the agent. No summary is asked for."""
        options = self._options({})
        if options.pop("pins", None):
            raise InputError(
                "pins name places in one history.",
                "Leave them out: an agent's history changes.",
            )
        if callable(options.get("summarizer")):
            del options["summarizer"]
        try:
            probe = compact([{"role": "user", "content": "Hi"}], **options)
        except TypeError as error:
            raise InputError(
                f"An option is unknown: {error}.", "The options are those of compact."
            ) from None
        model = options.get("model") or ""
        model_limit = find_model_limit(
            probe.preview.source.conversation, model, options.get("limit")
        )
        if model_limit.tokens is None:
            raise InputError(
                f"The window of the model is {model_limit.source}.",
                "Give limit=, in tokens.",
            )
        require_trigger(
            probe.preview.strategy, probe.preview.source.values, model_limit.tokens
        )
        return model_limit.tokens

    def _must_run(
        self,
        dicts: Sequence[MessageDict],
        known: _Remembered[Message] | None,
        target: int | None,
        request: dict[str, Any],
    ) -> bool:
        if target is not None and (known is None or not target):
            return True
        if (
            known is not None
            and known.retry_size
            and self._size(dicts, request) < known.retry_size
        ):
            return False
        return self._is_due(dicts, target, request)

    def _is_due(
        self, dicts: Sequence[MessageDict], target: int | None, request: dict[str, Any]
    ) -> bool:
        if target is not None:
            return self._size(dicts, request) > target
        options = self._options(request)
        return is_due(
            dicts, **{key: options[key] for key in _TRIGGER_OPTIONS if key in options}
        )

    def _size(self, dicts: Sequence[MessageDict], request: dict[str, Any]) -> int:
        options = self._options(request)
        return size(
            dicts, **{key: options[key] for key in _SIZE_OPTIONS if options.get(key)}
        )

    def _retry_size(self, dicts: Sequence[MessageDict], request: dict[str, Any]) -> int:
        tokens = self._size(dicts, request)
        return tokens + tokens // _GROWTH + 1

    def _recall(self, digests: Sequence[bytes]) -> _Remembered[Message] | None:
        """Return what is remembered of the longest beginning of a history."""
        with self._lock:
            known = [
                one
                for one in self._remembered
                if one.length <= len(digests) and digests[one.length - 1] == one.digest
            ]
        return max(known, key=lambda one: one.length, default=None)

    def _remember(self, entry: _Remembered[Message]) -> None:
        with self._lock:
            self._remembered = [*self._remembered[1 - _REMEMBERED :], entry]


def _digests(groups: Sequence[list[MessageDict]]) -> list[bytes]:
    """Return for each message the digest of it and all before it."""
    running = sha256()
    digests = []
    for group in groups:
        running.update(json.dumps(group, default=str).encode())
        digests.append(running.digest())
    return digests


def _joined(
    messages: Sequence[Message],
    groups: Sequence[list[MessageDict]],
    result: Sequence[Any],
    from_dict: Callable[[MessageDict], Message],
) -> list[Message]:
    """Return the host's message for each run of dicts that is one of its own, in order, else a new
    one."""
    joined: list[Message] = []
    at = start = 0
    while at < len(result):
        known = (
            index
            for index in range(start, len(groups))
            if groups[index]
            and groups[index] == list(result[at : at + len(groups[index])])
        )
        index = next(known, -1)
        if index < 0:
            joined.append(from_dict(result[at]))
            at += 1
        else:
            joined.append(messages[index])
            at = at + len(groups[index])
            start = index + 1
    return joined


def tool_call_dict(call_id: str, name: str, arguments: str) -> Json:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def unread_blocks(content: Json) -> list[Json]:
    """Return the blocks of a content that are no text: parts of the host that pass through."""
    if isinstance(content, list):
        return [block for block in content if block.get("type") != "text"]
    return []


def assistant_dict(content: str | Sequence[Json], calls: Sequence[Json]) -> MessageDict:
    return {"role": "assistant", "content": content or None} | (
        {"tool_calls": list(calls)} if calls else {}
    )
