"""Tables and output in the docs, from declarations and runs.

``python -m tests.tools.docs_tables`` writes them.
"""

import doctest
import inspect
import io
import os
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from itertools import takewhile
from typing import get_args

from core.cli.arguments import GENERAL
from core.cli.command_names import COMMAND_NAMES
from core.cli.formats import format_rows
from core.cli.main import run_command_line
from core.cli.strategies import source_words
from core.engine.history_store import EngineEvent
from core.engine.session import AgentSession
from core.facts.model import FactKind
from core.lint.lint import PROVIDERS, find_provider
from core.lint.provider_limits import limit_text, provider_limits
from core.lint.repair import RULES
from core.lint.request_records import schema_of
from core.presentation.losses_words import KIND_ABOUT, KIND_NAMES
from core.presentation.preview_wording import trigger_words
from core.settings.schema import STRATEGY, Setting
from core.settings_store.layers import SETTINGS, expected_text
from core.strategies.base import CheckPoint, Strategy, TriggerMode
from core.strategies.reference_fixes import reference_fixes
from core.strategies.registry import STRATEGIES, find_strategy
from tests.core.cli.test_cli_commands import COMMANDS as JSON_COMMANDS
from tests.core.integrations.hosts import model_server
from tests.core.losses.attributed_words import table_rows
from tests.support.markdown import markdown, with_block
from tests.support.published_schemas import published
from tests.support.source_tree import ROOT
from tests.tools import man_page
from tests.tools.destination_trials import rows as trial_rows
from tests.tools.measured_tables import MEASURED
from tests.tools.repair_trials import trial_rows as repair_trials_rows
from tests.tools.signatures import api_signatures

_PAGES = (
    "strategies",
    "modes",
    "settings",
    "models",
    "engine",
    "formats",
    "losses",
    "which-strategy",
    "command-line",
    "json",
    "repair",
    "backtest",
    "measured",
)
DOCUMENTS = (
    "README.md",
    "tests/robustness.md",
    *(f"resources/help/{name}.md" for name in _PAGES),
    *sorted(
        f"{path.relative_to(ROOT)}"
        for path in (ROOT / "resources/help/strategies").glob("*.md")
    ),
)


def strategies(are_presets: bool = False) -> str:
    shown = [one for one in STRATEGIES if (one.emulates is not None) == are_presets]
    rows = []
    for one in shown:
        rows.append(
            (
                f"[`{one.name}`](strategies/{one.name}.md)",
                trigger_words(one.trigger),
                "yes" if one.requires_llm else "no",
                one.about,
            )
        )
    return markdown(("strategy", "trigger", "summary", "in short"), rows)


MANY = 5
"""A setting that so many strategies read is explained on the page of settings alone."""


def facts_of(name: str) -> str:
    """Return when a strategy acts, what it needs, and its settings."""
    one = find_strategy(name)
    prompts = ", ".join(f"`{prompt}`" for prompt in one.prompts)
    lines = [f"- Acts by itself: {_acts(one)}."]
    if one.needs_limit:
        lines.append("- Needs to know the limit.")
    if one.prompts:
        lines.append(f"- Prompts: {prompts}.")
    if one.emulates is not None:
        source = source_words(one.emulates).removesuffix(".")
        lines.append(
            f"- Emulates {one.emulates.label}, as of {one.emulates.as_of}. Source: {source}."
        )
    readers = Counter(key for strategy in STRATEGIES for key in strategy.options)
    read = [setting for setting in SETTINGS if setting.key in one.options]
    shared = ", ".join(
        f"`{setting.key}`" for setting in read if readers[setting.key] >= MANY
    )
    if shared:
        lines.append(f"- [Settings](../settings.md#all-settings): {shared}.")
    own = [setting for setting in read if readers[setting.key] < MANY]
    rows = [
        (f"`{setting.key}`", _default(setting), setting.help, _takes(setting))
        for setting in own
    ]
    table = markdown(("setting", "default", "what it does", "takes"), rows)
    return "\n".join([*lines, "", table]) if own else "\n".join(lines)


