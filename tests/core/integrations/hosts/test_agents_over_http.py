"""Agents of the libraries in runs of forty turns with a tool, against a model server.

Each library is tested in an environment of its own (``python -m tests.core.integrations.hosts
FOLDER``); elsewhere its tests skip.
"""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.api import compact, compact_if_due, is_overflow
from tests.core.integrations.hosts.histories import RUN_LIMIT, SYSTEM
from tests.core.integrations.hosts.model_server import (
    CHAT,
    MESSAGES,
    RESPONSES,
    TOOL,
    TURNS,
    Turn,
    WorkingModel,
    read,
    record,
    recorded_rows,
    run_agent,
)

pytestmark = [
    pytest.mark.logs,
    pytest.mark.filterwarnings("default"),
]  # the libraries warn of much that is theirs
Made = Callable[[WorkingModel, dict[str, Any]], Turn]
EVERY_API = pytest.mark.parametrize("api", [CHAT, RESPONSES, MESSAGES])
WIDE = 4 * RUN_LIMIT
"""A window that is given although the model has a smaller one."""


def check(
    library: str, made: Made, limit: int = RUN_LIMIT, *, names_machine: bool = False
) -> None:
    """No request is above the window, and none is refused; its row is that of the help, but for the
    sizes and summaries of a host that ``names_machine`` in its prompt."""
    run = run_agent(library, made, limit, limit=limit)
    assert not run.failed + run.server.errors
    assert not run.server.overflows
    assert run.turns == TURNS
    assert len(run.server.sizes) == 2 * TURNS
    assert max(run.server.sizes) <= limit
    if os.environ.get("FOLDLINE_RECORD"):
        record(run.row)
    assert run.compacted
    compared = slice(3 if names_machine else None)
    assert run.row[compared] in [row[compared] for row in recorded_rows()]


def check_overflow(library: str, made: Made) -> None:
    """A request that the provider refuses as too long is sent once more, and the run goes on."""
    run = run_agent(library, made, limit=WIDE)
    assert not run.failed + run.server.errors
    assert run.turns == TURNS
    assert 1 <= run.server.overflows <= 3
    assert run.compacted


# No library: the caller's own loop


def own_loop(server: WorkingModel, options: dict[str, Any]) -> Turn:
    openai = pytest.importorskip("openai")
    client = openai.OpenAI(
        base_url=server.base_url("openai"), api_key="x", max_retries=0
    )
    parameters = {"type": "object", "properties": {"path": {"type": "string"}}}
    function = {"name": TOOL, "description": "Reads a file.", "parameters": parameters}
    tools = [{"type": "function", "function": function}]
    after = options.pop("after")
    history: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]

    def ask() -> Any:
        made = compact_if_due(history, after=after, tools=tools, **options)
        history[:] = made.messages if made else history
        return client.chat.completions.create(model="m", messages=history, tools=tools)

    def answer() -> Any:
        try:
            return ask().choices[0].message
        except openai.BadRequestError as error:
            if not is_overflow(error):
                raise
        options["limit"] = RUN_LIMIT
        made = compact(history, tools=tools, **options)
        after(made)
        history[:] = made.messages
        return ask().choices[0].message

    def turn(words: str) -> None:
        history.append({"role": "user", "content": words})
        while True:
            message = answer()
            history.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return
            for call in message.tool_calls:
                result = read(call.function.arguments)
                history.append(
                    {"role": "tool", "tool_call_id": call.id, "content": result}
                )

    return turn


def test_own_loop_in_forty_turns() -> None:
    check("none: `compact_if_due`", own_loop)


def test_own_loop_after_an_overflow() -> None:
    check_overflow("none", own_loop)


# LangChain


def langchain_of(api: str, *, is_deep: bool = False) -> Made:
    if is_deep:
        make_agent = pytest.importorskip("deepagents").create_deep_agent
    else:
        make_agent = pytest.importorskip("langchain.agents").create_agent
    from langchain_core.tools import tool

    from core.integrations.hosts.langchain import CompactionMiddleware

    def model(server: WorkingModel) -> Any:
        common = {"model": "gpt-4o", "api_key": "x", "max_retries": 0}
        if api == MESSAGES:
            module = pytest.importorskip("langchain_anthropic")
            return module.ChatAnthropic(
                **common | {"model": "claude-sonnet-4-5"}, base_url=server.base
            )
        module = pytest.importorskip("langchain_openai")
        base = server.base_url("openai")
        return module.ChatOpenAI(
            **common, base_url=base, use_responses_api=api == RESPONSES
        )

    def made(server: WorkingModel, options: dict[str, Any]) -> Turn:
        middleware = CompactionMiddleware(**options)
        agent = make_agent(
            model(server),
            tools=[tool(read)],
            middleware=[middleware],
            system_prompt=SYSTEM,
        )
        history: list[Any] = []

        def turn(words: str) -> None:
            given = {"messages": [*history, {"role": "user", "content": words}]}
            history[:] = agent.invoke(given)["messages"]

        return turn

    return made


