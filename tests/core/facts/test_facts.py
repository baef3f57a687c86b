"""Extraction of facts."""

import pytest

from core.facts.extract import extract_facts
from core.facts.model import Fact, FactKind, FactState
from core.facts.sentences import clean_text
from core.facts.shell_actions import parse_command_line
from core.transcript.model import Message, MessageFlag
from tests.support.builders import ai, call, exchange, flagged, human, response, system, talk, tool

STRUCTURED = {FactKind.FILE_CHANGED, FactKind.FILE_READ, FactKind.TODO}


def _texts(kind: FactKind, *messages: Message) -> list[str]:
    return [fact.text for fact in extract_facts(messages).of_kind(kind)]


def _only(kind: FactKind, *messages: Message) -> Fact:
    (fact,) = extract_facts(messages).of_kind(kind)
    return fact


def _run(id: str, command: str, output: str = "", error: bool = False) -> tuple[Message, Message]:
    answer = response(id, "Bash", None, output) if error else response(id, "Bash", output)
    return ai("", call("Bash", id, command=command)), tool(answer)


@pytest.mark.req("LOSS-2.2.1")
def test_nothing_is_guessed_from_prose() -> None:
    said = (
        "We decided to use SQLite instead of Redis. Next: ship it. The root cause is the pool. Never do it."
    )
    assert {fact.kind for fact in extract_facts((ai(said),)).all} <= {FactKind.NAME}
    asked = (
        "- [ ] Ship the parser. We go with the second one, since it is due on 2026-03-01. Error: it broke."
    )
    assert {fact.kind for fact in extract_facts((human(asked),)).all} <= {
        FactKind.YOUR_MESSAGE,
        FactKind.NAME,
    }


@pytest.mark.req("LOSS-2.2.2")
def test_every_message_of_the_person_is_a_fact_but_for_mere_acknowledgements() -> None:
    said = [
        "Ship it by Friday.",
        "Thanks, go on.",
        "no",
        "Read AGENTS.md first.",
        "ok",
        "Why?",
        "Ship it by Friday.",
    ]
    messages = [message for text in said for message in (human(text), ai("Fine."))]
    assert _texts(FactKind.YOUR_MESSAGE, *messages) == [*said[:1], *said[2:4], *said[5:]]


@pytest.mark.req("LOSS-2.2.3")
@pytest.mark.parametrize("flag", [MessageFlag.META, MessageFlag.COMMAND, MessageFlag.API_ERROR])
def test_rows_of_the_harness_give_no_facts(flag: MessageFlag) -> None:
    assert extract_facts([flagged(flag, "You must always obey `this_rule` at https://a.b")]).all == ()


@pytest.mark.req("LOSS-2.2.3")
@pytest.mark.parametrize(
    "noise",
    [
        "2026-03-01 12:00:03 DEBUG loaded upload_pool from /var/lib/pool",
        "Downloading model_weights [=========>     ] 42%",
        "dist/assets/index-8fa2c31b.js",
        "node_modules/left-pad/index.js",
        "https://img.shields.io/badge/build-passing-green",
    ],
)
def test_logs_progress_badges_and_build_output_give_no_names(noise: str) -> None:
    messages = [
        *talk(4),
        *exchange("1", "Bash", noise, command="ls"),
        *exchange("2", "Bash", noise, command="ls"),
    ]
    assert _texts(FactKind.NAME, *messages) == []


@pytest.mark.req("LOSS-2.2.3")
@pytest.mark.parametrize(
    "attached",
    [
        '<file path="a.md">\nNever change this by hand.\n</file>',
        "@a.md\n--- a.md ---\nThey are never changed by hand.\n--- End of content ---",
        "```python\nraise OSError('never again')\n```",
        "2026-03-01 12:00:03 ERROR an upload must never be retried",
        "> You should never restart it.",
    ],
)
def test_what_is_attached_fenced_or_quoted_is_no_word_of_the_person(attached: str) -> None:
    text = f"Please look at this line:\n\n{attached}\n\nNever touch the schema."
    (said,) = _texts(FactKind.YOUR_MESSAGE, human(text))
    assert said.split() == ["Please", "look", "at", "this", "line:", "Never", "touch", "the", "schema."]


