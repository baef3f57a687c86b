"""A history that every host is given: 40 exchanges with a call and its result."""

import re

from core.api import SummaryRequest
from core.common.json_value import Json
from core.settings.prompts import required_sections

LIMIT = 16_000
"""A window in tokens that the history exceeds."""
RUN_LIMIT = 6_000
"""A window in which a run of 40 turns is compacted several times."""
SYSTEM = "Be brief. Never touch db.py."


def openai_messages() -> list[dict[str, Json]]:
    messages: list[dict[str, Json]] = [{"role": "system", "content": SYSTEM}]
    for number in range(40):
        function = {"name": "read", "arguments": f'{{"path": "src/a{number}.py"}}'}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages += [
            {"role": "user", "content": f"Mend bug {number} in src/a{number}.py. " * 5},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": "x = 1\n" * 60},
            {"role": "assistant", "content": f"Bug {number} is mended. " * 10},
        ]
    return [*messages, {"role": "user", "content": "Which file was last?"}]


def write_summary(request: SummaryRequest) -> str:
    """A summary with the sections that the prompt asks for, the first of them in words."""
    files = sorted(set(re.findall(r"src/a\d+\.py", str(request.messages))))
    text = (
        f"The bugs of {', '.join(files)} are mended, and db.py was never touched. "
        + "All is well. " * 9
    )
    first, *others = required_sections(request.prompt) or ("SUMMARY",)
    return "\n".join((f"## {first}\n{text}", *(f"## {name}\nNone." for name in others)))


def write_one_section(request: SummaryRequest) -> str:
    return write_summary(request).partition("\n##")[0]
