"""A history with facts, its truncation, and a server that knows the answers and grades them."""

import json
from collections.abc import Mapping, Sequence
from functools import cache

from core.common.json_value import Json
from core.preview.options import Preview
from core.preview.preview import compute_preview
from core.strategies.top_down import NAME as TRUNCATION
from core.transcript.model import Conversation
from tests.core.analysis.test_judge import JudgingServer, last_text
from tests.core.strategies.strategy_running import values
from tests.support.builders import ai, conversation, exchange, human
from tests.support.loopback import ReceivedRequest, Reply

ERROR = "AssertionError: expected 4 parts, found 3"
TODOS = [
    {"content": "Write the upload test", "status": "completed"},
    {"content": "Describe the retry policy", "status": "pending"},
]


def conversation_with_facts() -> Conversation:
    """Return rules, files, a value, an error, todos and a decision, followed by small talk."""
    rules = "Fix the uploader. Never touch `legacy_mode`. The retry_limit is 7 for staging."
    small_talk = (
        message for at in range(12) for message in (human(f"And {at}?"), ai("Fine. " * 40))
    )
    return conversation(
        human(rules),
        *exchange("r", "Read", "x = 1\n" * 40, file_path="/srv/app/config.py"),
        *exchange(
            "e", "Edit", "ok", file_path="/srv/app/upload.py", old_string="a", new_string="b"
        ),
        *exchange("t", "Bash", f"Exit code 1\n{ERROR}", command="pytest -q tests"),
        *exchange("d", "TodoWrite", "ok", todos=TODOS),
        ai("I decided to keep `send_part` synchronous because the store allows one connection."),
        *small_talk,
        model="m",
    )


@cache
def truncated_preview() -> Preview:
    effective = values(compression__strategy=TRUNCATION, context_limit=1_000)
    return compute_preview(conversation_with_facts(), effective)


def told_points(statement: Mapping[str, Json], text: str) -> Json:
    """The entry of a judge that reads: the expected point stands in the answer, or is missing."""
    point = statement["statement"].partition("among other things: ")[2]
    verdict = "says the same" if point in text else "missing"
    return {"id": statement["id"], "verdict": verdict, "quote": point if point in text else ""}


class AnsweringServer(JudgingServer):
    """Answers known questions by their text, all others as absent; grades answers, and writes
    questions."""

    def __init__(self, answers: Mapping[str, str | Reply], written: Sequence[Reply] = ()) -> None:
        super().__init__(told_points)
        self.answers = answers
        self.written = list(written)

    @property
    def questions(self) -> list[ReceivedRequest]:
        """The requests for answers."""
        return [one for one in self.log if not last_text(one).startswith("{")]

    def reply_to(self, received: ReceivedRequest) -> Reply:
        asked = last_text(received)
        if asked.startswith("{") and "statements" in json.loads(asked):
            return super().reply_to(received)
        self.log.append(received)
        if asked.startswith("{"):
            return self.written.pop(0) if len(self.written) > 1 else self.written[0]
        reply = next(
            (one for text, one in self.answers.items() if received.text.endswith(text)), ""
        )
        return reply if isinstance(reply, Reply) else Reply(text=reply or "Not in the context.")
