"""``foldline mcp``: a real client on the server, and the tools without one."""

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from core.common.errors import InputError
from core.common.paths import BundledSample, bundled_samples
from core.export.export import export_history
from core.mcp import server
from core.mcp.folders import output_folder
from core.mcp.manual_compaction import ManualCompactions
from core.mcp.tools import TOOLS, run_tool
from core.settings.profile import Profile
from core.settings.schema import PROFILE
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import SavedSettings
from core.strategies import hybrid, middle_out, tiered
from core.strategies.hybrid_agent import DEFINITIONS, SEGMENT
from core.strategies.registry import COMPACTION_STRATEGIES
from core.summarize.offline_summariser import OfflineSummariser
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.core.formats.exporting import unchanged_export
from tests.support.builders import conversation, talk
from tests.support.loopback import run_loopback
from tests.support.sampling import sampled
from tests.support.source_tree import ROOT

OWN = ("compact", "inspect", "lint", "repair", "expand", "open_compression")
HYBRID = tuple(one["name"] for one in DEFINITIONS)
TEN_TURNS = (
    "Ten turns, each of which says one and the same thing at length: "
    + "words and words and " * 4
)
LONG = "word " * 300


class Server:
    """A client's view of a server: its tools, and the answers to calls."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def names(self) -> list[str]:
        return [tool.name for tool in (await self._client.list_tools()).tools]

    async def hints(self) -> dict[str, tuple[bool, bool]]:
        """By tool: whether it is read-only, and whether its answer has a schema."""
        listed = (await self._client.list_tools()).tools
        return {
            tool.name: (tool.annotations.read_only_hint, bool(tool.output_schema))
            for tool in listed
        }

    async def call(self, name: str, **arguments: Any) -> tuple[str, bool]:
        result = await self._client.call_tool(name, arguments)
        (content,) = result.content
        if result.structured_content is not None:
            assert result.structured_content == json.loads(content.text)
        return content.text, result.is_error

    async def json(self, name: str, **arguments: Any) -> Any:
        text, is_error = await self.call(name, **arguments)
        assert not is_error, text
        return json.loads(text)


def with_client(script: Callable[[Server], Awaitable[None]], *words: str) -> None:
    """Run a script against a server in a process of its own, over its standard input."""
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    import anyio
    from mcp import Client, StdioServerParameters

    places = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("XDG_") or name == "HOME"
    }
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "gui", "mcp", *words],
        env=places,
        cwd=str(ROOT),
    )

    async def run() -> None:
        with anyio.fail_after(120):
            async with Client(server) as client:
                await script(Server(client))

    anyio.run(run)


def tool(name: str, sessions: ManualCompactions | None = None, **arguments: Any) -> Any:
    answer = run_tool(sessions or ManualCompactions(), name, arguments)
    assert not answer.is_error, answer.text
    return json.loads(answer.text)


def refused(
    name: str, sessions: ManualCompactions | None = None, **arguments: Any
) -> str:
    answer = run_tool(sessions or ManualCompactions(), name, arguments)
    assert answer.is_error
    assert "\n" not in answer.text
    return answer.text


@pytest.mark.req("ION-02")
def test_a_client_inspects_compacts_and_lints_a_file(tmp_path: Path) -> None:
    source = Path(SESSION).read_bytes()

    async def script(server: Server) -> None:
        found = await server.json("inspect", path=SESSION)
        assert (found["schema"], found["messages"]) == ("inspect/2", 150)
        assert (await server.json("lint", path=SESSION, provider="anthropic"))["valid"]
        out = tmp_path / "short.jsonl"
        limit = {"compression.context-limit": 60_000}
        made = await server.json(
            "compact", path=SESSION, strategy=tiered.NAME, settings=limit, out=str(out)
        )
        assert made["after"]["tokens"] < made["before"]["tokens"]
        assert made["written"] == str(out)
        again = await server.json("inspect", path=str(out))
        assert (again["format"], again["messages"]) == (
            found["format"],
            made["after"]["messages"],
        )
        assert (await server.call("compact", path=str(tmp_path / "none.json")))[1]

    with_client(script, "--write-to", str(tmp_path))
    assert Path(SESSION).read_bytes() == source


@pytest.mark.req("ION-38", "ION-41", "LH-73", "LH-74", "LH-75", "LH-76", "LH-86")
def test_a_client_lists_the_tools_and_compresses_its_own_messages_by_hand() -> None:
    async def script(server: Server) -> None:
        assert (
            await server.names()
            == [*OWN, *HYBRID, "close_compression"]
            == [one.name for one in TOOLS]
        )
        hints = (
            await server.hints()
        )  # (read-only, with a schema): the server has no folder to write to
        assert all(hint == (True, True) for hint in hints.values())
        opened = await server.json(
            "open_compression",
            messages=chat(20),
            settings={"compression.context-limit": 8_000},
        )
        handle = opened["handle"]
        assert not opened["reached"]
        assert await server.json("get_compression_metadata", handle=handle)
        segment: dict[str, Any] = {
            "handle": handle,
            "start_index": 0,
            "summary": TEN_TURNS,
        }
        cut = await server.json(SEGMENT, end_index=9, **segment)
        assert cut["messages_compressed"] == 10
        text, is_error = await server.call(SEGMENT, end_index=99, **segment)
        assert (is_error, "out of range" in text) == (True, True)
        assert (await server.json("verify_compression_target", handle=handle))[
            "target_achieved"
        ]
        closed = await server.json("close_compression", handle=handle)
        assert closed["reached"]
        assert len(closed["messages"]) == 11
        assert closed["messages"][-1] == chat(20)[-1]
        assert (await server.call("verify_compression_target", handle=handle))[1]

    with_client(script)


def chat(count: int) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [
        {"role": roles[number % 2], "content": f"{number}: {LONG}"}
        for number in range(count)
    ]


@pytest.mark.parametrize("name", ["inspect", "compact", "lint"])
def test_the_keys_are_those_of_the_command_line(cli: Cli, name: str) -> None:
    strategy: tuple[str, ...] = () if name == "lint" else ("-s", middle_out.NAME)
    chosen: dict[str, Any] = {} if name == "lint" else {"strategy": middle_out.NAME}
    chosen |= {} if name == "lint" else {"details": True}
    assert tool(name, path=SESSION, **chosen) == cli.json(name, SESSION, *strategy)


@pytest.mark.parametrize("strategy", COMPACTION_STRATEGIES)
def test_an_answer_without_details_is_small_and_says_what_it_leaves_out(
    strategy: str,
) -> None:
    # The longest sample has the longest answer; every third strategy is asked of it.
    is_long = [*COMPACTION_STRATEGIES].index(strategy) % sampled(1, 3) == 0
    sample = bundled_samples()[0 if is_long else 1].path
    answer = run_tool(
        ManualCompactions(), "compact", {"path": str(sample), "strategy": strategy}
    )
    values = json.loads(answer.text)
    assert len(answer.text.encode()) <= 2000
    assert {"fates", "result"} < set(values["left_out"])
    assert values["before"]["tokens"] >= values["after"]["tokens"] > 0
    assert "summary_check" in values


@pytest.mark.parametrize("sample", bundled_samples(), ids=lambda one: one.path.stem)
def test_an_inspection_without_details_has_numbers_for_lists(
    sample: BundledSample,
) -> None:
    answer = run_tool(ManualCompactions(), "inspect", {"path": str(sample.path)})
    brief, whole = (
        json.loads(answer.text),
        tool("inspect", path=str(sample.path), details=True),
    )
    assert len(answer.text.encode()) <= 2000
    left_out = [
        key for key, value in whole.items() if isinstance(value, list) and value
    ]
    assert brief["left_out"] == [
        key for key in left_out if key not in ("scopes", "warnings", "repaired")
    ]
    assert all(brief[key] == len(whole[key]) for key in brief["left_out"])


SHAPES = ("openai_chat", "anthropic_messages", "openai_responses", "gemini", "llxprt")


@pytest.mark.parametrize("name", SHAPES)
def test_messages_come_back_shorter_in_their_own_shape(name: str) -> None:
    passed = json.loads(
        export_history(unchanged_export(conversation(*talk(12, LONG))), name).data
    )
    limit = {"compression.context-limit": 3_000}
    made = tool(
        "compact", messages=passed, strategy="top-down-truncation", settings=limit
    )
    assert made["format"] == name
    assert type(made["messages"]) is type(passed)
    again = tool("inspect", messages=made["messages"])
    assert again["format"] == name
    assert again["messages"] - made["after"]["messages"] in (
        0,
        1,
    )  # some APIs begin with the user
    assert again["messages"] < tool("inspect", messages=passed)["messages"] == 12


@pytest.mark.req("ION-42")
def test_the_focus_reaches_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    write = OfflineSummariser.summarise

    def watched(self: OfflineSummariser, request: Any) -> Any:
        seen.append(request.focus)
        return write(self, request)

    monkeypatch.setattr(OfflineSummariser, "summarise", watched)
    tool("compact", path=SESSION, strategy=middle_out.NAME, focus=" the upload ")
    assert set(seen) == {"the upload"}


def test_nothing_is_written_over_anything(tmp_path: Path) -> None:
    copy = tmp_path / "copy.json"
    copy.write_bytes(Path(CHAT).read_bytes())
    link, other = tmp_path / "link.json", tmp_path / "other.json"
    link.symlink_to(copy)
    other.write_text("mine")
    sessions = ManualCompactions(folder=output_folder(tmp_path))
    for out in (copy, link, other):
        refused(
            "compact",
            sessions,
            path=str(copy),
            strategy="top-down-truncation",
            out=str(out),
        )
    assert (copy.read_bytes(), other.read_text()) == (Path(CHAT).read_bytes(), "mine")


def test_what_cannot_be_written_asks_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.mcp.tools.make_preview", None)
    sessions, source = (
        ManualCompactions(folder=output_folder(tmp_path)),
        str(tmp_path / "source.json"),
    )
    Path(source).write_bytes(Path(CHAT).read_bytes())
    (tmp_path / "out").symlink_to(tmp_path.parent)
    for given, words in (
        (
            {"out": str(tmp_path / "source.json")},
            "exists already; the server replaces no file",
        ),
        ({"out": CHAT}, "is outside of"),
        ({"out": "../x.json"}, "is outside of"),
        ({"out": "out/x.json"}, "leads through a link or a file"),
        ({"out": "source.json/x"}, "leads through a link or a file"),
        ({"out": "a\0b"}, "is not the name of a file"),
        ({"out": ""}, "is empty"),
        ({"out": str(tmp_path / "nowhere" / "x.json")}, "does not exist"),
        ({"out": str(tmp_path / "x"), "to": "pdf"}, "write a format 'pdf'"),
        ({"to": "openai"}, '"to" needs a place'),
    ):
        assert words in refused("compact", sessions, path=source, **given)
    assert "writes nothing" in refused(
        "compact", path=source, out=str(tmp_path / "x.json")
    )


def test_a_handle_is_of_one_server_and_ends_with_close(tmp_path: Path) -> None:
    sessions = ManualCompactions(folder=output_folder(tmp_path))
    first = tool("open_compression", sessions, path=SESSION)["handle"]
    second = tool("open_compression", sessions, path=SESSION)["handle"]
    assert first != second
    out = tmp_path / "by-hand.jsonl"
    assert tool("close_compression", sessions, handle=first, out=str(out))[
        "written"
    ] == str(out)
    assert "no open compaction" in refused("close_compression", sessions, handle=first)
    assert "no open compaction" in refused("verify_compression_target", handle=second)
    assert tool("verify_compression_target", sessions, handle=second)["total_messages"]
    assert tool("inspect", path=str(out))["format"] == "claude_code"


@pytest.mark.req("LH-78")
def test_protected_messages_are_refused_by_hand() -> None:
    sessions = ManualCompactions()
    opened = tool(
        "open_compression",
        sessions,
        messages=chat(20),
        settings={"compression.context-limit": 8_000},
    )
    segment = {
        "handle": opened["handle"],
        "start_index": 10,
        "end_index": 19,
        "summary": "x",
    }
    assert "protected" in refused(SEGMENT, sessions, **segment)


@pytest.mark.parametrize("saved", [False, True], ids=["named", "saved"])
def test_a_paid_call_tells_its_price_until_agreed_to(
    saved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAID_KEY", "k-0123456789abcdef")
    with run_loopback() as server:
        base = server.base_url("anthropic")
        ProfileStore().save(
            Profile(
                name="paid",
                provider="anthropic",
                model="claude-haiku-4-5",
                base_url=base,
                key_env="PAID_KEY",
            )
        )
        given: dict[str, Any] = {"path": SESSION, "strategy": middle_out.NAME}
        if saved:
            SavedSettings().save({PROFILE: "paid"})
        else:
            given["profile"] = "paid"
        answer = refused("compact", **given)
        assert "This would call a model: to 127.0.0.1:" in answer
        assert '"pay": true' in answer
        assert server.log == []
        assert not run_tool(
            ManualCompactions(), "compact", {**given, "pay": True}
        ).is_error
        assert len(server.log) == 1


REFUSED: dict[str, dict[str, Any]] = {
    "neither path nor messages": {},
    "both": {"path": SESSION, "messages": []},
    "standard input": {"path": "-"},
    "no transcript": {"messages": {"a": 1}},
    "an unknown argument": {"path": SESSION, "file": "x"},
    "a wrong type": {"path": 3},
    "a truth for a number": {"path": SESSION, "conversation": True},
    "a limit that is missing": {"messages": chat(12), "strategy": hybrid.NAME},
    "a format without a file": {"path": SESSION, "to": "openai_chat"},
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_done_is_one_sentence(why: str) -> None:
    refused("compact", **REFUSED[why])


def test_unknown_tools_and_faults_of_our_own_are_sentences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "no tool" in refused("nonsense")
    monkeypatch.setattr(
        "core.mcp.tools.open_source", Mock(side_effect=RuntimeError("broken"))
    )
    assert refused("lint", path=SESSION) == "Foldline failed: RuntimeError: broken."


def test_without_the_extra_the_command_says_how_to_get_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert cli.run("mcp") == 2
    assert (
        cli.err
        == "foldline mcp needs the package mcp. Install it: pip install 'foldline-slim[mcp]'.\n"
    )
    with pytest.raises(InputError):
        server.run(())


def test_the_package_of_the_protocol_loads_for_the_server_only() -> None:
    code = "import sys, core.mcp.server, core.cli.main; sys.exit('mcp' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode
        == 0
    )


@pytest.mark.req("REPAIR-6")
def test_repair_returns_changes_and_messages_in_order() -> None:
    use = {"type": "tool_use", "id": "t1", "name": "run", "input": {}}
    messages = [
        {"role": "user", "content": "Run it."},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": "And?"},
    ]
    repaired = tool("repair", messages=messages)
    assert [one["rule"] for one in repaired["changes"]] == ["unanswered-call"]
    assert repaired["left"]["valid"]
    assert tool("lint", messages=repaired["result"])["valid"]