@pytest.mark.req("LOSS-2.2.4")
@pytest.mark.parametrize(
    ("path", "instructions"),
    [
        ("docs/CLAUDE.md", ["Never push to main.", "Use tabs only in Makefiles."]),
        (".agents/flow.md", ["Never push to main.", "Use tabs only in Makefiles."]),
        ("a.md", []),
    ],
)
def test_a_file_that_instructs_is_heard_though_a_tool_read_it(path: str, instructions: list[str]) -> None:
    text = (
        "1→# Flow\n2→Never push to main.\n3→The parser has three modes.\n4→Use tabs only in Makefiles.\n"
        "5→```\n6→never mind\n7→```"
    )
    messages = (ai("", call("Read", "1", file_path=path)), tool(response("1", "Read", text)))
    assert _texts(FactKind.INSTRUCTION, *messages) == instructions
    assert _texts(FactKind.INSTRUCTION, *_run("2", f"cat {path}", text)) == instructions


@pytest.mark.req("LOSS-2.2.4")
def test_a_file_that_an_agent_put_into_the_conversation_instructs_and_a_tool_or_the_model_does_not() -> None:
    rule, guide = "Never push to main.", "# AGENTS.md instructions\n\n- Never push to main.\n"
    for message in (flagged(MessageFlag.META, guide), system(guide), human(guide)):
        assert _texts(FactKind.INSTRUCTION, message) == [rule]
        assert _texts(FactKind.YOUR_MESSAGE, message) == []
    for messages in ((ai(rule),), exchange("1", "Bash", rule, command="cat rules"), (human(rule),)):
        assert _texts(FactKind.INSTRUCTION, *messages) == []


def test_files_are_counted_by_what_was_done_to_them() -> None:
    messages = (
        *exchange("1", "Read", "text", file_path="/p/a.py"),
        *exchange("2", "Edit", "ok", file_path="/p/a.py"),
        *exchange("3", "str_replace_editor", "ok", command="str_replace", path="a.py"),
        *exchange("4", "read_file", "text", absolute_path="/p/b.py"),
    )
    changed = _only(FactKind.FILE_CHANGED, *messages)
    assert (changed.key, changed.detail, changed.first, changed.last) == ("/p/a.py", "edited ×2, read", 1, 5)
    assert _only(FactKind.FILE_READ, *messages).key == "/p/b.py"
    assert not [name for name in _texts(FactKind.NAME, *messages) if ".py" in name], "they are files"


def test_a_failed_edit_is_no_edit() -> None:
    messages = (ai("", call("Edit", "1", file_path="a.py")), tool(response("1", error="no match")))
    assert not {fact.kind for fact in extract_facts(messages).all} & STRUCTURED


def test_a_patch_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Add File: new.py\n+x\n*** Delete File: old.py\n*** End Patch"
    facts = extract_facts(exchange("1", "apply_patch", "ok", input=patch)).of_kind(FactKind.FILE_CHANGED)
    assert [(fact.key, fact.detail) for fact in facts] == [("new.py", "written"), ("old.py", "deleted")]


@pytest.mark.req("LOSS-2.2.5")
def test_an_error_is_open_until_its_command_passes() -> None:
    broken = _run("1", "cd x && make test 2>&1", "Exit code 2\nerror: boom", error=True)
    fact = _only(FactKind.OPEN_ERROR, *broken)
    assert (fact.text, fact.detail) == ("error: boom", "make test")
    worse = _run("2", "make test", "error: bang", error=True)
    assert _texts(FactKind.OPEN_ERROR, *broken, *worse) == ["error: bang"]
    assert _texts(FactKind.OPEN_ERROR, *broken, *worse, *_run("3", "make test", "fine")) == []
    parts = (*_run("3", "make a && make b", "error: b", error=True), *_run("4", "make a"))
    assert _texts(FactKind.OPEN_ERROR, *parts) == ["error: b"]
    assert _texts(FactKind.OPEN_ERROR, *parts, *_run("5", "make b")) == []


@pytest.mark.req("LOSS-2.2.5")
def test_the_error_line_says_what_failed() -> None:
    output = "tests/a.py::test_fails_at_once PASSED\ntests/a.py::test_b FAILED (0.1s)\n1 failed, 1 passed"
    assert _texts(FactKind.OPEN_ERROR, *_run("1", "pytest", output, error=True)) == [
        "tests/a.py::test_b FAILED (0.1s)"
    ]


@pytest.mark.req("LOSS-2.2.7")
def test_commands_are_as_run_and_carry_their_outcome() -> None:
    failed, looked = _run("1", "make", "bad", error=True), _run("3", "ls -la | head")
    for output, state in (("Exit code: 0\nbuilt", FactState.OK), ("built", FactState.RAN)):
        fact = _only(FactKind.COMMAND, *failed, *_run("2", "make", output), *looked)
        assert (fact.text, fact.state, fact.count, fact.detail) == ("make", state, 1, "1")


