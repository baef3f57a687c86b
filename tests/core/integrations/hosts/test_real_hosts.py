"""The adapters inside the real packages, with a fake model; each package in an environment of its
own.

``python -m tests.core.integrations.hosts FOLDER`` makes the environments and runs each test in its
own; elsewhere a test skips unless its host can be imported.
"""

import asyncio
import json
from typing import Any

import pytest

from core.api import compact, lint, size
from tests.core.integrations.hosts.histories import LIMIT, SYSTEM, openai_messages
from tests.core.integrations.hosts.test_openai_items import response_items
from tests.core.integrations.hosts.whole_run import Dict

pytestmark = [
    pytest.mark.logs,
    pytest.mark.filterwarnings("default"),
]  # hosts warn of much that is theirs


def check(sent: list[Any], given: list[Any], dicts: list[Dict]) -> None:
    """The model got a shorter history: the first and last messages as they were, and no pair
    apart."""
    assert 2 < len(sent) < len(given)
    assert (sent[0], sent[-1]) == (given[0], given[-1])
    assert not [finding for finding in lint(dicts) if finding.severity == "error"]
    assert size(dicts, model="gpt-4o") < size(openai_messages(), model="gpt-4o")


@pytest.mark.parametrize("is_deep", [False, True], ids=["langchain", "deepagents"])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_langchain(is_deep: bool, is_async: bool) -> None:
    agents = pytest.importorskip("langchain.agents")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import (
        AIMessage,
        convert_to_messages,
        convert_to_openai_messages,
    )

    from core.integrations.hosts.langchain import CompactionMiddleware

    seen: list[list[Any]] = []

    class Model(GenericFakeChatModel):  # type: ignore[misc]
        def _generate(self, messages: list[Any], *arguments: Any, **more: Any) -> Any:
            seen.append(messages)
            return super()._generate(messages, *arguments, **more)

        def bind_tools(self, tools: Any, **more: Any) -> Any:
            return self

    middleware = CompactionMiddleware("middle-out", limit=LIMIT)
    model, history = (
        Model(messages=iter([AIMessage("ok")])),
        convert_to_messages(openai_messages()[1:]),
    )
    if is_deep:
        agent = pytest.importorskip("deepagents").create_deep_agent(
            model=model, middleware=[middleware]
        )
    else:
        agent = agents.create_agent(model, tools=[], middleware=[middleware])
    given = {"messages": history}
    state = asyncio.run(agent.ainvoke(given)) if is_async else agent.invoke(given)
    sent = [message for message in seen[-1] if message.type != "system"]
    assert state["messages"][:-1] == sent
    assert state["messages"][-1].content == "ok"
    check(
        [one.content for one in sent],
        [one.content for one in history],
        convert_to_openai_messages(sent),
    )


def test_pydantic_ai() -> None:
    host = pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    from core.integrations.hosts import pydantic_ai as adapter

    seen: list[list[Any]] = []

    def model(messages: list[Any], info: Any) -> Any:
        seen.append(list(messages))
        return ModelResponse(parts=[TextPart("ok")])

    dicts = openai_messages()
    names = {f"c{number}": "read" for number in range(40)}
    history = [adapter._from_dict(item, names) for item in dicts[:-1]]
    ModelMessagesTypeAdapter.dump_json(history)  # they are valid messages of the host
    compacting = adapter.compact_history("middle-out", limit=LIMIT)
    agent = host.Agent(FunctionModel(model), capabilities=[compacting])
    result = agent.run_sync(dicts[-1]["content"], message_history=history)
    sent = [item for message in seen[-1] for item in adapter._to_dicts(message)]
    check(
        sent,
        [item for message in history for item in adapter._to_dicts(message)]
        + dicts[-1:],
        sent,
    )
    assert len(result.all_messages()) < len(
        history
    )  # the shorter history is that of the run
    kept = [message for message in seen[-1] if any(message is one for one in history)]
    assert len(kept) > 5


