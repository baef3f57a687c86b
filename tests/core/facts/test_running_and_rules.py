"""What runs, what the person attached, and rules of files that instruct in eight languages."""

import pytest

from core.facts.extract import extract_facts
from core.facts.model import FactKind
from core.facts.sentences import instruction_sentences
from core.facts.tool_outcome import first_line, reports_change
from core.transcript.model import Media, Message, MessageFlag, Speaker
from tests.core.trials.made_compactions import evidence, one_of, run
from tests.support.builders import exchange, human

STARTED = exchange(
    "a1",
    "Agent",
    "Agent launched in background. agentId: a77f01.",
    description="audit billing",
)
COMMAND = exchange(
    "b1", "Bash", "Command running in background with ID: bash_9", command="make crawl"
)


def running(*messages: Message) -> list[tuple[str, str]]:
    found = extract_facts(messages).of_kind(FactKind.RUNNING)
    return [(fact.text, fact.detail) for fact in found]


def test_what_was_started_runs_until_its_end_is_told() -> None:
    assert running(*STARTED, *COMMAND) == [
        ("a77f01", "audit billing"),
        ("bash_9", "make crawl"),
    ]
    note = human(
        "<task-notification><task-id>a77f01</task-id><status>completed</status></task-notification>",
        flags=MessageFlag.META,
    )
    assert running(*STARTED, *COMMAND, note) == [("bash_9", "make crawl")]


@pytest.mark.parametrize(
    ("tool", "output"),
    [("KillShell", "ok"), ("BashOutput", "<status>completed</status>\nexit code 0")],
)
def test_a_command_that_was_stopped_or_read_to_its_end_runs_no_more(
    tool: str, output: str
) -> None:
    assert running(*COMMAND, *exchange("c1", tool, output, bash_id="bash_9")) == []
    still = exchange("c1", "BashOutput", "<status>running</status>", bash_id="bash_9")
    assert running(*COMMAND, *still) == [("bash_9", "make crawl")]


def test_an_image_of_the_person_is_a_fact_and_gone_with_its_message() -> None:
    image = Message(Speaker.HUMAN, (Media("image/png", "aGVsbG8="),))
    one = one_of(
        evidence((image, *STARTED), summary="The shop is set up."), FactKind.ATTACHMENT
    )
    assert (one.fact.text, one.status.value) == ("image/png", "gone")
    kept = one_of(
        evidence((image, *STARTED), keep=(0,), summary="So."), FactKind.ATTACHMENT
    )
    assert kept.status.value == "word for word"


@pytest.mark.parametrize(
    "rules",
    [
        "- Never push to main.\n- Run make check before each commit.\n- Keep amounts as integers.",
        "- Nie auf main pushen.\n- Führe vor jedem Commit make check aus.\n- Verwende keine floats.",
        "- Ne pousse jamais sur main.\n- Exécutez make check.\n- Avant de livrer, lancez les tests.",
        "- Nunca hagas push a main.\n- Responde en español.\n- No uses float para los importes.",
        "- Nunca faça push.\n- Execute make check.\n- Responda em português.",
        "- Никогда не пушь в main.\n- Запускай make check.\n- Отвечайте по-русски.",
        "- 不要推送到 main。\n- 提交前必须运行检查。\n- 请始终用中文回答。",
        "- main に push しないでください。\n- 必ず make check を実行する。\n- 日本語で答えてください。",
        "- main에 푸시하지 마세요.\n- 커밋 전에 make check를 실행하세요.\n- 한국어로 답하세요.",
    ],
)
def test_an_order_in_a_file_that_instructs_is_a_rule_in_any_language(
    rules: str,
) -> None:
    assert len(instruction_sentences(rules)) == 3


@pytest.mark.parametrize(
    "text",
    [
        "- The parser is in src/parse.py.",
        "- Test coverage is 80 %.",
        "- List of endpoints: users, orders",
        "# Use of the API",
        "- Build: npm",
    ],
)
def test_a_line_that_only_describes_is_no_rule(text: str) -> None:
    assert instruction_sentences(text) == ()


def test_numbers_of_lines_and_alternatives_are_no_names() -> None:
    found = (
        "src/pool.py-96-    retry_count = 512\nsrc/pool.py:120:    return\n  301→pass"
    )
    messages = (
        *exchange("g1", "Grep", found, pattern="retry_count"),
        human(
            "See lines 210-230 of it; All/Active stays, 4,711 rows; 512 in src/pool.py."
        ),
    )
    names = {fact.text for fact in extract_facts(messages).of_kind(FactKind.NAME)}
    assert {"src/pool.py", "retry_count", "512", "4,711"} <= names
    assert not names & {
        "120",
        "301",
        "210-230",
        "210",
        "230",
        "All/Active",
        "src/pool.py-96",
    }


def open_errors(output: str) -> list[str]:
    found = extract_facts(run("make check", output, failed=True)).of_kind(
        FactKind.OPEN_ERROR
    )
    return [fact.text for fact in found]


def test_each_error_of_a_failed_run_is_open_and_a_trace_ends_with_its_exception() -> (
    None
):
    compiled = (
        "a.ts(8,4): error TS2345: wrong type\nb.ts(9,1): error TS2554: one too few\n"
    )
    assert len(open_errors(compiled)) == 2
    trace = '  File "/r/a.py", line 3, in run\n    raise TypeError(\nTypeError: a list is expected\n'
    assert open_errors(trace) == ["TypeError: a list is expected"]


def test_a_file_that_was_updated_is_a_change() -> None:
    assert reports_change("File updated successfully at: /src/pool.py")
    assert not reports_change("File not updated: /src/pool.py")


def test_the_first_line_has_no_rule_around_its_title() -> None:
    banner = "\n======== test session starts ========\nplatform linux"
    assert first_line(banner) == "test session starts"


def test_a_label_of_the_agent_is_no_first_line() -> None:
    answer = "OBSERVATION:\nThe file /work/a.py has been edited. Here is a part:"
    assert first_line(answer).startswith("The file /work/a.py")
    assert reports_change(answer)