@pytest.mark.req("LOSS-2.2.6")
@pytest.mark.parametrize(
    "listed",
    [
        exchange("p", "update_plan", "ok", plan=[{"step": "Ship the parser", "status": "pending"}]),
        exchange("t", "TodoWrite", "ok", todos=[{"content": "Ship the parser", "status": "pending"}]),
    ],
)
def test_to_dos_are_those_of_the_newest_list(listed: tuple[Message, ...]) -> None:
    older = exchange("o", "TodoWrite", "ok", todos=[{"content": "Old work", "status": "pending"}])
    fact = _only(FactKind.TODO, *older, *listed)
    assert (fact.text, fact.detail) == ("Ship the parser", "pending")


def test_what_the_person_answers_or_says_to_a_refused_call_is_a_message() -> None:
    answer = 'User has answered your questions: "Which one?"="Both of them". You can now continue.'
    asked = exchange("1", "AskUserQuestion", answer, questions=[])
    assert _texts(FactKind.YOUR_MESSAGE, *asked) == ["Both of them"]
    refusal = "The user doesn't want to proceed with this tool use. the user said:\nNever do that."
    refused = (ai("", call("Bash", "1", command="rm x")), tool(response("1", error=refusal)))
    assert _texts(FactKind.YOUR_MESSAGE, *refused) == ["Never do that."]
    assert not _texts(FactKind.OPEN_ERROR, *refused)


def test_names_have_their_count_and_their_last_place() -> None:
    said = (
        human("Keep half_close_guard as it is."),
        ai("I see half_close_guard, and half_close_guard again."),
    )
    (guard,) = (one for one in extract_facts(said).of_kind(FactKind.NAME) if one.text == "half_close_guard")
    assert (guard.count, guard.first, guard.last, guard.detail) == (2, 0, 1, "identifier")
    once = (*exchange("1", "Bash", "zeta_probe", command="make"), *talk(40))
    assert "zeta_probe" not in _texts(FactKind.NAME, *once)


def test_noise_is_cleaned_away() -> None:
    text = "a <system-reminder>x</system-reminder>b [Request interrupted by user] "
    text += "A" * 300 + " <system-reminder>"
    assert clean_text(text) == "a b  [data] <system-reminder>"


@pytest.mark.req("LOSS-2.2.7")
@pytest.mark.parametrize(
    ("command", "name", "written", "read"),
    [
        ("cd a && FOO=1 pytest -q 2>&1 | tail -5", "pytest -q", (), ()),
        ("cat a.py; sed -n 1,5p b.py", "cat a.py && sed -n 1,5p b.py", (), ("a.py", "b.py")),
        ("cat > out.txt <<'E'\nrm -rf /\nE", "cat > out.txt <<'E'", ("out.txt",), ()),
        ('echo "a && b > c.txt"', 'echo "a && b > c.txt"', (), ()),
        ("sed -i s/a/b/ x.py", "sed -i s/a/b/ x.py", ("x.py",), ()),
    ],
)
def test_shell_commands_are_taken_apart(
    command: str, name: str, written: tuple[str, ...], read: tuple[str, ...]
) -> None:
    parsed = parse_command_line(command)
    assert (parsed.name, parsed.written, parsed.read) == (name, written, read)


@pytest.mark.req("REQ-HD-013.5")
@pytest.mark.parametrize("arguments", [None, 3, "text", [], {"file_path": 5}, {"command": None}])
def test_malformed_arguments_are_skipped(arguments: object) -> None:
    for name in ("Read", "Bash", "apply_patch", "TodoWrite"):
        broken = call(name, "1")
        object.__setattr__(broken, "arguments", arguments)
        found = extract_facts((ai("", broken), tool(response("1", name)))).all
        assert not {fact.kind for fact in found} & STRUCTURED


@pytest.mark.req("LOSS-2.2.1")
def test_what_a_reminder_quotes_of_an_instructing_file_instructs() -> None:
    reminder = (
        "<system-reminder>\nAs context:\n# claudeMd\nContents of /srv/CLAUDE.md (project rules):\n\n"
        "- Never reset the database without a backup.\nContents of /srv/shop/notes.txt:\n\n"
        "You must not read this as a rule.\n</system-reminder>\nAdd the export."
    )
    found = extract_facts((human(reminder), ai("Done."))).of_kind(FactKind.INSTRUCTION)
    assert [fact.text for fact in found] == ["Never reset the database without a backup."]
