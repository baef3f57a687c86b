"""Extraction of facts."""

import pytest

from core.facts.extract import extract_facts
from core.facts.model import Fact, FactCategory, FactState
from core.facts.sentence_cues import sentence_cues
from core.facts.sentences import clean_text
from core.facts.shell_actions import parse_command_line
from core.transcript.model import Message, MessageFlag, ToolCall
from tests.builders import ai, call, exchange, flagged, human, response, system, tool

NAMED = {FactCategory.FILE_MODIFIED, FactCategory.FILE_READ, FactCategory.TODO}


def _texts(category: FactCategory, *messages: Message) -> list[str]:
    return [
        fact.text
        for fact in extract_facts(messages).of_category(category)
        if fact.state is not FactState.REVOKED
    ]


def _only(category: FactCategory, *messages: Message) -> Fact:
    (fact,) = extract_facts(messages).of_category(category)
    return fact


def _run(id: str, command: str, output: str = "", error: bool = False) -> tuple[Message, Message]:
    answer = response(id, "Bash", None, output) if error else response(id, "Bash", output)
    return ai("", call("Bash", id, command=command)), tool(answer)


def test_constraints_are_word_for_word_and_keep_their_not() -> None:
    text = (
        "Please look at it. Don't touch the `api` folder!\n- Always run the tests.\n```\nnever mind code\n```"
    )
    assert _texts(FactCategory.CONSTRAINT, human(text)) == [
        "Don't touch the `api` folder!",
        "Always run the tests.",
    ]


@pytest.mark.parametrize(
    ("path", "rules"),
    [("docs/CLAUDE.md", ["Never push to main."]), (".agents/flow.md", ["Never push to main."]), ("a.md", [])],
)
def test_the_demands_of_a_file_that_instructs_are_constraints_though_a_tool_read_it(
    path: str, rules: list[str]
) -> None:
    text = "1→# Flow\n2→Never push to main.\n3→The parser has three modes."
    messages = (ai("", call("Read", "1", file_path=path)), tool(response("1", "Read", text)))
    assert _texts(FactCategory.CONSTRAINT, *messages) == rules
    assert _texts(FactCategory.CONSTRAINT, *_run("2", f"cat {path}", text)) == rules


_PLAN = "We decided to use SQLite instead of Redis.\n\n## Next steps\n\n- Add the retry flag"
_PATCH = "*** Begin Patch\n*** Add File: PLAN.md\n+" + _PLAN.replace("\n", "\n+") + "\n*** End Patch"


@pytest.mark.parametrize(
    ("written", "is_plan"),
    [
        (call("ExitPlanMode", plan=_PLAN), True),
        (call("Write", file_path="docs/plans/retry.md", content=_PLAN), True),
        (call("apply_patch", input=_PATCH), True),
        (call("Write", file_path="README.md", content=_PLAN), False),
    ],
    ids=["plan mode", "document", "patch", "other document"],
)
def test_a_plan_that_the_model_writes_has_decisions_and_open_work(written: ToolCall, is_plan: bool) -> None:
    decided = ["We decided to use SQLite instead of Redis."] if is_plan else []
    assert _texts(FactCategory.DECISION, ai("", written)) == decided
    assert _texts(FactCategory.TODO, ai("", written)) == (["Add the retry flag"] if is_plan else [])


def test_a_rule_of_the_person_stays_theirs_when_a_file_repeats_it() -> None:
    messages = (human("Never push to main."), *_run("1", "cat AGENTS.md", "Never push to main."))
    assert _only(FactCategory.CONSTRAINT, *messages).state is FactState.STRONG


@pytest.mark.req("LOSS-2.2.1")
def test_questions_and_the_words_of_the_model_are_no_constraints() -> None:
    assert _texts(FactCategory.CONSTRAINT, human("Should we only keep one?"), ai("I must never do it.")) == []


@pytest.mark.parametrize(
    "taken_back", ["Forget the rule about tabs.", "You can use tabs now.", "Always use tabs."]
)
def test_a_rule_that_was_taken_back_no_longer_holds(taken_back: str) -> None:
    messages = (human("Never use tabs."), ai("ok"), human(taken_back))
    assert "Never use tabs." not in _texts(FactCategory.CONSTRAINT, *messages)


def test_the_later_value_of_a_rule_wins() -> None:
    messages = (human("Keep the limit at 100 lines."), human("Keep the limit at 200 lines."))
    assert _texts(FactCategory.CONSTRAINT, *messages) == ["Keep the limit at 200 lines."]


