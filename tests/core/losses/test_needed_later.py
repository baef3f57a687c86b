"""What later turns used of the messages before a cut, and what of it a result keeps."""

import pytest

from core.losses.needed_later import (
    NeededLater,
    continuation_cut,
    find_needs,
    needed_later,
    needs_after,
)
from core.transcript.model import Message, Speaker, SystemPart, ToolResponse
from tests.support.builders import ai, call, exchange, human, talk, tool
from tests.tools.common_names import shared_names

BEFORE = (
    human(
        "The limit lives in max_upload_size, please raise it to 64000 in src/upload/limits.py."
    ),
    ai("I will look at retry_budget and https://docs.example/limits first."),
)


def found(after: tuple[Message, ...], result: tuple[Message, ...]) -> NeededLater:
    needs = find_needs(BEFORE, after)
    assert needs is not None
    return needed_later(needs, result)


def needed_names(*after: Message) -> set[str]:
    return {one.text for one in found(after, ()).gone}


@pytest.mark.req("NEED-1")
@pytest.mark.parametrize(
    ("after", "names"),
    [
        ((ai("Now max_upload_size is 64000."),), "max_upload_size 64000"),
        (
            (ai("", call("edit", path="./src/upload/limits.py")),),
            "src/upload/limits.py",
        ),
        ((human("Is retry_budget used?"), ai("retry_budget is not.")), ""),
        (
            (
                ai("retry_budget is unused."),
                human("retry_budget?"),
                ai("Yes, retry_budget."),
            ),
            "retry_budget",
        ),
        ((ai("A new_name that nobody said before."),), ""),
    ],
)
def test_what_was_needed(after: tuple[Message, ...], names: str) -> None:
    assert {one.text.removeprefix("./") for one in found(after, ()).gone} == set(
        names.split()
    )


@pytest.mark.req("NEED-1")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("app/util.py", "/repo/src/app/util.py"),
        ("util.py", "/repo/src/app/util.py:12"),
        ("/repo/src", "It is in /repo/src/app/util.py."),
        ("app/v2", "C:\\\\repo\\\\app\\\\v2\\\\util.py"),
        ("7f3a9c21", "https://store.example/uploads/7f3a9c21?part=2"),
        ("retry_budget", "limits.retry_budget = 3"),
        ("retry_budget", '{"log": "first\\nretry_budget"}'),
        ("retry_budget", '{"log": "\\\\"retry_budget"}'),
        ("src/café.py", '{"file": "src/caf\\u00e9.py"}'),
        ("src/app/util.py", '{"file": "src\\/app\\/util.py"}'),
        ("64,000", "limit=64000"),
        ("src/util.py", "文件src/util.py在这里"),
        ("7504069", "payment_certificate_7504069 is valid"),
    ],
)
def test_a_name_inside_what_is_given_is_given(name: str, text: str) -> None:
    before = (human(f"See {name} first."),)
    asked, given = ai(f"Now {name} again."), human(text)
    needed = find_needs(before, (asked, given))
    assert needed is not None
    assert len(needed.names) == 1
    spared = find_needs(before, (given, asked))
    assert spared is not None
    assert not spared.names


@pytest.mark.req("NEED-1")
@pytest.mark.parametrize(
    "text",
    ["old_max_upload_size", "Max_Upload_Size", "max_upload_sizes", "164000", "x64000"],
)
def test_another_name_with_the_same_letters_gives_nothing(text: str) -> None:
    after = human(text), ai("max_upload_size is 64000.")
    assert needed_names(*after) == {"max_upload_size", "64000"}


@pytest.mark.req("NEED-1")
@pytest.mark.parametrize(
    "system",
    [
        SystemPart(texts=("Work in src/upload/limits.py.",)),
        SystemPart(tools=({"name": "edit", "description": "of src/upload/limits.py"},)),
    ],
)
def test_what_is_sent_with_each_request_is_never_needed(system: SystemPart) -> None:
    needs = find_needs(BEFORE, (ai("retry_budget of src/upload/limits.py"),), system)
    assert needs is not None
    assert set(needs.names) == {"retry_budget"}


@pytest.mark.req("NEED-1")
def test_the_answer_of_a_tool_in_the_models_own_message_is_no_use() -> None:
    answer = Message(Speaker.AI, (ToolResponse("a", "search", "retry_budget"),))
    assert needed_names(answer, ai("max_upload_size")) == {"max_upload_size"}


def test_who_only_listens_needs_nothing() -> None:
    assert find_needs(BEFORE, (human("max_upload_size?"), tool())) is None


@pytest.mark.req("NEED-2")
@pytest.mark.parametrize(
    ("text", "kept", "bare"),
    [
        (BEFORE[0], 1, 1),
        (human("It said: the limit  lives in\nmax_upload_size."), 1, 1),
        (human("max_upload_size, please raise it."), 1, 1),
        (human("Names: max_upload_size, retry_budget."), 0, 1),
        (human("Names: old_max_upload_size."), 0, 1),
        (human("Nothing."), 0, 0),
    ],
)
def test_a_name_is_kept_with_its_surroundings(
    text: Message, kept: int, bare: int
) -> None:
    needed = found((ai("max_upload_size it is."),), (text,))
    assert (needed.used, needed.kept, needed.kept_bare, len(needed.gone)) == (
        1,
        kept,
        bare,
        1 - bare,
    )


