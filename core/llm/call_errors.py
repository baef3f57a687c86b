"""Classifies failed model calls: the cause in one sentence without secrets, and whether to
retry."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from core.common.errors import UNCHANGED, CompactionFailed
from core.llm import late
from core.llm.credentials import without_key
from core.llm.destination import destination_of

if TYPE_CHECKING:
    from core.settings.profile import Profile


class FailureCause(StrEnum):
    """The cause of a failed call; the value is the middle of the sentence."""

    KEY = "the server refused the key (HTTP 401)"
    NO_KEY = "no key was given for {provider}"
    CREDIT = "the account has no credit left (HTTP {status})"
    FORBIDDEN = "this model may not be used with the key (HTTP 403)"
    NOT_FOUND = "there is no such model or address at {where} (HTTP 404)"
    REJECTED = "the server rejected the request (HTTP {status})"
    RATE = "the server asks for fewer requests (HTTP 429)"
    SERVER = "the server failed (HTTP {status})"
    TIMEOUT = "no answer came within {timeout:g} s"
    REFUSED = "nothing answers at {where}"
    DNS = "the host {where} cannot be found"
    ADDRESS = "the base URL cannot be used"
    HEADER = "the key, or a header of the parameters, has a character that no request can carry"
    TLS = "the secure connection to {where} failed"
    INCOMPLETE = "the answer broke off before its end"
    TOTAL_TIMEOUT = "the call took longer than {total:g} s in all"
    UNREADABLE = "the answer cannot be read"
    NO_CHOICE = "the answer holds no text: its list of choices is empty"
    ERROR = "the server answered with an error"
    TEMPORARY = "the server answered with a temporary error"
    REDIRECT = "{where} sends the request on to {other}, and no redirect is followed"
    ELSEWHERE = (
        "the request was to go to {other} instead of {where}, so it was not sent"
    )
    TRANSPORT = (
        "litellm calls {provider} through aiohttp, which Foldline does not allow"
    )
    ENCODING = "the answer has an encoding that was not requested"
    TOO_LARGE = "the answer is larger than 64 MB, so it was not read"
    OVERFLOW = "the request does not fit the model's window"
    OTHER = "the call failed ({error})"


_ERRORS = frozenset({FailureCause.ERROR, FailureCause.TEMPORARY})
_RETRY = {
    *(
        FailureCause.RATE,
        FailureCause.SERVER,
        FailureCause.TIMEOUT,
        FailureCause.REFUSED,
    ),
    *(FailureCause.DNS, FailureCause.INCOMPLETE, FailureCause.TEMPORARY),
}
_WITH_DETAIL = {
    *(
        FailureCause.KEY,
        FailureCause.CREDIT,
        FailureCause.FORBIDDEN,
        FailureCause.NOT_FOUND,
    ),
    *(
        FailureCause.REJECTED,
        FailureCause.RATE,
        FailureCause.SERVER,
        FailureCause.INCOMPLETE,
    ),
    *(*_ERRORS, FailureCause.OTHER),
}
_HINTS = {
    FailureCause.KEY: "Check the key that the profile names.",
    FailureCause.NO_KEY: "Name the variable or keyring entry that holds the key in the profile.",
    FailureCause.FORBIDDEN: "Choose another model in the profile.",
    FailureCause.NOT_FOUND: "Check model and base URL of the profile; most base URLs end in /v1.",
    FailureCause.REFUSED: "Check that the server runs and the base URL of the profile is right.",
    FailureCause.DNS: "Check the base URL of the profile and the network.",
    FailureCause.ADDRESS: "It must begin with http:// or https://.",
    FailureCause.HEADER: "Keys and headers are one line of ASCII characters; store the key again.",
    FailureCause.TIMEOUT: "Try again, or raise the timeout of the profile.",
    FailureCause.TOTAL_TIMEOUT: "Try again, or raise total_timeout of the profile.",
    FailureCause.REDIRECT: "If you trust that host, make it the base URL of the profile.",
    FailureCause.ELSEWHERE: "Write the base URL into the profile, or choose another provider.",
    FailureCause.TRANSPORT: "Choose another provider in the profile, such as openai.",
    FailureCause.ENCODING: "Check that the base URL of the profile leads to a model server.",
    FailureCause.TOO_LARGE: "Check that the base URL of the profile leads to a model server.",
    FailureCause.OVERFLOW: "Choose a model with a larger window.",
    FailureCause.UNREADABLE: "Check that the base URL of the profile leads to a model server.",
    FailureCause.NO_CHOICE: "Check that the base URL of the profile leads to a model server.",
}

_TOO_LONG = re.compile(
    r"context.length|prompt is too long|maximum context|context (?:window|size|limit)|too many tokens"
    r"|input token count",
    re.IGNORECASE,
)
_OVERFLOW_CODE = "context_length_exceeded"  # OpenAI, and servers with its API
_OVERFLOW_ANSWER = re.compile(
    "|".join(
        (
            _OVERFLOW_CODE,
            r"maximum context length is \d",  # OpenAI, vLLM
            r"input exceeds the context window of this model",  # OpenAI's Responses API
            r"prompt is too long: \d+ tokens > \d+ maximum",  # Anthropic
            r"input length and `max_tokens` exceed context limit: \d",  # Anthropic
            r"input token count \(\d+\) exceeds the maximum number of tokens",  # Gemini
        )
    ),
    re.IGNORECASE,
)
"""What providers answer, by itself proof enough; ``_TOO_LONG`` needs the status of a rejection."""
_REJECTED, _TOO_LARGE = 400, 413
_NO_KEY = re.compile(
    r"missing credentials|missing .{0,20}api.key|api_key client option", re.IGNORECASE
)
_UNREADABLE = re.compile(r"empty or invalid response|unable to get json", re.IGNORECASE)
_MESSAGE = re.compile(r"""["']message["']:\s*["']((?:[^"'\\]|\\.|(?<=\w)'(?=\w))+)""")
_PREFIX = re.compile(r"^(?:[\w.]*(?:Error|Exception|Timeout)(?: - |: ?| ))+")
_MAX_DETAIL = 160
# An error of the server stands at the end of what it sent.
_TAIL_BYTES = 4096
_ERROR = re.compile(rb'(?<!\\)"error"\s*:\s*[{"]')
_REFUSAL = re.compile(rb'(?<!\\)"refusal"\s*:\s*"[^"]')
_ENDING = re.compile(
    rb'(?<!\\)"(?P<key>finish_reason|finishReason|stop_reason|stopReason|done_reason)"\s*:\s*'
    rb'(?:"(?P<word>[^"\\]{0,200})"|null)|(?<!\\)"status"\s*:\s*"(?P<status>incomplete|failed|cancelled)"|'
    rb'(?<!\\)"(?P<shape>choices|candidates)"\s*:\s*\[\s*\{'
)
_ENDING_KEYS = (
    "finish_reason",
    "finishReason",
    "stop_reason",
    "stopReason",
    "done_reason",
    "status",
)
"""Fields with a finish reason, the most telling first: vLLM's stop_reason is what it stopped at."""
_ENDING_BYTES = 320  # longest field of an ending with its white space
"""Fields of a raw reply; the same words inside a text have backslashes before their quotes."""
_TEMPORARY_ERROR = re.compile(
    rb"overload|rate.?limit|unavailable|timeout|timed out|try again|server.error",
    re.IGNORECASE,
)

_OVERFLOW_ERRORS = frozenset(
    {
        "ContextWindowExceededError",  # litellm
        "ContextOverflowError",  # LangChain
        "ModelContextWindowExceededError",  # pydantic-ai
    }
)
_BY_TYPE: tuple[tuple[FailureCause, frozenset[str]], ...] = (
    (FailureCause.OVERFLOW, _OVERFLOW_ERRORS),
    (FailureCause.DNS, frozenset({"gaierror"})),
    (FailureCause.REFUSED, frozenset({"ConnectionRefusedError"})),
    (FailureCause.ADDRESS, frozenset({"UnsupportedProtocol", "InvalidURL"})),
    (FailureCause.HEADER, frozenset({"LocalProtocolError", "UnicodeEncodeError"})),
    (FailureCause.TLS, frozenset({"SSLError", "SSLCertVerificationError"})),
    (
        FailureCause.TIMEOUT,
        frozenset({"Timeout", "APITimeoutError", "TimeoutError", "ConnectTimeout"}),
    ),
    (
        FailureCause.INCOMPLETE,
        frozenset({"RemoteProtocolError", "ReadError", "ConnectionResetError"}),
    ),
    # A refused connection is a kind of this error, so the more telling name stands above.
    (FailureCause.REFUSED, frozenset({"ConnectError"})),
    (FailureCause.UNREADABLE, frozenset({"JSONDecodeError", "UnicodeDecodeError"})),
)
"""Exception names in the chain; names, so that neither litellm nor httpx is imported here."""
_DISCONNECTIONS = frozenset(
    {"InvalidAnswerError", "RemoteProtocolError", "ReadError", "ConnectionResetError"}
)
"""With one of these in the chain, the text is not from the server."""
_HTTP_OK = 200
_RAISED_BY_US = {
    *(
        FailureCause.TIMEOUT,
        FailureCause.TOTAL_TIMEOUT,
        FailureCause.REDIRECT,
        FailureCause.ELSEWHERE,
    ),
    *(FailureCause.TOO_LARGE, FailureCause.ENCODING, FailureCause.OVERFLOW),
}
_BY_STATUS = {
    401: FailureCause.KEY,
    402: FailureCause.CREDIT,
    403: FailureCause.FORBIDDEN,
    404: FailureCause.NOT_FOUND,
    408: FailureCause.TIMEOUT,
    # 413 means a request that is too large, and that is most often the history.
    413: FailureCause.OVERFLOW,
    429: FailureCause.RATE,
}


class InvalidAnswerError(Exception):
    """An incomplete, forbidden or missing answer; ``from_host`` and ``to_host`` are hosts of a
    redirect."""

    def __init__(
        self, cause: FailureCause, from_host: str = "", to_host: str = ""
    ) -> None:
        super().__init__(cause.name)
        self.cause, self.from_host, self.to_host = cause, from_host, to_host


@dataclass(slots=True)
class NetworkActivity:
    """The network traffic of a call, filled on the loop's thread. ``last_activity_at`` is the
    monotonic time of the last activity, None before the request is sent; ``tail`` the end of the
    last reply, unpacked; ``endings`` the last finish reason by the field that gave it, "" for null;
    ``fault`` why we ended the connection."""

    last_activity_at: float | None = None
    status: int = 0
    tail: bytes = b""
    refused: bool = False
    endings: dict[str, str] = field(default_factory=dict)
    fault: InvalidAnswerError | None = None

    def begin_reply(self, status: int) -> None:
        """Forget an earlier reply of the same call."""
        self.last_activity_at = time.monotonic()
        self.status = status
        self.tail = b""
        self.endings, self.fault = {}, None

    def add_piece(self, piece: bytes) -> None:
        # The field may lie across two pieces.
        self.refused = self.refused or bool(_REFUSAL.search(self.tail[-32:] + piece))
        for match in _ENDING.finditer(self.tail[-_ENDING_BYTES:] + piece):
            key = (match["key"] or match["shape"] or b"status").decode()
            word = (match["word"] or match["status"] or b"").decode("utf-8", "replace")
            # An empty ending must not hide an earlier one: some servers send null with each
            # piece.
            self.endings[key] = word or self.endings.get(key, "")
        self.tail = (self.tail + piece)[-_TAIL_BYTES:]

    @property
    def ending(self) -> str | None:
        """The provider's own finish reason, "" where it gave none; None for a reply of unknown
        shape."""
        # A reply without any of these fields is of an unknown shape, and litellm's word counts.
        if not self.endings:
            return None
        words = (self.endings[key] for key in _ENDING_KEYS if self.endings.get(key))
        return next(words, "")

    def record_fault(self, fault: InvalidAnswerError) -> InvalidAnswerError:
        """Keep the fault, so that libraries cannot replace it, and return it."""
        self.fault = fault
        return fault


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Why a call failed. ``text`` is part of a sentence; ``retry_after`` the server's retry delay
    in seconds."""

    cause: FailureCause
    text: str
    retry_after: float | None = None

    @property
    def is_temporary(self) -> bool:
        return self.cause in _RETRY


def _place_of(error: BaseException, profile: Profile) -> str:
    """Return the host that answered, else that of the profile, else its provider."""
    host = ""
    # A profile that cannot be read has no host.
    with suppress(ValueError):
        host = destination_of(profile).host
    return getattr(error, "from_host", "") or host or profile.provider


def _class_names(errors: Iterable[BaseException]) -> set[str]:
    # Probably three classes are deep enough for what libraries derive from known errors.
    return {kind.__name__ for error in errors for kind in type(error).__mro__[:3]}


def call_failure(
    error: BaseException,
    profile: Profile,
    key: str,
    recorded_activity: NetworkActivity | None = None,
) -> CallFailure:
    """Return the failure that an exception means; its text never holds the key."""
    activity = recorded_activity or NetworkActivity()
    # Libraries wrap our own faults into errors that say less.
    error = activity.fault or error
    errors = list(_error_chain(error))
    text = "\n".join(map(str, errors))
    # The innermost status is that of the server; outer ones are the library's guess.
    status = activity.status or next(filter(None, map(_status, reversed(errors))), 0)
    names = _class_names(errors)
    cause = _cause(error, names, text, status)
    if status == _HTTP_OK:
        cause = _cause_after_http_ok(cause, names, activity)
    sentence = cause.value.format(
        provider=profile.provider,
        status=status,
        where=_place_of(error, profile),
        other=getattr(error, "to_host", ""),
        timeout=profile.timeout,
        total=profile.total_timeout,
        error=type(error).__name__,
    )
    server_text = (
        activity.tail.decode("utf-8", "replace") if cause in _ERRORS else str(error)
    )
    # The text of a broken connection is the library's and says nothing of the server.
    has_detail = cause in _WITH_DETAIL and not names & _DISCONNECTIONS
    if has_detail and (detail := _detail(server_text)):
        sentence += f": “{detail}”"
    return CallFailure(cause, without_key(sentence, key), _retry_after(error))


def compaction_failure(
    failure: CallFailure, profile: Profile, attempts: int, seconds: float
) -> CompactionFailed:
    """Return the error with profile, model, cause, tries and seconds (REQ-CS-006A.2)."""
    if attempts == 1:
        count = "1 try"
    else:
        count = f"{attempts} tries"
    sentence = (
        f"{profile.name} ({profile.model}): {failure.text} ({count}, {seconds:.1f} s)."
    )
    hint = f"{UNCHANGED} {_HINTS.get(failure.cause, '')}"
    return CompactionFailed(sentence, hint.strip())


def _cause(
    error: BaseException, names: set[str], text: str, status: int
) -> FailureCause:
    if isinstance(error, InvalidAnswerError):
        return error.cause
    # Before the status: litellm answers a missing key as if the server had refused it.
    if _NO_KEY.search(text):
        return FailureCause.NO_KEY
    # Providers have no code of their own for a request that is too long.
    if status == 400 and _TOO_LONG.search(text):
        return FailureCause.OVERFLOW
    if _UNREADABLE.search(text):
        return FailureCause.UNREADABLE
    # OpenAI answers an empty account with 429, which looks like a rate limit.
    if "insufficient_quota" in text:
        return FailureCause.CREDIT
    known = next((cause for cause, types in _BY_TYPE if types & names), None)
    return known or _by_status(status, names)


def is_overflow(error: BaseException) -> bool:
    """Return whether an exception, or one that it was raised from, is a provider's answer that the
    request does not fit the model's window; whatever library raised it."""
    errors = list(_error_chain(error))
    if any(_status(one) == _TOO_LARGE for one in errors):
        return True
    # Subclasses count, as an adapter's library may derive its own error.
    names = {kind.__name__ for one in errors for kind in type(one).__mro__}
    if not names.isdisjoint(_OVERFLOW_ERRORS):
        return True
    if any(_is_overflow_answer(one) for one in errors):
        return True
    is_rejected = any(_status(one) == _REJECTED for one in errors)
    return is_rejected and any(_TOO_LONG.search(str(one)) for one in errors)


def _is_overflow_answer(error: BaseException) -> bool:
    """Return whether an exception has the code or the words of an overflow, of whatever status."""
    if getattr(error, "code", None) == _OVERFLOW_CODE:
        return True
    return _OVERFLOW_ANSWER.search(str(error)) is not None


def _cause_after_http_ok(
    cause: FailureCause, names: set[str], activity: NetworkActivity
) -> FailureCause:
    """Return the cause of a failed answer with HTTP 200, whatever litellm reports."""
    if cause in _RAISED_BY_US:
        return cause
    if _ERROR.search(activity.tail):
        return (
            FailureCause.TEMPORARY
            if _TEMPORARY_ERROR.search(activity.tail)
            else FailureCause.ERROR
        )
    if activity.ending == "error":  # which litellm raises in a stream
        return FailureCause.ERROR
    if cause is FailureCause.NO_CHOICE or (
        cause is FailureCause.INCOMPLETE and names & _DISCONNECTIONS
    ):
        return cause
    return FailureCause.UNREADABLE


def _by_status(status: int, names: set[str]) -> FailureCause:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if (
        "MidStreamFallbackError" in names
    ):  # an error event amid a stream has no status of its own
        return FailureCause.INCOMPLETE
    if status >= 500:
        return FailureCause.SERVER
    return FailureCause.REJECTED if status >= 400 else FailureCause.OTHER


def _error_chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and its causes; litellm wraps three or four times."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _status(error: BaseException) -> int:
    """Return the HTTP status of an exception, 0 without one; litellm's own may differ from the
    server's."""
    response = getattr(error, "response", None)
    statuses = (
        getattr(error, "status_code", None),
        getattr(response, "status_code", None),
    )
    return next((status for status in statuses if isinstance(status, int)), 0)


def _retry_after(error: BaseException) -> float | None:
    """Return the seconds of a Retry-After header, None without one that is a number or a date."""
    headers = getattr(error, "litellm_response_headers", None) or {}
    text = str(headers.get("retry-after", ""))
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = late.parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    if math.isfinite(seconds):
        return max(0.0, seconds)
    return None


def _detail(text: str) -> str:
    """Return the server's message in one short line; "" without one for readers."""
    match = _MESSAGE.search(text)
    if match:
        line = match.group(1)
    else:
        line = _PREFIX.sub("", text.split(" Original exception:")[0]).strip()
    if line:
        line = line.splitlines()[0].strip()
    else:
        line = ""
    if "<" in line[:20] or "{" in line[:3]:
        return ""
    line = line.rstrip(".")
    if len(line) <= _MAX_DETAIL:
        return line
    return line[: _MAX_DETAIL - 1] + "…"
