"""Refusals in words, and summaries that only mention one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.common.errors import CompactionFailed
from core.llm.tool_client import is_refusal
from core.strategies.registry import find_strategy
from tests.builders import talk
from tests.core.llm.model_asking import RecordingCaller, profile
from tests.core.strategies.strategy_running import context
from tests.loopback import Reply, run_loopback

REFUSALS = (
    "I'm sorry, but I can't summarise this conversation.",
    "I'm sorry, but I can't help with that.",
    "I’m sorry, I can’t assist with that request.",
    "Sorry, I cannot do that.",
    "I cannot help with this.",
    "I can't comply with this request.",
    "I am unable to summarize this conversation because it contains sensitive information.",
    "Unfortunately, I'm not able to provide a summary of this transcript.",
    (
        "I apologize, but I cannot create a summary of this content. Please let me know if there "
        "is something else I can do."
    ),
    "As an AI language model, I cannot process this request.",
    "I must decline to summarise this conversation.",
    "I won't be able to assist with summarising this conversation, as it violates our usage policies.",
    "I will not write this summary.",
    "I'm not comfortable summarising this conversation.",
    "This request violates our content policy.",
    "That's not something I can help with.",
    "No. I can't help with that.",
    "I have to decline this request.",
    (
        "I'm really sorry, but I'm unable to fulfill this request. If you need something else, "
        "I'm happy to help."
    ),
    "My apologies. I cannot continue with this task.",
    "I refuse to produce a summary of that conversation.",
    "<state_snapshot>I'm sorry, but I can't summarise this conversation.</state_snapshot>",
    "## Summary\n\nI'm sorry, I can't provide a summary of this conversation.",
    (
        "**I cannot assist with this request.** The conversation contains material that may be "
        "harmful, and I follow guidelines that forbid me from repeating it. If you'd like, I can "
        "help with a different task."
    ),
    "I can't.",
    "I'm afraid I can't do that.",
    "It would be inappropriate to summarise this conversation under my guidelines.",
    "I do not feel comfortable continuing with this conversation.",
    "Request denied.",
    "I'm sorry, but as an AI developed by a company, I can't engage with this content.",
    "I am not able to generate a snapshot for this transcript.",
    "I'm unable to help you with this.",
)

SUMMARIES = (
    (
        "The user asked for a fix of the parser. The assistant said it was sorry and could not "
        "reproduce the failure; it then fixed parse() in parser.py."
    ),
    "I cannot push to main because the branch is protected. I fixed parser.py and opened a pull request.",
    (
        "I can't reach the network from this sandbox, so the tests with downloads were skipped. "
        "parser.py is done, 12 tests pass."
    ),
    "Sorry for the delay, the user wrote; they want the deploy done by Friday.",
    (
        "<state_snapshot><overall_goal>Write tests for the refusal \"I'm sorry, but I can't "
        'summarise this conversation."</overall_goal></state_snapshot>'
    ),
    "The assistant declined to help with writing malware and the user moved on to the parser.",
    "I could not run the tests: pytest is not installed. Next step: install it.",
    "User asked for credentials; I refused to print them. Then we rotated the key in vault.",
    "We cannot use Python 3.12, since the server has 3.11. Decision: stay on 3.11.",
    "I am unable to read secrets.env (permission denied). The user will fix the rights.",
    "The user cannot log in. Error: 401. The session cookie was missing SameSite.",
    "I'm sorry is printed by the bot when the model times out; fixed in bot.py line 40.",
    "Unfortunately the build failed twice with E1101. The cause was a missing import in utils.py.",
    (
        '1. GOAL: make the bot answer politely. 2. STATE: it says "I can\'t help with that" too '
        "often. 3. NEXT: change the prompt."
    ),
    "## Goal\n\nFix the refusal filter.\n\n## State\n\nI cannot reproduce the bug.",
    "I can't find config.yaml. Looked in /etc and ~/.config.",
    "The request was declined by the API (HTTP 403), so uploads are off.",
    "Do not summarise the changelog, the user said. I can't change the version number either.",
    "I won't touch the migrations folder, as the user demanded. parser.py and lexer.py are edited.",
    "Apologies were sent to the customer. Ticket 4411 is closed.",
    (
        "I can't complete the upload task because the token expired; the user will renew it. "
        "Files changed: upload.py."
    ),
    "Policy: this content violates rule 7, so the post was removed. Moderation queue: 3 left.",
    (
        "We could not continue with the migration until the backup finishes. Backup at "
        "/var/backups/db.sql, 40 % done."
    ),
    "I cannot write to /etc/hosts without sudo; the user runs it by hand.",
    (
        "Assistant: unable to generate the report as the template is missing. User supplied "
        "report.tpl, now it works."
    ),
    'The model answered "I\'m unable to help you with this" for 3 of 40 prompts; threshold lowered to 0.4.',
    "As an AI pair programmer, I edited parser.py and could not run the benchmarks.",
    "User wants a summary of the conversation feature: it cannot exceed 200 words, and must not refuse.",
    "I decided not to continue with Redis; Postgres is used for the queue.",
    (
        "I cannot provide the API response for the conversation endpoint yet: it returns 500. "
        "Logs are in api.log, and the handler is chat.py, line 88. The fix is to close the "
        "session in a finally block, then to rerun test_chat.py, which has 14 tests of which 2 "
        "fail at present with a timeout. The user prefers small commits, wants no new dependency "
        "and asked to keep Python 3.11 throughout the project."
    ),
)


@pytest.mark.parametrize("text", REFUSALS)
def test_a_reply_that_declines_the_task_is_a_refusal(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", SUMMARIES)
def test_a_summary_that_speaks_of_failures_and_refusals_is_none(text: str) -> None:
    assert not is_refusal(text)


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("strategy", ["middle-out", "one-shot"])
def test_a_refusal_in_words_is_no_summary(strategy: str, stream: bool) -> None:
    with run_loopback(Reply(REFUSALS[0])) as server:
        asker = RecordingCaller(profile(server, stream=stream))
        given = replace(context(talk(30)), summariser=lambda name: asker.summariser)
        with pytest.raises(CompactionFailed, match="refused to write the summary") as caught:
            find_strategy(strategy).compress(given)
    assert caught.value.exit_code == 3
