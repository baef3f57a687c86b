"""Made-up histories for property tests: agent loops with everything that goes wrong in real
ones."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import strategies as st

from core.common.json_value import MISSING
from core.transcript.model import (
    Block,
    Message,
    MessageFlag,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import find_pairs

PATHS = ("src/a.py", "/repo/src/a.py", "./src/../src/a.py", "b.md", "docs/c.txt")
READS = ("read_file", "Read", "read_many_files", "read_line_range")
WRITES = ("write_file", "Write", "Edit", "replace", "apply_patch")
OTHERS = ("bash", "grep", "list_dir")
INCLUSION = "look\n\n--- src/a.py ---\nold text\n--- End of content ---\n\n\nand say"


SAID = (
    *(
        Message(speaker=Speaker.HUMAN, blocks=(Text(text),))
        for text in ("do it", INCLUSION)
    ),
    Message(speaker=Speaker.HUMAN, blocks=(Text("do it"),), flags=MessageFlag.META),
    Message(
        speaker=Speaker.HUMAN,
        blocks=(Text("What was done before. " * 5),),
        flags=MessageFlag.RECORDED_SUMMARY,
    ),
    Message(
        speaker=Speaker.HUMAN,
        blocks=(Text("seen\n" * 30),),
        flags=MessageFlag.META,
        extra={"message_type": "observation"},
    ),
)


@st.composite
def _arguments(draw: st.DrawFn, name: str) -> object:
    path = draw(st.sampled_from(PATHS))
    if name == "read_many_files":
        return {"paths": draw(st.lists(st.sampled_from((*PATHS, "*.py")), max_size=3))}
    if name == "apply_patch":
        return {"input": f"*** Begin Patch\n*** Update File: {path}\n*** End Patch"}
    if name in ("Edit", "replace"):
        return {
            "file_path": path,
            "old_string": draw(st.sampled_from(("x", "line 1\nline 2"))),
            "new_string": "y",
        }
    if name == "read_line_range":
        return {"file_path": path, "start_line": 1, "end_line": 2}
    return draw(
        st.sampled_from(
            ({"file_path": path}, {"command": "pytest -q"}, None, "odd", {})
        )
    )


@st.composite
def _turn(draw: st.DrawFn, number: int, held: list[ToolResponse]) -> list[Message]:
    """One turn of the loop; results may come early, late, merged, or never. ``held`` come later."""
    names = draw(st.lists(st.sampled_from(READS + WRITES + OTHERS), max_size=3))
    ids = [
        f"t{number}-{place}" if draw(st.integers(0, 9)) else "again"
        for place in range(len(names))
    ]
    calls: list[Block] = [
        ToolCall(id_, name, draw(_arguments(name)))
        for id_, name in zip(ids, names, strict=True)
    ]
    said: tuple[Block, ...] = (Text("I look"), Text(" "), Thinking("hm"))
    before = draw(st.lists(st.sampled_from(said), max_size=2))
    messages: list[Message] = []
    answers: list[Block] = []
    for id_, name in zip(ids, names, strict=True):
        fate = draw(st.integers(0, 9))
        answer = ToolResponse(
            id_,
            name,
            draw(st.sampled_from(("ok", "line 1\nline 2\n" * 40, "error: no"))),
        )
        if fate == 0:
            continue
        if fate == 1:
            held.append(answer)
        elif fate == 2:
            messages.append(Message(speaker=Speaker.TOOL, blocks=(answer,)))
        else:
            answers.append(answer)
    messages.append(Message(speaker=Speaker.AI, blocks=(*before, *calls)))
    merged = draw(st.booleans())
    if answers and merged:
        messages.append(Message(speaker=Speaker.TOOL, blocks=tuple(answers)))
    else:
        messages += [
            Message(speaker=Speaker.TOOL, blocks=(answer,)) for answer in answers
        ]
    return messages


@st.composite
def histories(draw: st.DrawFn, max_turns: int = 14) -> tuple[Message, ...]:
    """A history of some turns, with early, late, missing, orphan and repeated ids, earlier
    summaries among what the person said, and observations of a harness without calls."""
    messages: list[Message] = []
    held: list[ToolResponse] = []
    for number in range(draw(st.integers(0, max_turns))):
        kind = draw(st.integers(0, 9))
        if kind <= 1:
            messages.append(draw(st.sampled_from(SAID)))
        elif kind == 2:
            messages.append(
                Message(speaker=Speaker.AI, blocks=(Text("a longer answer " * 12),))
            )
        elif kind == 3:
            messages.append(
                draw(
                    st.sampled_from(
                        (
                            Message(speaker=Speaker.AI, blocks=()),
                            Message(speaker=Speaker.SYSTEM, blocks=(Text("s"),)),
                        )
                    )
                )
            )
        elif kind == 4:
            messages.append(
                Message(
                    speaker=Speaker.TOOL,
                    blocks=(ToolResponse(f"orphan{number}", "bash", "x", MISSING),),
                )
            )
        else:
            messages += draw(_turn(number, held))
        late = draw(st.booleans())
        if held and late:
            messages.append(Message(speaker=Speaker.TOOL, blocks=(held.pop(),)))
    return tuple(messages)


def loose_ends(messages: Sequence[Message]) -> Counter[str]:
    pairs = find_pairs(messages)
    unanswered = (f"call {id_}" for _, id_ in pairs.unanswered)
    return Counter(unanswered) + Counter(f"response {id_}" for _, id_ in pairs.orphans)
