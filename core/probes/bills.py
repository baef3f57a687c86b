"""What questions can cost at most, before the first of them is asked."""

from __future__ import annotations

from core.model_run import Bill
from core.probes.asking import ANSWER_TOKENS, Context
from core.probes.judge import JUDGE, to_judge
from core.probes.questions import MANY
from core.probes.running import Plan
from core.profiles import Profile
from core.summarize.price import is_paid, max_output, model_name, price
from core.tokens import counter_for

_QUESTION = 100  # tokens, more than templates make


def bills_of(plan: Plan, answerer: Profile, judge: Profile, unwritten: int = 0) -> list[tuple[Bill, bool]]:
    """The bill of each model, and whether it is paid; every retry left out.

    ``unwritten`` tokens are added to the compacted context where its summary is not written yet.
    """
    found = [(_answering(plan, answerer, unwritten), is_paid(answerer))]
    if plan.free:
        found.append((_judging(plan, judge), is_paid(judge)))
    return found


def bill_of_many(context: Context, profile: Profile) -> tuple[Bill, bool]:
    """The most that as many questions as are usual can cost over a context, before they are known."""
    return _bill(MANY, MANY * (context.tokens + _QUESTION), profile), is_paid(profile)


def _answering(plan: Plan, profile: Profile, unwritten: int) -> Bill:
    count, context = counter_for(profile.model).text, plan.compacted.tokens + unwritten
    own = sum(count(one.text) for one in plan.questions)
    sent = len(plan.questions) * context + own + plan.free * (context + ANSWER_TOKENS)
    calls = len(plan.questions) + plan.free
    if plan.whole is not None:
        sent, calls = sent + len(plan.questions) * plan.whole.tokens + own, calls + len(plan.questions)
    return _bill(calls, sent, profile)


def _judging(plan: Plan, profile: Profile) -> Bill:
    """Each free question is written once and graded once; what was asked before is told to the writer."""
    assert plan.head is not None
    count = counter_for(profile.model).text
    grading = count(JUDGE) + count(to_judge("", "", "")) + 2 * ANSWER_TOKENS
    former = sum(range(plan.free)) * ANSWER_TOKENS
    return _bill(2 * plan.free, plan.free * (plan.head.tokens + grading) + former, profile)


def _bill(calls: int, sent: int, profile: Profile) -> Bill:
    received = calls * max_output(profile, ANSWER_TOKENS)
    return Bill(calls, sent, received, price(sent, received, model_name(profile)))
