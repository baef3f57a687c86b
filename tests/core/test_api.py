"""The library: conversations and messages of APIs in, the same shape out."""

import ast
import asyncio
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core import api
from core.api import (
    Compacted,
    InputError,
    Message,
    SummaryRequest,
    acompact,
    acompact_if_due,
    compact,
    compact_if_due,
    facts,
    is_due,
    is_overflow,
    lint,
    load,
    repair,
    size,
)
from core.common.json_value import Json
from core.common.paths import bundled_samples
from core.transcript.scopes import CURRENT, history_of_scope
from tests.core.integrations.hosts.histories import openai_messages, write_summary
from tests.support.source_tree import ROOT

Messages = list[dict[str, Json]]
SAMPLE = bundled_samples()[0].path


def anthropic_messages() -> Messages:
    messages: Messages = []
    for number in range(40):
        call = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "read",
            "input": {"p": 1},
        }
        result = {
            "type": "tool_result",
            "tool_use_id": f"t{number}",
            "content": "y\n" * 50,
        }
        messages += [
            {"role": "user", "content": f"Mend bug {number}. " * 9},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "I look."}, call],
            },
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Done."},
        ]
    return messages


CUSTOM: Messages = [message | {"x_custom": 1.5} for message in openai_messages()]


@pytest.mark.parametrize(
    "given", [CUSTOM, anthropic_messages()], ids=["openai", "anthropic"]
)
def test_dicts_come_back_as_dicts_and_those_that_stay_are_equal(
    given: Messages,
) -> None:
    result = compact(given, strategy="middle-out", limit=8000)
    assert result.tokens_after < result.tokens_before
    assert not result.no_op
    assert [fate is None for fate in result.fates] == [
        message["role"] == "system" for message in given
    ]
    kept = [message for message in result.messages if message in given]
    assert len(kept) == len(result.messages) - 2  # the summary and its answer
    assert result.messages[-1] == given[-1]
    assert not lint([dict(message) for message in kept[-4:]])


def test_a_conversation_comes_back_as_messages_with_what_was_lost() -> None:
    conversation = load(SAMPLE)
    result = compact(conversation, strategy="middle-out")
    assert result.messages == result.preview.result.written_messages
    assert result.losses.worst_first
    assert facts(conversation).all


def test_of_a_compacted_session_the_current_context_is_compacted() -> None:
    conversation = load(SAMPLE)
    result = compact(conversation, strategy="middle-out")
    assert result.tokens_before == size(conversation)
    left = conversation.recorded[-1].boundary
    assert {fate is None for fate in result.fates[left:]} == {False}
    with pytest.raises(InputError, match="an earlier compaction took it out"):
        compact(conversation, strategy="middle-out", pins={2: "keep"})


def test_the_callers_summariser_writes_and_its_errors_pass_through() -> None:
    mine = (
        "<overall_goal>Bugs 9 to 30 are mended, the last in src/a30.py; every file holds an assignment, "
        "and it stands "
    ) + "there.</overall_goal>"
    texts = str(
        compact(
            openai_messages(), strategy="middle-out", summarizer=lambda _: mine
        ).messages
    )
    assert mine in texts
    with pytest.raises(ZeroDivisionError):
        compact(
            openai_messages(), strategy="middle-out", summarizer=lambda _: f"{1 // 0}"
        )


def test_settings_come_as_values_or_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tuned.toml"
    path.write_text("compression.preserve-threshold = 0.5\n")
    values = {"compression.preserve-threshold": 0.5}
    by_values, by_file, plain = (
        compact(openai_messages(), strategy="middle-out", settings=given)
        for given in (values, path, None)
    )
    assert by_values.messages == by_file.messages != plain.messages


def test_settings_are_read_as_on_the_command_line() -> None:
    by_text, by_number = (
        compact(openai_messages(), strategy="middle-out", settings={key: value})
        for key, value in (
            ("compression.preserve-threshold", "50%"),
            ("compression.preserve-threshold", 0.5),
        )
    )
    assert by_text.messages == by_number.messages


@pytest.mark.parametrize("strategy", [None, ""])
def test_no_strategy_is_an_error(strategy: Any) -> None:
    with pytest.raises(InputError, match="The name of the strategy is empty"):
        compact(openai_messages(), strategy=strategy)