def _acts(one: Strategy) -> str:
    words, trigger = trigger_words(one.trigger), one.trigger
    if trigger.mode is TriggerMode.NEVER:
        return words
    of = " of the limit" if words.endswith("%") else ""
    less = f" without `{trigger.reserve}`" if trigger.reserve else ""
    return f"{words}{of}{less}, checked {_CHECKED[trigger.check]}"


_CHECKED = {
    CheckPoint.BEFORE_SEND: "before each request",
    CheckPoint.AFTER_TOOLS: "after the results of tools",
    CheckPoint.AFTER_USER: "after each message of the person",
}


def _default(setting: Setting) -> str:
    if setting.default in (None, ""):
        return "none" if setting.default is None else "empty"
    return f"`{str(setting.default).lower() if isinstance(setting.default, bool) else setting.default}`"


def settings() -> str:
    """Return what is no setting of one strategy alone: those stand on its page."""
    rows = []
    for one in SETTINGS:
        if len(_readers(one)) == 1:
            continue
        takes = _takes(one)
        if one.key == STRATEGY:
            takes = "the name of a [strategy](strategies.md)"
        rows.append((f"`{one.key}`", _default(one), one.help, takes))
    return markdown(("setting", "default", "what it does", "takes"), rows)


def _readers(setting: Setting) -> list[str]:
    return [one.name for one in STRATEGIES if setting.key in one.options]


def _takes(one: Setting) -> str:
    """Return what a setting takes, without the words that every row would repeat."""
    told = expected_text(one).removeprefix("It must be ").removesuffix(".")
    for words in ("a whole number from ", "a number from ", "a number ", "one of: "):
        told = told.removeprefix(words)
    if told.startswith("above "):
        return told
    return told.replace(" up to ", " to ")


def formats() -> str:
    """Return the formats that are read; reports are on the page of exports."""
    rows = []
    for one in format_rows():
        if not one["read"]:
            continue
        names = ", ".join(f"`{name}`" for name in (one["name"], *one["short_names"]))
        is_seen = one["real_file_seen"] or one["public_fixture_seen"]
        shown = names if is_seen else f"{names} *"
        rows.append((shown, "yes" if one["write"] else "no", str(one["about"])))
    return markdown(("format", "written", "what it is"), rows)


def fixes() -> str:
    return "\n".join(f"- **{one.id}**: {one.fix}" for one in reference_fixes())


def engine() -> str:
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(AgentSession) or "")
    code = [one.source for one in examples if not one.source.startswith("from ")]
    lines = "".join(code).replace(AgentSession.__name__, "Session")
    names = "Message, Session, SettingLayers, Speaker, Text, environment_for"
    return f"```python\nfrom foldline.api import {names}\n\n{lines}```"


def events() -> str:
    rows = []
    for one in get_args(EngineEvent):
        about = " ".join((inspect.getdoc(one) or "").split("\n\n")[0].split()).replace(
            "``", "`"
        )
        rows.append(
            (
                f"`{one.__name__}`",
                ", ".join(f"`{name}`" for name in one.__annotations__),
                about,
            )
        )
    return markdown(("event", "holds", "meaning"), rows)


def fact_kinds() -> str:
    return markdown(
        ("kind", "what it is"),
        [(KIND_NAMES[kind][0], KIND_ABOUT[kind]) for kind in FactKind],
    )


def destinations() -> str:
    return markdown(
        ("profile", "environment", "shown as the destination", "who received it"),
        trial_rows(),
    )


def repair_rules() -> str:
    return markdown(
        ("rule", "fault", "mend"), [(one.name, one.fault, one.mend) for one in RULES]
    )


def provider_limit_lines() -> str:
    """Return a line an API and service, with its limits by the name of the finding."""
    found: dict[str, dict[str, list[str]]] = {}
    for one in provider_limits():
        service = f", {one.service}" if one.service else ""
        who = f"{find_provider(one.provider).label}{service}"
        doubt = "" if one.status == "documented" else f" ({one.status})"
        told = found.setdefault(who, {}).setdefault(one.rule, [])
        told.append(f"{limit_text(one)}{doubt}")
    lines = []
    for who, rules in found.items():
        told = [f"`{rule}`: {', '.join(limits)}" for rule, limits in rules.items()]
        lines.append(f"- **{who}**: {'; '.join(told)}.")
    return "\n".join(lines)


