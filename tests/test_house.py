"""Limits of the source: how values are made, docstrings of modules, pins of dependencies."""

import ast
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from packaging.requirements import Requirement

from tests.support.source_tree import ROOT, files, name_of, tree
from tests.tools.house_figures import (
    decisions,
    dense_share,
    field_counts,
    figures,
    foreign_pages,
    length,
    long_calls,
    nested_conditionals,
    readings_of_words,
    searched_text,
    values_by_position,
    wide_values,
)

LONG_CALLS = 0
WIDE_VALUES = 2
"""Calls with seven positional arguments and more, and values above 15 fields: both are only ever
lowered."""

READ_WORDS = {
    "core/presentation/verdict.py": 1,
    "gui/inspect/inspector/text_view.py": 1,
    "gui/inspect/lists/cells.py": 1,
    "gui/widgets/pickers.py": 2,
}
"""Files that look into words which another module made, with how often: only ever lowered."""

DENSE_SHARE = 1.9
"""Percent of the functions that decide more than ten times: only ever lowered."""

CODE = files("core", "gui")
TESTS = files("tests")


def test_the_contributing_page_shows_the_house_beside_others() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    row = next(
        line for line in text.splitlines() if line.startswith("| **Foldline** |")
    )
    shown, ours = (
        [float(one.replace(",", "")) for one in re.findall(r"[\d,]+(?:\.\d+)?", text)]
        for text in (row, " ".join(figures().values()))
    )
    assert len(shown) == len(ours)
    assert [
        (a, b) for a, b in zip(shown, ours, strict=True) if abs(a - b) > 0.15 * b + 2
    ] == []


def test_a_value_above_six_fields_is_made_by_keyword() -> None:
    assert values_by_position() == []


def test_long_calls_and_wide_values_do_not_become_more() -> None:
    calls, wide = long_calls(), wide_values()
    assert len(calls) <= LONG_CALLS, calls
    assert len(wide) <= WIDE_VALUES, wide


def test_fields_before_the_marker_go_by_position() -> None:
    heads = ("@dataclass(frozen=True)", "@dataclass(kw_only=True)")
    body = "a: int\n b: ClassVar[int] = 0\n c: int = 0\n _: KW_ONLY\n d: int = 0"
    made = [ast.parse(f"{head}\nclass One:\n {body}").body[0] for head in heads]
    assert [field_counts(one) for one in made if isinstance(one, ast.ClassDef)] == [
        (3, 2),
        (3, 0),
    ]


def test_every_file_says_in_its_first_line_what_it_is_for() -> None:
    silent = [
        name_of(path)
        for path in CODE + TESTS
        if length(path) and not ast.get_docstring(tree(path))
    ]
    assert silent == []


def test_nothing_tells_of_the_machine_that_it_was_written_on() -> None:
    places = (
        *CODE,
        *ROOT.glob("*.*"),
        *(ROOT / "resources" / "help").rglob("*.md"),
        *(ROOT / ".github").rglob("*.*"),
        *ROOT.glob("prompts/**/*.md"),
    )
    told = re.compile(r"/root/|/work/|/Users/|\.\./shared|file:///")
    written = [path for path in places if path.is_file() and path.name != ".git"]
    assert [
        name_of(path) for path in written if told.search(path.read_text("utf-8"))
    ] == []


def test_no_source_refers_to_a_page_elsewhere_or_to_a_numbered_section_of_one() -> None:
    """The pages of the help have no numbers: a requirement id stands there, or the reason
    itself."""
    sources = (*CODE, *TESTS, *(ROOT / "core").rglob("*.toml"))
    page = re.compile(r"\b\w+\.md,?\s(?:section|§)")
    assert [
        name_of(path) for path in sources if page.search(path.read_text("utf-8"))
    ] == []
    assert foreign_pages() == []


def test_every_direct_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(one for extra in extras for one in extra)]
    pinned = set(
        re.findall(
            r"^(\S+)==\d", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE
        )
    )
    assert {re.split(r"[<>=]", one)[0] for one in wanted} == pinned


