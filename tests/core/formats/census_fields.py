"""Fields of records that an agent does not send to its model, by format: patterns of paths in a
census."""

from collections.abc import Mapping, Sequence

UNSENT: Mapping[str, Sequence[str]] = {
    "chatgpt": (r"^\.conversation_id$",),
    "claude_code": (
        # the result again, for the window: with patches and whole files
        r"^\[user\]\.toolUseResult",
    ),
    "cline_ui": (
        # the whole request again, beside the rows that are its messages
        r"\[say\]\.text\.request$",
    ),
    "copilot_cli": (
        r"\.result\.detailedContent$",  # what the window shows in place of the content
    ),
    "gemini": (
        r"^\.summary$",  # a title
    ),
    "inspect_ai": (
        r"^\.attachments\.",  # long texts of events; those of messages are read with these
        # how the log was made and graded
        r"^\.(scores|samples|reductions|eval|plan|results|stats)\b",
        r"^\.events\[(score|state|store|sample_init|step|span_begin|span_end|info|logger)\]",
        # calls of every model, graders too; those of the agent are in messages
        r"^\.events\[model\]",
        r"^\.(target|metadata|store|choices)\b",
    ),
    "kimi": (
        r"\[tool\.call\]\.(description|display)",  # what the window shows of a call
        r"\[context\.apply_compaction\]\.summary$",  # its beginning; what is sent is contextSummary
    ),
    "mini_swe_agent": (
        r"^\.info\.config\b",  # templates of what was sent
    ),
    "openai_chat": (
        r"^(\.\w+)?\.choices\b",  # the answer to what was sent; a warning tells of it
    ),
    "openhands": (
        r"\.args\.translated_ipython_code$",  # the call again, as code
        r"^\.message$",  # what the window shows of an event
        r"\.extras\.formatted_output_and_error$",  # the content again
    ),
    "otlp": (
        r"\.resource\.",  # the program and the machine
        r"\[gen_ai\.agent\.\w+\]",
        r"\.spans\.name$",
    ),
    "pi_agent": (
        r"\[toolResult\]\.details\b",  # for the window
    ),
    "swe_agent": (
        r"^\.replay_config\b",  # templates of what was sent
        r"^\.info\b",  # the outcome: patch and edited files
        r"^\.trajectory\.state\b",  # the state of the shell
        r"^\.trajectory\.observation$",  # the turns again; after the last one nothing is sent
    ),
    "tau_bench": (
        r"^\.info\b",  # the task of the simulated user, and what was expected
        r"^\.messages_display$",  # the messages again, as one text
    ),
}

SKIPPED: Mapping[str, Mapping[str, str]] = {
    "aider": {
        r"^: (# aider chat|> |#### [/!])": "starts of chats, notices and commands for aider",
        r"^: -\*- mode": "lines before the first chat",
    },
    "atif": {r"^\.steps\.message: Performed context": "says that a handoff was made"},
    "claude_code": {
        r"^\[progress\]": "rows of sub-agents and outputs again, while they came",
        r"^\[system\]\.hookInfos": "commands of hooks",
        r"^\[attachment\]\.attachment\[hook_": "what a hook printed for the window",
        r"^\[attachment\]\.attachment\[(skill|agent)_listing": "what could be called",
        r"^\[summary\]\.summary": "a title",
        r"^\[last-prompt\]": "a prompt again",
        r"\.contenst\[": "a field that no version has",
    },
    "codex_rollout": {r"\[patch_apply_end\]": "the patch again, for the window"},
    "copilot_cli": {
        r"\.(intentionSummary|toolTitle)": "what the window shows of a call",
        r"^\[(hook\.start|session\.info|session\.error)\]": "for hooks and the person",
    },
    "kimi": {r"^\[permission\.": "what the person was asked"},
    "llxprt": {
        r"^\[content\].*: (hm, also round|Rounding in `predict`)": "taken back, in our sample"
    },
    "pi_agent": {r"\.partialJson": "the arguments of a call again, while they came"},
    "qwen_code": {
        r"^\[system\]\.systemPayload\.summary": "an artifact, for the window"
    },
    "swe_agent": {r"\.action: ": "the call again, as a command line"},
}
"""Texts of skipped records, and fields that are only kept beside a message, by format: patterns of
``path: text``, with the reason why an agent does not send them."""
