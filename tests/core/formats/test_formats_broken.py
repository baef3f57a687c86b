"""Paths that are no file, files that change while they are read, malformed files, joined
rollouts."""

import codecs
import json
import os
import re
import socket
from pathlib import Path

import pytest

from core.common.errors import InputError
from core.export.export import export_history
from core.formats.claude_code import CLAUDE_CODE
from core.formats.common.document import open_transcript
from core.formats.common.format import ReadRequest
from core.formats.common.open_document import read_document, read_source
from core.formats.registry import load_conversation
from core.transcript.model import Text
from tests.core.formats.exporting import unchanged_export
from tests.core.formats.small_files import SMALL, written
from tests.core.formats.test_recorded_readings import FOLDER, write_store


def line(number: int, text: str = "hello") -> bytes:
    record = {
        "type": "user",
        "uuid": f"u{number}",
        "parentUuid": None,
        "message": {"content": text},
    }
    return json.dumps(record).encode() + b"\n"


def refused(path: Path) -> tuple[str, str]:
    with pytest.raises(InputError) as caught:
        load_conversation(path)
    return caught.value.message, caught.value.hint


def test_a_link_that_leads_nowhere_or_round(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    assert "symbolic link" in refused(tmp_path / "loop")[0]
    assert "link to a file that is not there" in refused(tmp_path / "dangling")[0]
    assert "There is no file" in refused(tmp_path / "nothing")[0]
    assert "folder" in refused(tmp_path)[0]


def test_a_folder_names_what_to_open(tmp_path: Path) -> None:
    assert refused(tmp_path) == (
        f"{tmp_path.name} is a folder, not a transcript.",
        "Choose a file in it.",
    )
    for number, name in enumerate(("old.jsonl", "new.jsonl")):
        (tmp_path / name).write_bytes(line(1))
        os.utime(tmp_path / name, (number, number))
    assert (
        refused(tmp_path)[1]
        == "Choose a session in it; the newest .jsonl file of 2 is new.jsonl."
    )


def test_a_folder_of_events_says_how_to_open_it(tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "event-00000-a.json").write_text("{}")
    for folder in (tmp_path, tmp_path / "events"):
        assert "OpenHands conversation" in refused(folder)[1]
        assert f"zip -r {folder.name}.zip {folder.name}" in refused(folder)[1]


def test_a_pipe_a_socket_and_a_device_do_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "is a pipe, not a file" in refused(tmp_path / "pipe")[0]
    assert "standard input" in refused(tmp_path / "pipe")[1]
    assert "is a device" in refused(Path("/dev/null"))[0]
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        assert "is a socket" in refused(tmp_path / "socket")[0]


@pytest.mark.skipif(
    not Path("/proc/version").exists(), reason="this system has no /proc"
)
def test_a_file_of_the_kernel_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its size is 0 whatever it gives, and some, as /proc/kmsg, wait for more without an end."""
    for name in ("/proc/version", "/proc/self/status"):
        assert "is a special file, not a file" in refused(Path(name))[0]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(
        "core.formats.common.open_document.stat.S_ISREG", lambda mode: True
    )
    writing = os.open(pipe, os.O_RDWR)  # so that a reader waits
    assert "is a special file, not a file" in refused(pipe)[0]
    os.close(writing)


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "secret.jsonl"
    path.write_bytes(line(1))
    path.chmod(0)
    if os.geteuid() != 0:
        assert "You are not allowed to read" in refused(path)[0]
        return
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:  # root may read everything, so somebody else asks
        os.setgid(65534)
        os.setuid(65534)
        try:
            load_conversation(path)
            words = "it was read"
        except InputError as error:
            words = error.message
        except BaseException as error:
            words = repr(error)
        os.write(tell, words.encode())
        os._exit(0)
    os.close(tell)
    os.waitpid(child, 0)
    with os.fdopen(told) as answer:
        assert "You are not allowed to read" in answer.read()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("null", "null"),
        ("42", "number"),
        ('"words"', "text"),
        ("true", "true or false"),
    ],
)
def test_json_that_is_no_transcript(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(text)
    assert f"is JSON, but not a transcript: it holds one {words}" in refused(path)[0]


def test_messages_of_a_file_that_grew_can_still_be_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(line(1) + line(2))
    conversation = load_conversation(path)
    with path.open("ab") as file:
        file.write(line(3))
    assert b'"u2"' in read_source(
        conversation.document, conversation.messages[1].sources[0]
    )
    assert read_document(conversation.document) == line(1) + line(2)


@pytest.mark.parametrize("later", [b"", line(1), line(2, "other") + line(1) + line(3)])
def test_a_file_that_was_replaced_is_not_taken_for_the_old_one(
    tmp_path: Path, later: bytes
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(line(1) + line(2))
    conversation = load_conversation(path)
    path.write_bytes(later)
    with pytest.raises(InputError, match="was changed or removed after"):
        read_source(conversation.document, conversation.messages[0].sources[0])


def test_a_file_that_grows_is_read_as_far_as_it_went(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(line(1) + line(2)[:20])
    opened = open_transcript(path)
    with path.open("ab") as file:
        file.write(line(2)[20:] + line(3))
    conversation = CLAUDE_CODE.read(opened, ReadRequest())
    assert len(conversation.messages) == 1
    assert [(one.line, one.text) for one in conversation.report.warnings] == [
        (2, "incomplete JSON (file still being written?)")
    ]


def test_a_file_that_goes_while_it_is_opened_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(line(1) + line(2))
    opened = open_transcript(path)
    path.unlink()
    with pytest.raises(InputError, match="There is no file"):
        CLAUDE_CODE.read(opened, ReadRequest())


def test_a_file_that_shrinks_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(line(1) + line(2) + line(3))
    opened = open_transcript(path)
    os.truncate(path, len(line(1)) + 9)
    conversation = CLAUDE_CODE.read(opened, ReadRequest())
    assert len(conversation.messages) == 1
    assert "became shorter" in conversation.report.warnings[0].text


def test_duplicate_keys(corpus: Path) -> None:
    conversation = load_conversation(corpus / "broken" / "10_duplicate_keys.json")
    assert [message.blocks for message in conversation.messages] == [
        (Text("only this survives last-wins"),)
    ]
    told = [(note.line, note.text) for note in conversation.report.warnings]
    assert (1, 'the field "messages" is repeated; the last value was used') in told


@pytest.mark.parametrize("name", ["openai_chat", "pi_agent", "llxprt", "openhands"])
def test_an_empty_id_is_told(name: str, tmp_path: Path) -> None:
    path, field = (
        tmp_path / "small",
        rb'("(?:tool_call_id|toolCallId|callId)": ?)"[^"]+"',
    )
    path.write_bytes(re.sub(field, rb'\1""', written(SMALL[name])))
    told = {note.text for note in load_conversation(path).report.repaired}
    assert told == {"a call or result has no id; they are paired in order"}


@pytest.mark.parametrize("kind", [{}, [], 7, None])
@pytest.mark.parametrize(
    "record",
    [
        {
            "role": "assistant",
            "content": [{"type": "KIND"}],
            "tool_calls": [{"function": {}}],
        },
        {"speaker": "human", "blocks": [{"type": "KIND"}]},
        {"type": "KIND", "role": "user", "content": "x"},
    ],
)
def test_a_type_that_is_no_text_is_never_fatal(
    tmp_path: Path, record: object, kind: object
) -> None:
    path = tmp_path / "odd.json"
    path.write_text(f"[{json.dumps(record)}]".replace('"KIND"', json.dumps(kind)))
    assert len(load_conversation(path).messages) == 1


def test_two_byte_order_marks_cost_no_message(tmp_path: Path) -> None:
    for name, text in (
        (
            "lines",
            '{"role": "user", "content": "a"}\n{"role": "user", "content": "b"}\n',
        ),
        (
            "array",
            '[{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]',
        ),
    ):
        path = tmp_path / name
        path.write_bytes(2 * codecs.BOM_UTF8 + text.encode())
        assert len(load_conversation(path).messages) == 2


def test_a_rollout_with_the_history_of_another_is_exported_alone(
    tmp_path: Path,
) -> None:
    recorded = json.loads(
        (FOLDER / "stores" / "codex_rollout.json").read_text("utf-8")
    )["cases"][0]
    write_store(recorded["files"], tmp_path)
    source = load_conversation(tmp_path / recorded["read"][0]["name"])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "out.jsonl").write_bytes(
        export_history(unchanged_export(source), "codex_rollout").data
    )
    again = load_conversation(elsewhere / "out.jsonl")
    assert (again.session_id, again.report.warnings) == (source.session_id, ())
    assert [one.blocks for one in again.messages] == [
        one.blocks for one in source.messages
    ]


def test_a_history_outside_the_folder_or_too_large_is_not_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = json.loads(
        (FOLDER / "stores" / "codex_rollout.json").read_text("utf-8")
    )["cases"][0]
    write_store(recorded["files"], tmp_path)
    parent, child = sorted(tmp_path.iterdir())
    (tmp_path / "outside").mkdir()
    outside = parent.rename(tmp_path / "outside" / parent.name)
    parent.symlink_to(outside)
    assert (
        "has no files named rollout-"
        in load_conversation(child).report.warnings[0].text
    )
    outside.rename(parent)
    monkeypatch.setattr("core.formats.codex.MAX_JOINED_SIZE", 100)
    assert "more than 0 MB" in load_conversation(child).report.warnings[0].text