def test_a_pinned_message_stays() -> None:
    given = openai_messages()
    plain, pinned = (
        compact(given, strategy="excerpt", limit=3000, pins=pins)
        for pins in ({}, {41: "keep"})
    )
    assert given[41] not in plain.messages
    assert given[41] in pinned.messages


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"messages": [{"role": object()}]}, "not JSON"),
        ({"strategy": "middle-in"}, "middle-in"),
        ({"settings": "no.toml"}, "no.toml"),
        ({"settings": {"colour": 1}}, "colour"),
        ({"pins": {999: "keep"}}, "no message 999"),
        ({"pins": {1: "hold"}}, "hold"),
    ],
)
def test_bad_input_is_one_sentence(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        compact(
            **{"messages": openai_messages(), "strategy": "middle-out", **arguments}
        )


@dataclass
class Dumped:
    """A message or a block as the packages of the APIs return it."""

    value: dict[str, Any]

    def model_dump(
        self, *, mode: str, by_alias: bool, exclude_none: bool
    ) -> dict[str, Any]:
        assert (mode, by_alias, exclude_none) == ("json", True, True)
        return self.value


def test_objects_of_the_packages_are_taken_at_any_depth_and_come_back_as_dicts() -> (
    None
):
    block = Dumped({"type": "text", "text": "Done."})
    answer = Dumped({"role": "assistant", "content": [block]})
    given: list[dict[str, Any] | Dumped] = [
        {"role": "user", "content": "Mend it."},
        answer,
    ]
    assert compact(given, strategy="none").messages[1]["content"][0]["text"] == "Done."
    nested: list[dict[str, Any]] = [
        {"role": "user", "content": "Mend it."},
        {"role": "assistant", "content": [block]},
    ]
    assert compact(nested, strategy="none").messages[1]["content"][0]["text"] == "Done."


def test_results_have_the_type_of_what_was_given() -> None:  # as mypy reads it
    history: list[dict[str, Any]] = openai_messages()
    history = compact(history, strategy="middle-out", limit=8000).messages
    texts: list[dict[str, str]] = [{"role": "user", "content": "Hi."}]
    texts = compact(texts, strategy="middle-out").messages
    messages: tuple[Message, ...] = compact(
        load(SAMPLE), strategy="middle-out"
    ).messages
    assert history
    assert texts
    assert messages


def test_an_asynchronous_summariser_is_awaited_in_the_callers_loop() -> None:
    loops: list[object] = []

    async def write(request: SummaryRequest) -> str:
        loops.append(asyncio.get_running_loop())
        return write_summary(request)

    async def main() -> None:
        result = await acompact(
            openai_messages(), strategy="middle-out", limit=8000, summarizer=write
        )
        again = await acompact(
            openai_messages(),
            strategy="middle-out",
            limit=8000,
            summarizer=write_summary,
        )
        due = await acompact_if_due(
            openai_messages(), strategy="middle-out", limit=8000, summarizer=write
        )
        assert due is not None
        assert result.messages == again.messages == due.messages
        assert loops == [asyncio.get_running_loop()] * 2

    asyncio.run(main())


def test_an_asynchronous_summariser_is_cancelled_with_the_call() -> None:
    ended: list[str] = []

    async def main() -> None:
        started = asyncio.Event()

        async def write(request: SummaryRequest) -> str:
            started.set()
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
            return "too late"

        call = acompact(
            openai_messages(), strategy="middle-out", limit=8000, summarizer=write
        )
        task = asyncio.create_task(call)
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())  # waits for the thread, too
    assert ended == ["cancelled"]


async def written_later(request: SummaryRequest) -> str:
    return write_summary(request)