def schema_rules() -> str:
    """Return the names of what lint finds by the schema of each API, which says them."""
    lines = []
    for provider in PROVIDERS:
        names = ", ".join(f"`{name}`" for name in schema_of(provider.name)["rules"])
        lines.append(f"- **{provider.label}**: {names}.")
    return "\n".join(lines)


def repair_trials() -> str:
    head = (
        "what was broken",
        "the checker said",
        "rules that mended it",
        "the checker says after it",
    )
    return markdown(head, repair_trials_rows())


def http_runs() -> str:
    """Return a line a library, its APIs together, of what was recorded where the libraries are
    installed; their tests keep it true."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for library, _, *figures in model_server.recorded_rows():
        found.setdefault(library, []).append(tuple(figures))
    rows = [
        (library, f"{len(runs)}", *(_span(cells) for cells in zip(*runs, strict=True)))
        for library, runs in found.items()
    ]
    library, _, *figures = model_server.HEAD
    return markdown((library, "APIs", *figures), rows)


def _span(cells: Sequence[str]) -> str:
    """Return from where to where the figures of several runs go."""
    ordered = sorted({*cells}, key=lambda cell: int(cell.replace(",", "")))
    return "–".join(dict.fromkeys((ordered[0], ordered[-1])))


def options_of(name: str) -> str:
    """Return the call of a command, which options of several commands it takes, and its own."""
    if name == man_page.SHARED:
        return _shared_options()
    repeated = repeated_options()
    every = man_page.option_rows(name)
    shared = [names for names, _ in man_page.option_rows(man_page.SHARED)]
    own = [row for row in every if row not in repeated and not _is_told(row)]
    own = [row for row in own if row[0] not in shared]
    parser = man_page.parser_named(name)
    titles = man_page.group_titles(parser)
    taken = [f"*{title}*" for group, title in _GROUPS.items() if group in titles]
    taken += ["`--json`"] if "--json" in parser._option_string_actions else []
    taken += [f"`{row[0].split()[0].rstrip(',')}`" for row in every if row in repeated]
    also = f"; also {', '.join(taken)}" if taken else ""
    synopsis = f"`{parser.synopsis().removesuffix(' [options]')}`{also}"
    return f"{synopsis}\n\n{_option_list(own)}" if own else synopsis


_GROUPS = {"about the settings": "settings", "about the transcript": "transcript"}
"""The groups of options that commands share, and by which word the page names them."""


def _shared_options() -> str:
    groups = man_page.shared_rows()
    parts = [f"Every command takes:\n\n{_option_list(groups[GENERAL])}"]
    for group, title in _GROUPS.items():
        told = _option_list(groups[group])
        parts.append(f"Commands marked *{title}* also take:\n\n{told}")
    told = _option_list(repeated_options())
    parts.append(f"These are named by each command that takes them:\n\n{told}")
    return "\n\n".join(parts)


def _option_list(rows: list[tuple[str, str]]) -> str:
    return "\n".join(f"- `{names}`: {about}" for names, about in rows)


_PLAIN_ARGUMENTS = ("FILE", "FILE|DIR", "NAME", "KEY")


def _is_told(row: tuple[str, str]) -> bool:
    """Return whether the call of a command, or the top of the page, says what an argument is."""
    names, about = row
    return names in _PLAIN_ARGUMENTS or about == "what to do"


def repeated_options() -> list[tuple[str, str]]:
    """Return the options that several commands have with the same meaning, besides those of their
    groups."""
    found = Counter(row for name in COMMAND_NAMES for row in man_page.option_rows(name))
    return [row for row, count in found.items() if count > 1 and row[0].startswith("-")]


def json_schemas() -> str:
    """Return the schema of every command, which explains its keys."""
    shown = []
    for command in JSON_COMMANDS:
        name = published(command)["properties"]["schema"]["const"]
        shown.append(f"[`{name}`](../schemas/{command}.json)")
    return ", ".join(shown) + "."


def attributed_words() -> str:
    """Return how well words are found that a summary gives to a person who did not say them."""
    return markdown(
        ("summaries", "half looked at", "half set aside"), list(table_rows())
    )


def losses_sentences() -> str:
    """Return what is said of one result of a sample, as every view says it."""
    printed = _printed(
        "compact resources/samples/fix-flaky-upload.jsonl --scope before:1 -s middle-out"
    )
    said = printed.partition("\nLosses\n")[2].splitlines()
    # the sentences, of which long ones go on in an indented line, end at the head of the table
    sentences = takewhile(
        lambda line: line.strip() and not line.startswith(" " * 8), said
    )
    return "> " + " ".join(line.strip() for line in sentences)


TABLES: Mapping[str, Callable[[], str]] = {
    "strategies": strategies,
    "presets": partial(strategies, are_presets=True),
    "settings": settings,
    "formats": formats,
    "fixes": fixes,
    "http-runs": http_runs,
    "api-signatures": api_signatures,
    "engine": engine,
    "events": events,
    "fact-kinds": fact_kinds,
    "attributed-words": attributed_words,
    "losses-sentences": losses_sentences,
    "destinations": destinations,
    "repair-rules": repair_rules,
    "provider-limits": provider_limit_lines,
    "schema-rules": schema_rules,
    "repair-trials": repair_trials,
    "json-schemas": json_schemas,
    **MEASURED,
}


_FACTS = re.compile(r"(<!-- facts (\S+) -->\n).*?(\n?<!-- /facts -->)", re.DOTALL)
_OPTIONS = re.compile(r"(<!-- options (.+?) -->\n).*?(\n?<!-- /options -->)", re.DOTALL)
_DURATION = re.compile(r"  +(?:\d+ ms|\d+\.\d+ s)$|  +time$", re.MULTILINE)
"""What differs from run to run in the output of a command: the last column of a table, its width
included."""

_RUN = re.compile(r"<!-- run (.+?) -->\n.*?<!-- /run -->", re.DOTALL)


def _masked(match: re.Match[str]) -> str:
    return "    time" if match[0].endswith("time") else "  ··· ms"


COLUMNS = 80
_SHOWN = re.compile(r" # (?:(?P<columns>\d+) columns ?)?(?:to (?P<end>.+))?$")
"""Behind a command: on which terminal it is run, and the line in front of which its output ends."""


def _ran(match: re.Match[str]) -> str:
    shown = _SHOWN.search(match[1])
    command = match[1][: shown.start()] if shown else match[1]
    columns = int(shown["columns"] or COLUMNS) if shown else COLUMNS
    printed = _printed(command, columns)
    if shown and shown["end"]:
        before = re.split(rf"\n *{re.escape(shown['end'])}", printed, maxsplit=1)[0]
        printed = f"{before.rstrip()}\n…"
    block = f"```console\n$ foldline {command}\n{printed}\n```"
    return f"<!-- run {match[1]} -->\n{block}\n<!-- /run -->"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class _Errors(io.StringIO):
    """Standard error, which is shown where it was written, without progress."""

    def __init__(self, shown: io.StringIO) -> None:
        super().__init__()
        self._shown = shown

    def write(self, text: str) -> int:
        return self._shown.write(text)


@contextmanager
def _terminal_of(columns: int) -> Iterator[None]:
    kept = dict(os.environ)
    os.environ |= {"COLUMNS": str(columns), "NO_COLOR": "1"}
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def _printed(command: str, columns: int = COLUMNS) -> str:
    """Return what a command prints on a terminal."""
    out = _Terminal()
    with (
        _terminal_of(columns),
        chdir(ROOT),
        redirect_stdout(out),
        redirect_stderr(_Errors(out)),
    ):
        run_command_line(shlex.split(command))
    return _DURATION.sub(_masked, out.getvalue().rstrip())


def filled_tables(text: str) -> str:
    text = _RUN.sub(_ran, text)
    text = _FACTS.sub(
        lambda match: f"{match[1]}{facts_of(match[2])}\n{match[3].lstrip()}", text
    )
    text = _OPTIONS.sub(
        lambda match: f"{match[1]}{options_of(match[2])}\n{match[3].lstrip()}", text
    )
    for name, make in TABLES.items():
        if f"<!-- {name} -->" in text:
            text = with_block(text, name, make())
    return text


if __name__ == "__main__":
    man_page.PAGE.write_text(man_page.page(), "utf-8")
    for document in DOCUMENTS:
        path = ROOT / document
        path.write_text(filled_tables(path.read_text("utf-8")), "utf-8")