@EVERY_API
def test_langchain_in_forty_turns(api: str) -> None:
    check("LangChain", langchain_of(api))


@EVERY_API
def test_langchain_after_an_overflow(api: str) -> None:
    check_overflow("LangChain", langchain_of(api))


DEEP_LIMIT = 12_000
"""The prompt and tools of deepagents take a fifth of it."""


@EVERY_API
def test_langchain_deepagents_in_forty_turns(api: str) -> None:
    check("deepagents", langchain_of(api, is_deep=True), DEEP_LIMIT)


# pydantic-ai


def pydantic_ai_of(api: str) -> Made:
    host = pytest.importorskip("pydantic_ai")
    from core.integrations.hosts.pydantic_ai import compact_history

    def model(server: WorkingModel) -> Any:
        if api == MESSAGES:
            anthropic = pytest.importorskip("anthropic")
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            client = anthropic.AsyncAnthropic(
                base_url=server.base, api_key="x", max_retries=0
            )
            return AnthropicModel(
                "claude-sonnet-4-5", provider=AnthropicProvider(anthropic_client=client)
            )
        from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
        from pydantic_ai.providers.openai import OpenAIProvider

        provider = OpenAIProvider(base_url=server.base_url("openai"), api_key="x")
        kind = OpenAIResponsesModel if api == RESPONSES else OpenAIChatModel
        return kind("gpt-4o", provider=provider)

    def made(server: WorkingModel, options: dict[str, Any]) -> Turn:
        agent = host.Agent(
            model(server),
            instructions=SYSTEM,
            tools=[read],
            capabilities=[compact_history(**options)],
        )
        history: list[Any] = []

        def turn(words: str) -> None:
            history[:] = agent.run_sync(
                words, message_history=list(history)
            ).all_messages()

        return turn

    return made


@EVERY_API
def test_pydantic_ai_in_forty_turns(api: str) -> None:
    check("pydantic-ai", pydantic_ai_of(api))


@EVERY_API
def test_pydantic_ai_after_an_overflow(api: str) -> None:
    check_overflow("pydantic-ai", pydantic_ai_of(api))


# openai-agents


def openai_agents_of(api: str) -> Made:
    host = pytest.importorskip("agents")
    from core.integrations.hosts.openai_agents import compact_input

    def model(server: WorkingModel) -> Any:
        if api == MESSAGES:
            from agents.extensions.models.litellm_model import LitellmModel

            return LitellmModel(
                "anthropic/claude-sonnet-4-5", base_url=server.base, api_key="x"
            )
        client = pytest.importorskip("openai").AsyncOpenAI(
            base_url=server.base_url("openai"), api_key="x", max_retries=0
        )
        kind = (
            host.OpenAIResponsesModel
            if api == RESPONSES
            else host.OpenAIChatCompletionsModel
        )
        return kind("gpt-4o", client)

    def made(server: WorkingModel, options: dict[str, Any]) -> Turn:
        host.set_tracing_disabled(True)
        compacting = compact_input(**options)
        agent = host.Agent(
            name="a",
            instructions=SYSTEM,
            tools=[host.function_tool(read)],
            model=compacting.retrying(model(server)),
        )
        config = host.RunConfig(call_model_input_filter=compacting)
        history: list[Any] = []
        loop = asyncio.Runner()

        def turn(words: str) -> None:
            given = [*history, {"role": "user", "content": words}]
            run = host.Runner.run(agent, given, run_config=config)
            history[:] = loop.run(run).to_input_list()

        return turn

    return made


@EVERY_API
def test_openai_agents_in_forty_turns(api: str) -> None:
    check("openai-agents", openai_agents_of(api))


@EVERY_API
def test_openai_agents_after_an_overflow(api: str) -> None:
    check_overflow("openai-agents", openai_agents_of(api))


# Microsoft Agent Framework


def agent_framework_of(api: str) -> Made:
    host = pytest.importorskip("agent_framework")
    from core.integrations.hosts.agent_framework import CompactionStrategy

    def client(server: WorkingModel) -> Any:
        if api == MESSAGES:
            pytest.importorskip("agent_framework_anthropic")
            from agent_framework.anthropic import AnthropicClient

            anthropic = pytest.importorskip("anthropic")
            own = anthropic.AsyncAnthropic(
                base_url=server.base, api_key="x", max_retries=0
            )
            return AnthropicClient(model="claude-sonnet-4-5", anthropic_client=own)
        module = pytest.importorskip("agent_framework_openai")
        own = pytest.importorskip("openai").AsyncOpenAI(
            base_url=server.base_url("openai"), api_key="x", max_retries=0
        )
        kind = (
            module.OpenAIChatClient
            if api == RESPONSES
            else module.OpenAIChatCompletionClient
        )
        return kind(model="gpt-4o", async_client=own)

    def made(server: WorkingModel, options: dict[str, Any]) -> Turn:
        compacting = CompactionStrategy(**options)
        agent = host.Agent(
            client=client(server),
            instructions=SYSTEM,
            tools=[read],
            compaction_strategy=compacting,
            middleware=[compacting],
            default_options={"store": False}
            if api == RESPONSES
            else {},  # history is the agent's
        )
        history: list[Any] = []
        loop = asyncio.Runner()

        def turn(words: str) -> None:
            history.append(host.Message("user", [words]))
            history.extend(loop.run(agent.run(list(history))).messages)

        return turn

    return made