@pytest.mark.req("LOSS-2.2.5")
def test_the_later_value_of_a_number_wins() -> None:
    assert _texts(FactCategory.NUMBER, human("port 8080"), ai("so it is port: 9090")) == ["port = 9090"]


def test_files_are_counted_by_what_was_done_to_them() -> None:
    messages = (
        *exchange("1", "Read", "text", file_path="/p/a.py"),
        *exchange("2", "Edit", "ok", file_path="/p/a.py"),
        *exchange("3", "str_replace_editor", "ok", command="str_replace", path="a.py"),
        *exchange("4", "read_file", "text", absolute_path="/p/b.py"),
    )
    changed = _only(FactCategory.FILE_MODIFIED, *messages)
    assert (changed.key, changed.detail, changed.first, changed.last) == ("/p/a.py", "edited ×2, read", 1, 5)
    assert _only(FactCategory.FILE_READ, *messages).key == "/p/b.py"


def test_a_failed_edit_is_an_error_and_no_edit() -> None:
    messages = (ai("", call("Edit", "1", file_path="a.py")), tool(response("1", error="no match")))
    facts = extract_facts(messages)
    assert not facts.of_category(FactCategory.FILE_MODIFIED)
    assert facts.of_category(FactCategory.ERROR)[0].state is FactState.OPEN


def test_a_patch_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Add File: new.py\n+x\n*** Delete File: old.py\n*** End Patch"
    facts = extract_facts(exchange("1", "apply_patch", "ok", input=patch)).of_category(
        FactCategory.FILE_MODIFIED
    )
    assert [(fact.key, fact.detail) for fact in facts] == [("new.py", "written"), ("old.py", "deleted")]


def test_what_decides_on_a_sentence_are_its_words_its_form_and_the_size_of_its_text() -> None:
    item = sentence_cues("Adds `a` to 3 tests", is_item=True, count=9)
    assert item >= {"adds", "adds <code>", "^ adds", "<number>", "<short>", "<item>", "<text 4>"}
    assert "<line>" in sentence_cues("Adds `a` to 3 tests", is_item=False, count=1)


def test_further_errors_of_one_run_are_facts_of_their_own() -> None:
    lines = [f"src/a.ts({number},1): error TS2554: Expected {number} arguments." for number in range(10, 18)]
    errors = _texts(FactCategory.ERROR, *_run("1", "npm run build", "\n".join(lines), error=True))
    assert errors == [" · ".join(lines[:2]), *lines[2:6]]


def test_an_error_that_a_harness_hands_over_as_the_user_is_found() -> None:
    text = "[run for 'make'] Result:\n\n<error>\nTool \"run\" is not allowed in ask mode.\n</error>"
    assert _texts(FactCategory.ERROR, human(text)) == ['Tool "run" is not allowed in ask mode.']


def test_an_error_is_resolved_once_its_command_passes() -> None:
    broken = _run("1", "cd x && make test 2>&1", "Exit code 2\nerror: boom", error=True)
    fact = _only(FactCategory.ERROR, *broken)
    assert (fact.state, fact.text, fact.detail) == (FactState.OPEN, "error: boom", "make test")
    assert _only(FactCategory.ERROR, *broken, *_run("2", "make test", "fine")).state is FactState.RESOLVED


@pytest.mark.req("LOSS-2.2.7")
def test_commands_carry_their_outcome() -> None:
    failed, looked = _run("1", "make", "bad", error=True), _run("3", "ls -la | head")
    for output, state in (("Exit code: 0\nbuilt", FactState.OK), ("built", FactState.RAN)):
        fact = _only(FactCategory.COMMAND, *failed, *_run("2", "make", output), *looked)
        assert (fact.text, fact.state, fact.count, fact.detail) == ("make", state, 1, "1")


@pytest.mark.req("LOSS-2.2.4")
def test_the_answer_to_a_question_is_a_decision() -> None:
    answer = 'User has answered your questions: "Which one?"="Both". You can now continue.'
    fact = _only(FactCategory.DECISION, *exchange("1", "AskUserQuestion", answer, questions=[]))
    assert (fact.text, fact.state) == ("Which one? → Both", FactState.ANSWERED)


def test_a_refused_call_gives_the_words_of_the_user() -> None:
    refusal = "The user doesn't want to proceed with this tool use. the user said:\nNever do that."
    facts = extract_facts((ai("", call("Bash", "1", command="rm x")), tool(response("1", error=refusal))))
    assert [fact.text for fact in facts.of_category(FactCategory.USER_MESSAGE)] == ["Never do that."]
    assert not facts.of_category(FactCategory.ERROR)