@pytest.mark.parametrize(
    "strategy", ["middle-out", "one-shot", "hybrid", "tiered", "pi"]
)
@pytest.mark.parametrize(
    ("summarizer", "words"),
    [
        ("haiku", "not a function"),
        (lambda _: None, "NoneType"),
        (written_later, "acompact"),
    ],
)
def test_a_wrong_summariser_is_an_error_that_says_so(
    strategy: str, summarizer: Any, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        compact(
            openai_messages() * 4, strategy=strategy, limit=8000, summarizer=summarizer
        )


def test_sizes_hold_the_system_prompt_the_tools_and_what_was_reported() -> None:
    given: list[dict[str, Any]] = [
        {"role": "user", "content": "Mend it."},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Thanks."},
    ]
    plain, tools = (
        size(given, model="gpt-4o"),
        [{"name": "read", "description": "Reads a file. " * 20}],
    )
    with_system = size(given, model="gpt-4o", system="Be brief. " * 50)
    assert with_system > plain + 90
    assert (
        size(given, model="gpt-4o", system="Be brief. " * 50, tools=tools)
        > with_system + 60
    )
    reported = size(given, model="gpt-4o", reported=5000)
    assert 5000 < reported < 5000 + plain
    due = partial(is_due, given, strategy="middle-out", limit=5000, model="gpt-4o")
    assert (due(), due(reported=5000), due(system="word " * 5000)) == (
        False,
        True,
        True,
    )
    with pytest.raises(InputError, match="reported size"):
        size(given, reported=0)
    result = compact(
        openai_messages(), strategy="middle-out", limit=8000, system="Be brief."
    )
    assert [one["role"] for one in result.messages].count(
        "system"
    ) == 1  # what was given, nothing else


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strategy": "middle-out"}, "is not known"),
        ({"strategy": "middle-out", "model": "gpt-4p"}, "is not known"),
        (
            {"strategy": "claude-code", "limit": 8_000},
            "cannot work in a window of 8,000",
        ),
        (
            {"strategy": "opencode-2", "limit": 32_000},
            "cannot work in a window of 32,000",
        ),
    ],
)
def test_a_strategy_that_can_never_be_due_is_an_error(options: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        is_due([{"role": "user", "content": "hi"}], **options)


def test_messages_are_compacted_only_once_they_are_due() -> None:
    given = openai_messages()
    due = partial(compact_if_due, given, strategy="middle-out")
    assert due(limit=200_000) is None
    told: list[int] = []
    results: list[Compacted[Any]] = []
    made = due(limit=8000, before=told.append, after=results.append)
    assert made is not None
    assert results == [made]
    assert told == [size(given)]
    assert len(made.messages) < len(given)
    assert due(limit=8000, before=lambda _: False) is None
    again = asyncio.run(acompact_if_due(given, strategy="middle-out", limit=8000))
    assert again is not None
    assert again.messages == made.messages


def test_numbers_of_the_caller_are_read_as_people_write_them() -> None:
    chat: list[Any] = openai_messages()
    limit: Any = "8k"
    made = compact(chat, strategy="middle-out", limit=limit)
    assert made.messages == compact(chat, strategy="middle-out", limit=8000).messages


def test_one_text_that_must_survive_is_one_text() -> None:
    result = compact(openai_messages(), strategy="middle-out", must="port")
    assert [one.text for one in result.must] == ["port"]


def test_an_unknown_strategy_is_not_answered_with_thirty_names() -> None:
    with pytest.raises(InputError, match="Did you mean middle-out") as raised:
        compact(openai_messages(), strategy="midle-out")
    assert "codex-local" not in str(raised.value)


def test_every_name_of_the_signatures_is_importable() -> None:
    page = (ROOT / "resources" / "help" / "engine.md").read_text("utf-8")
    shown = page.partition("<!-- api-signatures -->")[2].partition("<!--")[0]
    names = re.findall(r"^(?:async def|def|class) (\w+)|^(\w+) = ", shown, re.MULTILINE)
    assert {"".join(name) for name in names} == {*api.__all__} - {"VERSION"}


class RefusedError(Exception):
    """An error as the packages of the APIs raise it."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status_code = status


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (400, "This model's maximum context length is 8192 tokens.", True),
        (400, "Your input exceeds the context window of this model.", True),
        (400, "prompt is too long: 205000 tokens > 200000 maximum", True),
        (
            400,
            "input length and `max_tokens` exceed context limit: 190000 + 20000",
            True,
        ),
        (
            400,
            "The input token count (9) exceeds the maximum number of tokens allowed",
            True,
        ),
        (413, "Request too large", True),
        (400, "The messages are not in order.", False),
        (429, "too many tokens per minute; context size", False),
        (0, "the context window of the old house", False),
    ],
)
def test_an_overflow_is_known_by_status_and_words(
    status: int, text: str, expected: bool
) -> None:
    refused = RefusedError(status, text)
    wrapped = RuntimeError("the model failed")
    wrapped.__cause__ = refused
    assert is_overflow(refused) is expected
    assert is_overflow(wrapped) is expected


def test_a_role_that_no_api_has_is_a_warning_and_stays() -> None:
    given = [
        {"role": "user", "content": "Which port?"},
        {"role": "usr", "content": "And which host?"},
    ]
    made = compact(given, strategy="none", limit=8000)
    assert made.warnings == (
        'messages[1]: the role "usr" is not known; kept as unknown',
    )
    assert made.messages == given
    assert [one.rule for one in lint(given)] == ["openai.role"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This model's maximum context length is 8192 tokens.", True),
        ("prompt is too long: 205000 tokens > 200000 maximum", True),
        ("{'error': {'code': 'context_length_exceeded'}}", True),
        ("the maximum context length of a letter", False),
        ("This prompt is too long for me.", False),
    ],
)
def test_an_overflow_is_known_by_the_words_of_providers_alone(
    text: str, expected: bool
) -> None:
    assert is_overflow(ValueError(text)) is expected


def test_an_overflow_is_known_by_its_code() -> None:
    refused = RuntimeError("The request was refused.")
    refused.code = "context_length_exceeded"  # type: ignore[attr-defined]
    assert is_overflow(refused)


def test_the_library_is_imported_without_its_work() -> None:
    code = (
        "import sys; from core.api import compact, is_due, size, lint\n"
        "print({name.split('.')[1] for name in sys.modules if name.startswith('core.')})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    loaded = set(ast.literal_eval(done.stdout))
    assert loaded.isdisjoint(
        {"presentation", "analysis", "export", "preview", "formats"}
    )


def test_every_name_of_the_library_is_there() -> None:
    assert {name for name in api.__all__ if not hasattr(api, name)} == set()
    with pytest.raises(AttributeError, match="no_such_name"):
        api.no_such_name  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.req("REPAIR-6")
@pytest.mark.parametrize(
    "given", [CUSTOM, anthropic_messages()], ids=["openai", "anthropic"]
)
def test_repair_gives_back_the_shape_and_only_what_was_broken_changes(
    given: Messages,
) -> None:
    in_order = repair(given)
    assert (in_order.messages, in_order.changes, in_order.left) == (given, (), ())
    at = (
        next(
            at
            for at, one in enumerate(given)
            if "tool_calls" in one or "tool_use" in str(one)
        )
        + 1
    )
    broken = [*given[:at], *given[at + 1 :]]  # without the result of the first call
    assert [one.severity for one in lint(broken)] == ["error"]
    mended = repair(broken)
    assert [(one.rule, one.index) for one in mended.changes] == [
        ("unanswered-call", at - 1)
    ]
    assert len([one for one in mended.messages if one not in broken]) == 1
    assert lint([dict(one) for one in mended.messages if isinstance(one, dict)]) == ()
    assert (
        repair([dict(one) for one in mended.messages if isinstance(one, dict)]).changes
        == ()
    )


@pytest.mark.req("REPAIR-6")
def test_repair_of_a_conversation_gives_messages() -> None:
    conversation = replace(load(SAMPLE), recorded=())
    mended = repair(conversation, "gemini")
    left_out = {change.index for change in mended.changes}
    assert {change.rule for change in mended.changes} == {"empty"}
    kept = [
        message
        for at, message in enumerate(conversation.messages)
        if at not in left_out
    ]
    assert list(mended.messages) == kept


def test_repair_of_a_compacted_conversation_gives_its_current_context() -> None:
    conversation = load(SAMPLE)
    mended = repair(conversation, "gemini")
    assert mended.messages == history_of_scope(conversation, CURRENT).messages
    assert mended.changes == ()


def test_a_setting_without_a_value_is_named_as_an_argument() -> None:
    with pytest.raises(InputError, match=r"Give limit=N, or model=NAME") as raised:
        compact(openai_messages(), strategy="tiered")
    assert "--" not in str(raised.value)


def test_a_request_is_fitted_into_a_number_of_tokens() -> None:
    chat = load(SAMPLE)
    target = 25_000
    settings = {"compression.excerpt.target": target}
    fitted = compact(chat, strategy="excerpt", limit=200_000, settings=settings)
    assert fitted.tokens_before > target >= fitted.tokens_after
    assert not fitted.warnings


def test_what_a_result_holds_has_public_names() -> None:
    result = compact(openai_messages(), strategy="middle-out", must=("port",))
    assert isinstance(result.losses, api.Losses)
    assert isinstance(result.must[0], api.MustEvidence)
    assert any(isinstance(fate, api.Fate) for fate in result.fates)
    assert isinstance(facts(openai_messages()), api.Facts)
