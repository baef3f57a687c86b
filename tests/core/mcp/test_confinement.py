"""What a client of ``foldline mcp`` may name and send: files, links, bad characters and bad
lines."""

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from core.common.confined_path import confined_to
from core.common.errors import InputError
from core.mcp import tools, transport
from core.mcp.folders import existing_folder, output_folder
from core.mcp.manual_compaction import ManualCompactions
from core.mcp.tools import run_tool
from core.mcp.transport import with_whole_escapes
from tests.core.cli.running_cli import CHAT, SESSION
from tests.support.source_tree import ROOT

HALF = "\\ud83d"
PAIR = "\\ud83d\\ude00"


def answers(*lines: str) -> list[dict[str, Any]]:
    """Send raw lines to a server and return its answers to them."""
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    start = [
        {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "gui", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        found = []
        for line in (*map(json.dumps, start), *lines):
            server.stdin.write(line + "\n")
            server.stdin.flush()
            if '"notifications/' not in line:
                found.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        assert server.wait(60) == 0
    return found[1:]


@pytest.mark.parametrize("number", ["null", "1.5", "true", "[1]"])
def test_a_request_with_an_odd_id_is_refused_without_an_id(number: str) -> None:
    answer = transport.refusal(
        f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}'
    )
    assert answer is not None
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


@pytest.mark.parametrize("number", ["7", '"seven"', "-1"])
def test_a_request_with_a_plain_id_is_taken(number: str) -> None:
    assert (
        transport.refusal(f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}')
        is None
    )


def call_line(number: int, text: str) -> str:
    message = json.dumps({"role": "user", "content": "TEXT"}).replace("TEXT", text)
    arguments = f'{{"name": "inspect", "arguments": {{"messages": [{message}]}}}}'
    return f'{{"jsonrpc": "2.0", "id": {number}, "method": "tools/call", "params": {arguments}}}'


def test_every_line_is_answered() -> None:
    deep = "[" * 5_000 + "]" * 5_000
    lines = (
        call_line(1, f"a {HALF} b"),
        "{",
        '{"id": 7, "method": 3}',
        deep,
        call_line(2, PAIR),
    )
    surrogate, broken, wrong, nested, last = answers(*lines)
    assert (surrogate["id"], last["id"]) == (1, 2)
    assert all(
        '\\"messages\\": 1' in json.dumps(one["result"]["content"])
        for one in (surrogate, last)
    )
    assert (broken["id"], broken["error"]["code"]) == (None, -32700)
    assert (wrong["id"], wrong["error"]["code"]) == (7, -32600)
    assert nested["error"]["code"] in (-32700, -32600)


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        (HALF, "\\ufffd"),
        (PAIR, PAIR),
        ("\\\\ud83d", "\\\\ud83d"),
        ("\\ude00x", "\\ufffdx"),
        ("\\u00e9", "\\u00e9"),
    ],
)
def test_half_a_character_is_replaced_and_a_whole_one_kept(
    line: str, whole: str
) -> None:
    assert with_whole_escapes(f'"{line}"') == f'"{whole}"'


def refusal(
    sessions: ManualCompactions, name: str = "compact", **arguments: Any
) -> str:
    answer = run_tool(sessions, name, arguments)
    assert answer.is_error
    return answer.text


