"""An agent of 40 turns with an adapter: what its requests held, and how many summaries it paid
for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from core.api import SummaryRequest, size
from core.common.json_value import Json
from core.integrations.hosts.history_compactor import HistoryCompactor
from tests.core.integrations.hosts.histories import (
    RUN_LIMIT,
    openai_messages,
    write_summary,
)

Dict = dict[str, Json]
Send = Callable[[list[Dict]], list[Dict]]
"""Takes what came since the last request, returns the messages of the next one."""


@dataclass(slots=True)
class Run:
    """Sizes in tokens of each request; ``rewritten``: it does not begin with all of the one
    before."""

    summaries: list[SummaryRequest] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    rewritten: list[bool] = field(default_factory=list)


def drive(
    made: Callable[[dict[str, Any]], Send],
    *,
    summarizer: Callable[[SummaryRequest], str] = write_summary,
) -> Run:
    """Run the agent, with a request after each message of user and tool; ``made`` gets the
    options."""
    run, new, last = Run(), list[Dict](), list[Dict]()

    def summarize(request: SummaryRequest) -> str:
        run.summaries.append(request)
        return summarizer(request)

    send = made({"limit": RUN_LIMIT, "summarizer": summarize})
    for message in openai_messages():
        new.append(message)
        if message["role"] not in ("user", "tool"):
            continue
        sent, new = send(new), []
        run.sizes.append(size(sent, model="gpt-4o"))
        run.rewritten.append(sent[: len(last)] != last)
        last = sent
    return run


def alone(
    strategy: str, *, host_stores_the_result: bool = False
) -> Callable[[dict[str, Any]], Send]:
    """The compactor below all adapters, in a host that stores dicts."""

    def made(options: dict[str, Any]) -> Send:
        compactor, history = HistoryCompactor[Dict](strategy, **options), list[Dict]()

        def send(new: list[Dict]) -> list[Dict]:
            history.extend(new)
            sent = compactor.compacted(
                history, lambda message: [message], lambda item: item
            ) or list(history)
            if host_stores_the_result:
                history[:] = sent
            return sent

        return send

    return made
