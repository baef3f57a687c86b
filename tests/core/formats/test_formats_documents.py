"""Bytes, lines, containers: what can be opened, where records are, and what is refused."""

import gzip
import json
from pathlib import Path

import pytest

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common import format
from core.formats.common.format import Format
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.open_document import document_lines, open_document, read_source
from core.formats.registry import FORMATS, load_conversation, load_with_reason
from core.transcript.model import Message
from tests.core.formats import codex_lines
from tests.core.formats.small_files import SMALL, load_conversations, saved
from tests.support.forked_session import ai, result, text, use, user

TALK = [{"role": "user", "content": "Grüße 🎈"}, {"role": "assistant", "content": "ok"}]
_BLOCKS = [
    {"type": "text", "text": "Hi"},
    {"type": "tool_result", "tool_use_id": "t", "content": "ok"},
]


def _file(folder: Path, data: bytes, name: str = "t.json") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("indent", [None, 2])
def test_ranges_are_true(tmp_path: Path, encoding: str, indent: int | None) -> None:
    text = json.dumps(TALK, ensure_ascii=False, indent=indent)
    conversation = load_conversation(_file(tmp_path, text.encode(encoding)))
    raw = [
        read_source(conversation.document, message.sources[0])
        for message in conversation.messages
    ]
    assert [json.loads(data) for data in raw] == TALK
    assert [message.sources[0].line for message in conversation.messages] == (
        [2, 6] if indent else [1, 1]
    )


def test_objects_printed_one_after_the_other_are_records(tmp_path: Path) -> None:
    text = "\n".join(json.dumps(one, ensure_ascii=False, indent=2) for one in TALK)
    conversation = load_conversation(_file(tmp_path, text.encode()))
    raw = [
        read_source(conversation.document, message.sources[0])
        for message in conversation.messages
    ]
    assert [json.loads(data) for data in raw] == TALK
    assert [message.sources[0].line for message in conversation.messages] == [1, 5]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xef\xbb\xbf \n", "empty"),
        (gzip.compress(b"[]", mtime=0)[:-9], "damaged"),
        (b"a\x00b", "binary"),
        (b'{"a":1\x00}', "binary"),
        (b"a\n\x00", "binary"),
        (b"just words\nand more", "line 1"),
        (b'[{"role": "user",\n "content": }]', "line 2, column 13"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": 1}', "not a transcript in a format that Foldline knows"),
    ],
)
def test_refused_in_one_sentence(tmp_path: Path, data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        load_conversation(_file(tmp_path, data))


def test_a_log_whose_end_became_zeros_is_read_up_to_there(tmp_path: Path) -> None:
    row = b'{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"hi"}}\n'
    conversation = load_conversation(
        _file(tmp_path, row + b"\0" * 5000 + b"\n" + row.replace(b"u1", b"u2"))
    )
    assert [message.id for message in conversation.messages] == ["u1", "u2"]
    report = conversation.report
    assert [(note.line, note.text) for note in report.warnings] == [
        (2, "zero bytes, as a crash leaves them; the line was skipped")
    ]
    assert (report.skipped, report.skipped_from) == (
        (("not JSON", 1),),
        {"not JSON": 2},
    )


def test_lines_keep_their_byte_ranges(tmp_path: Path) -> None:
    document = open_document(_file(tmp_path, b'\xef\xbb\xbf {"a":1}\r\n\n\t2 \n3'))
    found = [
        (line.number, line.start, line.end, line.data, line.has_line_end)
        for line in document_lines(document)
    ]
    assert found == [
        (1, 4, 11, b'{"a":1}', True),
        (3, 15, 16, b"2", True),
        (4, 18, 19, b"3", False),
    ]


def test_stop_ends_the_reading(tmp_path: Path) -> None:
    lines = [
        {"type": "user", "uuid": f"u{n}", "message": {"content": "x" * 600_000}}
        for n in range(4)
    ]
    path = _file(
        tmp_path, b"\n".join(json.dumps(line).encode() for line in lines), "t.jsonl"
    )
    answers = iter([False, False, True])
    conversation = load_conversation(path, stop=lambda: next(answers))
    assert len(conversation.messages) == 2
    assert "stopped here" in conversation.report.warnings[-1].text


def test_a_format_can_be_forced(tmp_path: Path) -> None:
    path = _file(tmp_path, json.dumps(TALK).encode())
    assert load_with_reason(path)[1].name == "openai_chat"
    conversation, _, why = load_with_reason(path, format="anthropic_messages")
    assert (conversation.format, why) == ("anthropic_messages", "chosen by hand")
    with pytest.raises(InputError, match='no format "nothing"'):
        load_conversation(path, format="nothing")


def test_a_forced_format_that_does_not_fit_is_said_so(tmp_path: Path) -> None:
    request = {
        "model": "claude",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": _BLOCKS}],
    }
    path = _file(tmp_path, json.dumps(request).encode())
    assert load_conversation(path).report.warnings == ()
    found, _, why = load_with_reason(path, format="mini_swe_agent")
    assert (why, len(found.messages)) == ("chosen by hand", 1)
    assert "does not look like mini-swe-agent" in found.report.warnings[0].text
    assert (
        "by content it is Anthropic messages (anthropic_messages)"
        in found.report.warnings[0].text
    )


@pytest.mark.parametrize("name", ["pi_agent", "sharegpt", "claude_code"])
def test_a_forced_reader_that_reads_nothing_is_refused(
    tmp_path: Path, name: str
) -> None:
    path = saved(
        tmp_path, (codex_lines.meta(), codex_lines.item(codex_lines.user("Hi")))
    )
    with pytest.raises(InputError, match="can be read as") as refused:
        load_conversation(path, format=name)
    assert (
        refused.value.hint
        == "Leave the format out: by its content it is Codex (codex_rollout)."
    )


@pytest.mark.parametrize(
    "declared", FORMATS, ids=[declared.name for declared in FORMATS]
)
def test_formats_are_described(declared: Format) -> None:
    assert declared.label
    assert declared.about.endswith(".")


SYSTEM = {"role": "system", "content": "Be brief."}
ASKED = {"role": "user", "content": [{"type": "text", "text": "Look at\nthe file."}]}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "ok"}
ANSWERED = {"role": "assistant", "content": "Ok."}
OPENAI = [SYSTEM, {"role": "developer", "content": "d"}, ASKED, ANSWERED, SYSTEM]
ANTHROPIC = [
    ASKED,
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}],
    },
    {"role": "user", "content": [RESULT, {"type": "text", "text": "and?"}]},
    {"role": "user", "content": [RESULT]},
]