def test_pydantic_ai_parts_that_are_neither_prompts_nor_results() -> None:
    host = pytest.importorskip("pydantic_ai.messages")
    from core.integrations.hosts import pydantic_ai as adapter

    changes = [
        host.ToolAvailabilityDeltaPart(tools_added=["search"], tool_call_id="c0"),
        host.InstructionBaselinePart(
            instructions=[host.InstructionPart(content="Be exact.")]
        ),
        host.ModelSettingsDeltaPart(settings={"temperature": 0}),
        host.RetryFeedbackPart(content="once more", retry=1),
    ]
    request = host.ModelRequest(parts=[host.UserPromptPart("hi"), *changes])
    words = [str(item["content"]) for item in adapter._to_dicts(request)]
    for said, word in zip(
        words, ("hi", "search", "Be exact.", "temperature", "once more"), strict=True
    ):
        assert word in said
    sealed = host.CompactionPart(
        content=None, provider_details={"encrypted_content": "x"}
    )
    (answer,) = adapter._to_dicts(
        host.ModelResponse(parts=[sealed, host.TextPart("so far")])
    )
    assert isinstance(answer["content"], list)
    assert [part["type"] for part in answer["content"]] == ["compaction", "text"]
    names = {f"c{number}": "read" for number in range(40)}
    history = [adapter._from_dict(item, names) for item in openai_messages()]
    history[1:2] = [host.ModelResponse(parts=[sealed]), request]
    shorter = adapter.compact_history("middle-out", limit=LIMIT).compacted(history)
    assert shorter is not None
    assert len(shorter) < len(history)
    assert any(message is history[1] for message in shorter)


def test_pydantic_ai_parts_that_no_api_has_come_back() -> None:
    host = pytest.importorskip("pydantic_ai.messages")
    from core.integrations.hosts import pydantic_ai as adapter

    thought = host.ModelResponse(
        parts=[host.ThinkingPart("hm", signature="s"), host.TextPart("yes")]
    )
    picture = host.UserPromptPart(
        ["see", host.BinaryContent(b"png", media_type="image/png")]
    )
    (answer,), (asked,) = (
        adapter._to_dicts(one) for one in (thought, host.ModelRequest(parts=[picture]))
    )
    assert adapter._from_dict(answer, {}).parts == thought.parts
    assert adapter._from_dict(asked, {}).parts[0].content[1].data == b"png"


def test_agent_framework_contents_that_no_api_has_come_back() -> None:
    host = pytest.importorskip("agent_framework")
    from core.integrations.hosts import agent_framework as adapter

    picture = host.Content.from_uri(
        "data:image/png;base64,aGk=", media_type="image/png"
    )
    (item,) = adapter._to_dicts(
        host.Message("user", [host.Content.from_text("see"), picture])
    )
    assert adapter._from_dict(item).contents[1] == picture


def test_openai_agents_chat_completions() -> None:
    converter = pytest.importorskip("agents.models.chatcmpl_converter").Converter
    result = compact(response_items(), strategy="middle-out", limit=6000).messages
    assert (
        len(converter.items_to_messages(result)) == len(result) < len(response_items())
    )