@pytest.mark.req("NEED-2")
def test_a_name_within_a_longer_one_is_not_gone() -> None:
    before = (human("Open limits.py."), ai("It is src/upload/limits.py, port 9090."))
    needs = find_needs(before, (ai("limits.py has the port 9090."),))
    assert needs is not None
    for result in (before[1:], (human("src/upload/limits.py, http://host:9090/"),)):
        needed = needed_later(needs, result)
        assert (needed.used, needed.kept_bare, needed.gone) == (2, 2, ())


@pytest.mark.req("NEED-2")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("app/v2", "C:\\\\repo\\\\app\\\\v2\\\\util.py"),
        ("src/util.py", '{"file": "/repo/src\\/util.py~"}'),
        ("café.py", '{"file": "old_caf\\u00e9.py~"}'),
    ],
)
def test_a_name_in_another_spelling_is_not_gone(name: str, text: str) -> None:
    before = (human(f"See {name} first."), human(text))
    needs = find_needs(before, (ai(f"Now {name} again."),))
    assert needs is not None
    assert needed_later(needs, before[1:]).gone == ()
    assert needed_later(needs, (human(f"{text} "),)).gone == ()
    assert needed_later(needs, (human("Nothing."),)).gone


@pytest.mark.req("NEED-2")
def test_a_path_says_enough_alone() -> None:
    after = (
        ai("", call("edit", path="src/upload/limits.py")),
        ai("See https://docs.example/limits."),
    )
    assert (
        found(
            after, (human("- src/upload/limits.py\n- https://docs.example/limits"),)
        ).share
        == 1.0
    )


def test_what_is_gone_comes_by_its_uses() -> None:
    after = (ai("retry_budget"), ai("max_upload_size and 64000"), ai("64000"))
    assert [(one.text, one.uses, one.message) for one in found(after, ()).gone] == [
        ("64000", 2, 0),
        ("retry_budget", 1, 1),
        ("max_upload_size", 1, 0),
    ]


def test_many_cuts_are_the_same_as_one_by_one() -> None:
    messages = (
        *BEFORE,
        *exchange("a", "read", "size_of_chunk", path="a.py"),
        ai("retry_budget"),
        ai("size_of_chunk"),
    )
    spans = [(2, 6), (4, 6)]
    together = needs_after(messages, spans)
    for (cut, end), needs in zip(spans, together, strict=True):
        alone = find_needs(messages[:cut], messages[cut:end])
        assert needs is not None
        assert alone is not None
        assert needs.names == alone.names
        assert needed_later(needs, messages[:1]) == needed_later(alone, messages[:1])


def test_the_cut_is_the_nearest_valid_boundary() -> None:
    messages = (*talk(6), *exchange("a", "read", "x " * 80), *talk(2))
    sizes = [10] * 6 + [1, 30] + [10] * 2
    assert continuation_cut(messages, sizes, 0.6) == 6


@pytest.mark.req("NEED-1")
def test_a_path_is_the_same_by_the_last_two_parts_of_it() -> None:
    after = (ai("", call("edit", path="/home/ada/app/src/upload/limits.py")),)
    kept = found(after, (human("It was in C:\\app\\src\\upload\\limits.py."),))
    assert (kept.used, kept.kept) == (1, 1)
    assert found(after, (human("It was in src/download/limits.py."),)).kept == 0


@pytest.mark.req("NEED-1")
def test_names_of_tools_are_never_needed() -> None:
    before = (
        *BEFORE,
        ai("", call("find_limits", "a", path="a.py")),
        human("Use find_limits."),
    )
    needs = find_needs(before, (ai("I use find_limits for retry_budget."),))
    assert needs is not None
    assert set(needs.names) == {"retry_budget"}


@pytest.mark.req("NEED-1")
def test_names_of_arguments_are_never_needed() -> None:
    edits = [{"max_upload_size": "of retry_budget", "limit": 64000}]
    assert needed_names(ai("", call("edit", edits=edits))) == {"retry_budget"}
    named = ai("I pass retry_budget.", call("edit", retry_budget="3"))
    assert needed_names(named) == set()


@pytest.mark.req("NEED-1")
def test_names_that_many_repositories_share_are_never_needed() -> None:
    before = (human("JSON.parse and useState are in retry_budget."),)
    needs = find_needs(before, (ai("JSON.parse, useState and retry_budget."),))
    assert needs is not None
    assert set(needs.names) == {"retry_budget"}


@pytest.mark.req("NEED-1")
def test_numbers_of_a_call_are_not_needed_but_numbers_in_its_text_are() -> None:
    assert needed_names(ai("", call("run", timeout=64000))) == set()
    assert needed_names(ai("", call("run", command="limit 64000"))) == {"64000"}


@pytest.mark.req("NEED-1")
def test_of_what_is_written_into_a_file_only_paths_urls_and_ids_are_needed() -> None:
    text = "retry_budget of src/upload/limits.py"
    assert needed_names(ai("", call("write", content=text))) == {"src/upload/limits.py"}
    assert "retry_budget" in needed_names(ai("", call("edit", old_string=text)))
    edits = [{"new_string": text}]
    assert needed_names(ai("", call("edit", edits=edits))) == {"src/upload/limits.py"}


@pytest.mark.req("NEED-1")
def test_what_a_to_do_tool_is_given_is_not_needed() -> None:
    todos = [{"content": "Raise max_upload_size", "status": "pending"}]
    assert needed_names(ai("", call("TodoWrite", todos=todos))) == set()


def test_shared_names_are_counted_by_repository() -> None:
    owners = {"os.path": {"a", "b", "c"}, "our_key": {"a", "b"}}
    assert shared_names(owners) == {"os.path"}
    assert shared_names(owners, without="a") == set()