def test_every_promised_python_has_one_allowed_pin_per_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    for version in re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"])):
        for wanted in applying(map(Requirement, project["dependencies"]), version):
            (pin,) = (one for one in applying(pins, version) if one.name == wanted.name)
            (exact,) = pin.specifier
            assert exact.version in wanted.specifier, f"{pin} on Python {version}"


def applying(requirements: Iterable[Requirement], version: str) -> list[Requirement]:
    """Return those whose marker holds on that Python."""
    here = {"python_version": version}
    return [
        one for one in requirements if one.marker is None or one.marker.evaluate(here)
    ]


def test_functions_with_many_decisions_do_not_become_more() -> None:
    assert round(dense_share(), 1) <= DENSE_SHARE


def test_no_conditional_expression_stands_inside_another() -> None:
    assert nested_conditionals(CODE) == []


def test_no_further_module_reads_words_of_another() -> None:
    found = readings_of_words(files("core/presentation", "gui"))
    counts = Counter(place.partition(":")[0] for place in found)
    assert {name: n for name, n in counts.items() if n > READ_WORDS.get(name, 0)} == {}


def test_a_text_is_read_by_a_method_or_by_in() -> None:
    code = "a.split(' · ')\n'$' in a\na.split(',')\n' · '.join(a)"
    searched = [searched_text(statement.value) for statement in expressions(code)]
    assert searched == [" · ", "$", ",", ""]


def test_a_set_of_kinds_or_flags_has_one_name() -> None:
    names = defaultdict[frozenset[str], list[str]](list)
    for path in CODE:
        for name, members in enum_sets(tree(path)):
            names[members].append(f"{name_of(path)}: {name}")
    assert [places for places in names.values() if len(places) > 1] == []


def enum_sets(module: ast.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the constants of a module that are made of two members of enums or more."""
    parts = ast.Tuple, ast.List, ast.Set, ast.BinOp, ast.operator, ast.Call
    names = ast.Attribute, ast.Name, ast.expr_context
    for statement in module.body:
        if not isinstance(statement, ast.Assign):
            continue
        nodes = list(ast.walk(statement.value))
        members = [
            ast.unparse(one)
            for one in nodes
            if isinstance(one, ast.Attribute) and one.attr.isupper()
        ]
        if len(members) > 1 and all(isinstance(one, parts + names) for one in nodes):
            yield ast.unparse(statement.targets[0]), frozenset(members)


def test_the_codes_of_fates_stand_in_one_place() -> None:
    found = [
        f"{name_of(path)}:{one.lineno}"
        for path in CODE
        for one in ast.walk(tree(path))
        if isinstance(one, ast.Call)
        and ast.unparse(one).startswith(("FATES.index('", "KINDS.index('system"))
    ]
    assert found == [one for one in found if one.startswith("core/presentation/model")]


def test_members_are_a_set_in_any_order_and_form() -> None:
    code = (
        "a = K.X, K.Y\nb = frozenset([K.Y, K.X])\nc = K.X | K.Y\nd = {K.X: 1, K.Y: 2}"
    )
    both = frozenset(["K.X", "K.Y"])
    assert list(enum_sets(ast.parse(code))) == [("a", both), ("b", both), ("c", both)]


def test_a_long_pattern_is_written_once() -> None:
    found = Counter(one for path in CODE for one in patterns(tree(path)))
    assert [text for text, count in found.items() if count > 1] == []


_LONG_PATTERN = 10  # characters; shorter ones tell nothing


def patterns(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        first = node.args[0]
        if ast.unparse(node.func).startswith("re.") and isinstance(first, ast.Constant):
            text = str(first.value)
            if len(text) >= _LONG_PATTERN:
                yield text


def expressions(code: str) -> list[ast.Expr]:
    return [one for one in ast.parse(code).body if isinstance(one, ast.Expr)]


def test_a_decision_is_a_branch_a_loop_a_condition_or_a_term() -> None:
    body = (
        "def f(a, b):\n if a and b: return [x for x in a if x]\n return a if b else b"
    )
    assert decisions(ast.parse(body)) == 5