def test_openai_agents() -> None:
    host = pytest.importorskip("agents")
    from agents.items import ModelResponse
    from agents.models.interface import Model
    from agents.usage import Usage
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    from core.integrations.hosts.openai_agents import compact_input

    seen: list[Any] = []
    text = ResponseOutputText(text="ok", type="output_text", annotations=[])
    output = ResponseOutputMessage(
        id="1", type="message", role="assistant", status="completed", content=[text]
    )

    class FakeModel(Model):  # type: ignore[misc]
        async def get_response(
            self, system_instructions: Any, input: Any, *_: Any, **__: Any
        ) -> Any:
            seen.append((system_instructions, input))
            return ModelResponse(output=[output], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    items = _response_items(openai_messages())
    host.set_tracing_disabled(True)
    config = host.RunConfig(
        call_model_input_filter=compact_input("middle-out", limit=LIMIT)
    )
    agent = host.Agent(name="a", instructions=SYSTEM, model=FakeModel())
    result = asyncio.run(host.Runner.run(agent, items, run_config=config))
    system, sent = seen[-1]
    assert (system, result.final_output) == (SYSTEM, "ok")
    check(sent, items, [dict(item) for item in sent])
    assert len(result.to_input_list()) == len(items) + 1  # what is stored is whole


def _response_items(messages: list[Dict]) -> list[Any]:
    items: list[Any] = []
    for message in messages:
        if message["role"] == "system":
            continue
        calls = message.get("tool_calls") or ()
        if message["role"] == "tool":
            output = {"call_id": message["tool_call_id"], "output": message["content"]}
            items.append({"type": "function_call_output", **output})
        elif calls:
            items += [
                {"type": "function_call", "call_id": call["id"], **call["function"]}
                for call in calls
            ]
        else:
            items.append({"role": message["role"], "content": message["content"]})
    return items


def test_agent_framework() -> None:
    host = pytest.importorskip("agent_framework")
    from core.integrations.hosts import agent_framework as adapter

    seen: list[list[Any]] = []

    class Client(host.BaseChatClient):  # type: ignore[misc,name-defined]
        def _inner_get_response(self, *, messages: Any, **_: Any) -> Any:
            seen.append(list(messages))

            async def response() -> Any:
                return host.ChatResponse(messages=[host.Message("assistant", ["ok"])])

            return response()

    history = [adapter._from_dict(item) for item in openai_messages()]
    strategy = adapter.CompactionStrategy("middle-out", limit=LIMIT)
    result = asyncio.run(
        host.Agent(client=Client(), compaction_strategy=strategy).run(history)
    )
    assert result.text == "ok"
    sent = [item for message in seen[-1] for item in adapter._to_dicts(message)]
    check(
        sent, [item for message in history for item in adapter._to_dicts(message)], sent
    )


def test_haystack() -> None:
    pytest.importorskip("haystack")
    from haystack import component
    from haystack.components.agents import Agent
    from haystack.dataclasses import ChatMessage
    from haystack.hooks.compaction import CompactionHook

    from core.integrations.hosts.haystack import FoldlineCompactor

    seen: list[list[Any]] = []

    @component
    class Generator:
        @component.output_types(replies=list[ChatMessage])  # type: ignore[untyped-decorator]
        def run(
            self, messages: list[ChatMessage], tools: Any = None, **_: Any
        ) -> dict[str, Any]:
            seen.append(list(messages))
            return {"replies": [ChatMessage.from_assistant("ok")]}

    compactor = FoldlineCompactor("middle-out", limit=LIMIT)
    compactor = FoldlineCompactor.from_dict(json.loads(json.dumps(compactor.to_dict())))
    history = [ChatMessage.from_openai_dict_format(item) for item in openai_messages()]
    hook = CompactionHook(compactor, context_window=LIMIT // 2)
    Agent(chat_generator=Generator(), tools=[], hooks={"before_llm": [hook]}).run(
        messages=history
    )
    check(seen[-1], history, [message.to_openai_dict_format() for message in seen[-1]])


def test_hermes(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    pytest.importorskip("agent.context_engine")
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    folder = tmp_path / "plugins" / "foldline"
    folder.mkdir(parents=True)
    (folder / "plugin.yaml").write_text(
        "name: foldline\nversion: 0.1\ndescription: compaction\n"
    )
    (folder / "__init__.py").write_text(
        "from core.integrations.hosts.hermes import register\n"
    )
    model = "model:\n  default: gpt-4o\n  provider: custom\n  base_url: http://127.0.0.1:9/v1\n"
    engine = "context:\n  engine: foldline\nplugins:\n  enabled: [foldline]\n"
    (tmp_path / "config.yaml").write_text(engine + model)
    import hermes_cli.plugins as plugins
    from run_agent import AIAgent

    plugins.discover_plugins()
    agent = AIAgent(
        base_url="http://127.0.0.1:9/v1",
        api_key="x",
        model="gpt-4o",
        quiet_mode=True,
        skip_memory=True,
    )
    own = agent.context_compressor
    assert type(own).__name__ == "FoldlineEngine"
    own.update_model("gpt-4o", LIMIT)
    history = openai_messages()
    assert own.should_compress(LIMIT)
    assert not own.should_compress(LIMIT // 2)
    sent = own.compress(history, focus_topic="src/a3.py")
    check(sent, history, sent)
    assert own.compression_count == 1