@EVERY_API
def test_agent_framework_in_forty_turns(api: str) -> None:
    check("Microsoft Agent Framework", agent_framework_of(api))


@EVERY_API
def test_agent_framework_after_an_overflow(api: str) -> None:
    check_overflow("Microsoft Agent Framework", agent_framework_of(api))


# Haystack


def haystack_of(api: str) -> Made:
    pytest.importorskip("haystack")
    from haystack.components.agents import Agent
    from haystack.components.generators import chat
    from haystack.dataclasses import ChatMessage
    from haystack.hooks.compaction import CompactionHook
    from haystack.tools import create_tool_from_function
    from haystack.utils import Secret

    from core.integrations.hosts.haystack import FoldlineCompactor

    def generator(server: WorkingModel) -> Any:
        key = Secret.from_token("x")
        if api == MESSAGES:
            module = pytest.importorskip(
                "haystack_integrations.components.generators.anthropic"
            )
            made = module.AnthropicChatGenerator(
                key, "claude-sonnet-4-5", max_retries=0
            )
            made.warm_up()
            made.client.base_url = server.base
            return made
        kind = (
            chat.OpenAIResponsesChatGenerator
            if api == RESPONSES
            else chat.OpenAIChatGenerator
        )
        base = server.base_url("openai")
        return kind(api_key=key, model="gpt-4o", api_base_url=base, max_retries=0)

    def made(server: WorkingModel, options: dict[str, Any]) -> Turn:
        compactor = FoldlineCompactor(**options)
        hook = CompactionHook(compactor, context_window=options["limit"])
        agent = Agent(
            chat_generator=compactor.retrying(generator(server)),
            tools=[create_tool_from_function(read)],
            system_prompt=SYSTEM,
            hooks={"before_llm": [hook]},
        )
        history: list[Any] = []

        def turn(words: str) -> None:
            given = [*history, ChatMessage.from_user(words)]
            said = agent.run(messages=given)["messages"]
            history[:] = [message for message in said if not message.is_from("system")]

        return turn

    return made


@EVERY_API
def test_haystack_in_forty_turns(api: str) -> None:
    check("Haystack", haystack_of(api))


@EVERY_API
def test_haystack_after_an_overflow(api: str) -> None:
    check_overflow("Haystack", haystack_of(api))


# Hermes, which says the window to its engine and sends a refused request once more by itself

HERMES_LIMIT = 16_000
"""Its own system prompt and tools take half of it."""
_MODES = {
    CHAT: "chat_completions",
    RESPONSES: "codex_responses",
    MESSAGES: "anthropic_messages",
}


def hermes_of(api: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    pytest.importorskip("agent.context_engine")
    monkeypatch.setenv("HERMES_HOME", str(folder))
    monkeypatch.chdir(folder)  # its prompt tells the state of a repository
    for number in range(8 * TURNS):
        (folder / f"a{number}.py").write_text(read(f"a{number}.py"))
    from run_agent import AIAgent

    from core.integrations.hosts.hermes import FoldlineEngine

    def made(server: WorkingModel, options: dict[str, Any]) -> Turn:
        server.call = lambda number: (
            "read_file",
            {"path": str(folder / f"a{number}.py")},
        )
        agent = AIAgent(
            base_url=server.base_url("anthropic" if api == MESSAGES else "openai"),
            api_key="x",
            model="claude-sonnet-4-5" if api == MESSAGES else "gpt-4o",
            api_mode=_MODES[api],
            provider="anthropic" if api == MESSAGES else "custom",
            enabled_toolsets=["file"],
            quiet_mode=True,
            skip_memory=True,
            skip_context_files=True,
        )
        agent.context_compressor = FoldlineEngine(**options)
        history: list[Any] = []

        def turn(words: str) -> None:
            done = agent.run_conversation(words, conversation_history=list(history))
            if done.get("error"):
                raise RuntimeError(done["error"])
            history[:] = done["messages"]

        return turn

    return made


@pytest.mark.parametrize("api", [CHAT, RESPONSES, MESSAGES])
def test_hermes_in_forty_turns(
    api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = hermes_of(api, tmp_path, monkeypatch)
    check("Hermes", made, HERMES_LIMIT, names_machine=True)