HELD = {
    "llxprt": "history",
    "openai_responses": "input",
    "langchain": "messages",
    "ai_sdk": "messages",
    "gemini": "contents",
    "openhands": "history",
}
"""Of formats whose file may be a bare list: the field that holds it where there are several."""
ALONE: tuple[str, ...] = (
    "openai_chat",
    "anthropic_messages",
    "atif",
    "swe_agent",
    "mini_swe_agent",
)
ALONE += ("cline_session", "opencode")


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize("talk", [OPENAI, ANTHROPIC])
def test_listed_messages_are_those_that_open(
    tmp_path: Path, talk: list[Json], lines: bool
) -> None:
    both = ({"messages": talk}, {"id": "b", "messages": talk[:3]})
    found = load_conversations(saved(tmp_path, both if lines else list(both)))
    listed = found[0].listed
    assert [one.messages for one in listed] == [len(one.messages) for one in found]
    assert [(one.number, one.title) for one in listed] == [
        (1, "Look at the file."),
        (2, "b"),
    ]


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize("name", [*HELD, *ALONE])
def test_every_format_lists_its_conversations(
    tmp_path: Path, name: str, lines: bool
) -> None:
    one = {HELD[name]: list(SMALL[name]), "model": "m"} if name in HELD else SMALL[name]
    found = load_conversations(saved(tmp_path, (one, one) if lines else [one, one]))
    assert [each.format for each in found] == [name, name]
    for number, (listed, opened) in enumerate(
        zip(found[0].listed, found, strict=True), 1
    ):
        assert (listed.number, listed.messages) in (
            (number, None),
            (number, len(opened.messages)),
        )
        assert listed.title


def test_a_single_conversation_is_not_listed(tmp_path: Path) -> None:
    assert load_conversation(saved(tmp_path, {"messages": OPENAI})).listed == ()
    assert load_conversation(saved(tmp_path, OPENAI)).listed == ()


def test_events_are_counted_only_when_opened(tmp_path: Path) -> None:
    runs = tuple(
        {"instance_id": number, "history": list(SMALL["openhands"])}
        for number in (1, 2)
    )
    listed = load_conversation(saved(tmp_path, runs)).listed
    assert [(one.title, one.messages) for one in listed] == [
        ("instance 1", None),
        ("instance 2", None),
    ]


def test_each_message_is_handed_on_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(format, "_INTERVAL", 0.0)
    asked, more = (
        ai("a", "u", text("look"), use("t1"), id="m"),
        ai("c", "b", text("and on"), id="m"),
    )
    lines = [
        user("u", None),
        asked,
        user("b", "a", [result("t1")]),
        more,
        user("d", "c"),
        user("e", "d"),
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    handed: list[Message] = []
    conversation = load_conversation(path, on_messages=handed.extend)
    assert [one.sources[0] for one in handed] == [
        one.sources[0] for one in conversation.messages
    ]
    same = [
        one is other for one, other in zip(handed, conversation.messages, strict=True)
    ]
    assert same == [True, False, True, True, True]  # the second got a line more


NUMBERS = (
    1 << 63,
    -(1 << 63) - 1,
    1 << 64,
    10**30,
    (1 << 63) - 1,
    0.1,
    1e300,
    -2.5,
    float("nan"),
)


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_are_read_exactly(number: float) -> None:
    line = {"text": "words", "inner": [{"id": number}, "1" * 30]}
    parsed = parse_bytes(json.dumps(line).encode())
    assert repr(parsed.value) == repr(line)
    assert not parsed.error


def test_an_opencode_id_no_folder_can_have_is_refused(tmp_path: Path) -> None:
    storage = tmp_path / "storage" / "session" / "p"
    storage.mkdir(parents=True)
    session = {
        "id": "s" * 4080,
        "projectID": "p",
        "directory": "/pear",
        "version": "1.0",
    }
    path = storage / "ses_1.json"
    path.write_text(json.dumps(session))
    with pytest.raises(InputError, match=r"4,080 characters\) cannot be read"):
        load_conversation(path)