@pytest.mark.skipif(os.name != "posix", reason="folders have handles on Unix only")
def test_no_write_leaves_the_folder_while_a_link_is_flipped(tmp_path: Path) -> None:
    """A folder inside becomes a link to the outside and back, over and over, while 400 files are
    written."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    place, kept, link = inside / "sub", inside / "kept", inside / "link"
    place.mkdir(parents=True)
    outside.mkdir()
    link.symlink_to(outside)
    is_done = threading.Event()

    def flip() -> None:
        while not is_done.is_set():
            place.rename(kept)
            link.rename(place)
            is_done.wait(0.001)  # as long as a write takes
            place.rename(link)
            kept.rename(place)
            is_done.wait(0.001)

    folder, written, refused = output_folder(inside), 0, 0
    flipping = threading.Thread(target=flip)
    flipping.start()
    try:
        for number in range(400):
            try:
                folder.write_new(f"sub/{number}.json", b"{}")
                written += 1
            except InputError:
                refused += 1
    finally:
        is_done.set()
        flipping.join()
    assert list(outside.iterdir()) == []
    assert written == len(list(place.iterdir())) > 0
    assert refused > 0, "the link was never met"


def test_a_folder_that_is_exchanged_stays_the_one_that_was_named(
    tmp_path: Path,
) -> None:
    named, moved, other = (tmp_path / name for name in ("named", "moved", "other"))
    named.mkdir()
    other.mkdir()
    folder = output_folder(named)
    named.rename(moved)
    named.symlink_to(other)
    folder.write_new("x.json", b"{}")
    assert [path.name for path in moved.iterdir()] == ["x.json"]
    assert not list(other.iterdir())


def test_a_disk_without_hard_links_gets_the_whole_file_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", Mock(side_effect=OSError(errno.EPERM, "")))
    folder = output_folder(tmp_path)
    folder.write_new("x.json", b"{}")
    with pytest.raises(InputError, match="exists already"):
        folder.write_new("x.json", b"[]")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [
        ("x.json", b"{}")
    ]


def test_transcripts_are_read_from_one_folder_if_it_is_named(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "own.json").write_bytes(Path(CHAT).read_bytes())
    (inside / "link.json").symlink_to(SESSION)
    sessions = ManualCompactions(read_from=confined_to(existing_folder(inside)))
    for path in ("own.json", str(inside / "own.json")):
        assert not run_tool(sessions, "inspect", {"path": path}).is_error
    for path in (SESSION, "link.json", "../in/../x.json", "/etc/passwd", "~/x.json"):
        for name, more in (("inspect", {}), ("expand", {"handle": "r-1"})):
            assert "Traceback" not in refusal(sessions, name, path=path, **more)
    assert "leads through a link" in refusal(sessions, "lint", path="link.json")
    assert "outside of the folder of --read-from" in refusal(
        sessions, "lint", path=SESSION
    )
    assert "is not the name of a file" in refusal(sessions, "lint", path="a\0b")


@pytest.mark.skipif(os.name != "posix", reason="folders have handles on Unix only")
def test_no_read_leaves_the_folder_while_a_link_is_flipped(tmp_path: Path) -> None:
    """A file inside becomes a link to a secret outside and back, over and over, while it is read."""
    inside = tmp_path / "in"
    inside.mkdir()
    own, link, place = inside / "own.json", inside / "link.json", inside / "chat.json"
    own.write_text('[{"role": "user", "content": "inside"}]')
    secret = tmp_path / "secret.json"
    secret.write_text('[{"role": "user", "content": "SECRET of another folder"}]')
    sessions = ManualCompactions(read_from=confined_to(inside))
    is_done = threading.Event()

    def flip() -> None:
        while not is_done.is_set():
            for target in (own, secret):
                link.unlink(missing_ok=True)
                if target is own:
                    os.link(own, link)
                else:
                    link.symlink_to(secret)
                link.replace(place)

    thread = threading.Thread(target=flip)
    thread.start()
    try:
        answers = [
            run_tool(sessions, "lint", {"path": "chat.json"}) for _ in range(200)
        ]
        found = [
            run_tool(sessions, "inspect", {"path": "chat.json"}) for _ in range(50)
        ]
    finally:
        is_done.set()
        thread.join()
    assert any(not one.is_error for one in (*answers, *found))
    tokens = {
        json.loads(one.text)["tokens"]["total"] for one in found if not one.is_error
    }
    assert len(tokens) <= 1, "the other file has more"


def test_a_reader_of_neighbours_stays_in_the_folder(tmp_path: Path) -> None:
    """The parts of a session of opencode are two folders above it."""
    storage = tmp_path / "storage"
    session = storage / "session" / "p" / "ses_1.json"
    for path, value in (
        (session, {"id": "ses_1", "projectID": "p", "directory": "/x", "title": "t"}),
        (
            storage / "message" / "ses_1" / "msg_1.json",
            {
                "id": "msg_1",
                "sessionID": "ses_1",
                "role": "user",
                "time": {"created": 1},
            },
        ),
        (
            storage / "part" / "msg_1" / "prt_1.json",
            {"id": "prt_1", "messageID": "msg_1", "type": "text", "text": "SECRET"},
        ),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    arguments = {"path": str(session), "details": True}
    whole = run_tool(
        ManualCompactions(read_from=confined_to(storage)), "inspect", arguments
    )
    narrow = run_tool(
        ManualCompactions(read_from=confined_to(session.parent)), "inspect", arguments
    )
    assert json.loads(whole.text)["messages"] == 1
    assert narrow.is_error or json.loads(narrow.text)["messages"] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "a\0b"},
        {"path": "none.json"},
        {"path": "."},
        {"path": SESSION, "profile": "none"},
    ],
)
def test_an_error_quotes_no_folder_of_this_machine(
    arguments: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = refusal(ManualCompactions(), "compact", **arguments)
    assert str(tmp_path) not in text
    assert "Foldline failed" not in text


def test_an_error_keeps_the_path_that_the_client_named() -> None:
    said = (
        "/a/b/c.json cannot be read; /home/eve/.config/foldline/settings.toml: line 3, and 1/2 "
        "of https://x.org/y/z"
    )
    assert tools.without_folders(said, {"path": "/a/b/c.json"}) == (
        "/a/b/c.json cannot be read; settings.toml: line 3, and 1/2 of https://x.org/y/z"
    )


def test_numbers_beyond_64_bits_and_half_characters_in_messages_are_read() -> None:
    messages = [{"role": "user", "content": "hi \ud800", "n": 10**30}]
    answer = run_tool(ManualCompactions(), "inspect", {"messages": messages})
    assert not answer.is_error, answer.text