@pytest.mark.parametrize(
    "flag", [MessageFlag.META, MessageFlag.COMMAND, MessageFlag.API_ERROR, MessageFlag.RECORDED_SUMMARY]
)
def test_rows_of_the_harness_give_no_facts(flag: MessageFlag) -> None:
    assert extract_facts([flagged(flag, "You must always obey `this_rule` at https://a.b")]).all == ()


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
        assert not {fact.category for fact in found} & NAMED


@pytest.mark.req("LOSS-2.2.4")
@pytest.mark.parametrize(
    ("sentence", "is_found"),
    [
        ("The root cause is that the pool is never closed.", True),
        ("I chose SQLite instead of a flat file.", True),
        ("We should not change the public interface.", True),
        ("Now let me check the configuration file.", False),
        ("Now let me look at the three modes of the parser.", False),
        ("Should I choose SQLite instead of a flat file?", False),
    ],
)
def test_the_model_states_decisions_and_findings(sentence: str, is_found: bool) -> None:
    text = f"{sentence} Here is more about it."
    assert (sentence in _texts(FactCategory.DECISION, ai(text))) is is_found


@pytest.mark.req("LOSS-2.2.1")
@pytest.mark.parametrize(
    "rule",
    [
        "Never push to main.",
        "Always run the linter before a commit.",
        "Merge only after my review.",
        "The gen/ folder is off limits.",
        "The team prefers YAML to JSON for settings.",
        "The user wants short commit messages.",
        "I prefer small commits.",
        "We would rather have one file.",
    ],
)
def test_what_a_person_demands_forbids_or_prefers_is_a_constraint(rule: str) -> None:
    assert _texts(FactCategory.CONSTRAINT, human(rule)) == [rule]


@pytest.mark.req("LOSS-2.2.1")
def test_a_file_that_instructs_sets_rules_and_a_tool_or_the_model_does_not() -> None:
    rule = "Never push to main."
    for message in (flagged(MessageFlag.META, f"# AGENTS.md instructions\n\n- {rule}\n"), system(rule)):
        assert _texts(FactCategory.CONSTRAINT, message) == [rule]
    for messages in ((ai(rule),), exchange("1", "Bash", rule, command="cat rules")):
        assert _texts(FactCategory.CONSTRAINT, *messages) == []


@pytest.mark.req("LOSS-2.2.3")
@pytest.mark.parametrize(
    "line",
    [
        "2026-03-01 12:00:03 ERROR an upload must never be retried",
        "ERROR: the connection must not be reused",
        "FAILED tests/test_parts.py::test_never - assert parts must not be None",
        'Traceback (most recent call last):\n  File "a.py", line 3\nValueError: parts must never be empty',
        "AssertionError: the value must be positive",
        "> You should never restart it.",
    ],
)
def test_logs_test_output_traces_and_quotes_are_no_constraints(line: str) -> None:
    text = f"Please look at this:\n\n{line}\n\nNever touch the schema."
    assert _texts(FactCategory.CONSTRAINT, human(text)) == ["Never touch the schema."]


PLAN = exchange("p", "update_plan", "ok", plan=[{"step": "Ship the parser", "status": "pending"}])
LIST = exchange("t", "TodoWrite", "ok", todos=[{"content": "Ship the parser", "status": "pending"}])


@pytest.mark.req("LOSS-2.2.6")
@pytest.mark.parametrize(
    ("messages", "category", "text"),
    [
        ((human("See https://example.org/a/b."),), FactCategory.URL, "https://example.org/a/b"),
        (LIST, FactCategory.TODO, "Ship the parser"),
        (PLAN, FactCategory.TODO, "Ship the parser"),
        ((human("- [ ] Ship the parser\n- [x] Write it"),), FactCategory.TODO, "Ship the parser"),
        ((ai("Next: ship the parser."),), FactCategory.TODO, "Next: ship the parser."),
        (_run("1", "make", "Exit code 2\nerror: boom", error=True), FactCategory.ERROR, "error: boom"),
        ((human("It is due on 2026-03-01."),), FactCategory.NUMBER, "date of 2026-03-01 = 2026-03-01"),
        ((human("Owner: Mara Quint"),), FactCategory.IDENTIFIER, "Mara"),
        ((human("It broke with 9759b67d."),), FactCategory.IDENTIFIER, "9759b67d"),
        ((human("Basic fare is $320 now."),), FactCategory.NUMBER, "Basic fare = $320"),
    ],
)
def test_addresses_todos_errors_dates_owners_and_ids_are_facts(
    messages: tuple[Message, ...], category: FactCategory, text: str
) -> None:
    assert _texts(category, *messages) == [text]
