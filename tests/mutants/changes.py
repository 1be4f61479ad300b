"""The changes: every way in which one place of a module can be wrong, as (description, changed module)."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,  # codespell:ignore notin
    ast.NotIn: ast.In,  # codespell:ignore notin
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
}


def changes_of(source: str) -> Iterator[tuple[str, ast.Module]]:
    """Give every changed module; annotations, docstrings, texts and decorators stay as they are."""
    whole = ast.parse(source)
    # How a class is made (frozen, slots) is no regulation.
    decorators = {
        id(part)
        for node in ast.walk(whole)
        for decorator in getattr(node, "decorator_list", ())
        for part in ast.walk(decorator)
    }
    for place, node in enumerate(ast.walk(whole)):
        if id(node) in decorators:
            continue
        for number, change in enumerate(_changed(node)):
            copied = copy.deepcopy(whole)
            # The copy is walked in the same order, and holds the same change at the same place.
            target = list(ast.walk(copied))[place]
            list(_changed(target))[number][1](target)
            yield f"{getattr(node, 'lineno', 0)}: {_text(node)} -> {change[0]}", copied


def _changed(node: ast.AST) -> Iterator[tuple[str, object]]:  # noqa: C901 - a case for each kind of place
    match node:
        case ast.Constant(value=bool() as value):
            yield repr(not value), _set("value", not value)
        case ast.Constant(value=int() as value):
            yield repr(value + 1), _set("value", value + 1)
        case ast.Compare(ops=[op, *_]) if type(op) in _COMPARISONS:
            other = _COMPARISONS[type(op)]()
            yield type(other).__name__, _set("ops", [other, *node.ops[1:]])
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            other_op = _OPERATORS[type(op)]()
            yield type(other_op).__name__, _set("op", other_op)
        case ast.BoolOp(op=op):
            flipped = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield type(flipped).__name__, _set("op", flipped)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield (
                "without the sign",
                _set("op", ast.UAdd()) if isinstance(node.op, ast.USub) else _not_not(),
            )
        case ast.IfExp():
            yield "branches swapped", _swapped()
        case ast.Return(value=value) if value is not None and not _is_none(value):
            yield "None", _set("value", ast.Constant(None))
        case ast.Call(func=ast.Name(id="replace"), keywords=keywords) if len(keywords) > 1:
            for number in range(len(keywords)):
                yield f"without {keywords[number].arg}", _without_keyword(number)
        case _:
            return


def _set(name: str, value: object):
    def change(target: ast.AST) -> None:
        setattr(target, name, value)

    return change


def _swapped():
    def change(target: ast.AST) -> None:
        target.body, target.orelse = target.orelse, target.body

    return change


def _not_not():
    def change(target: ast.AST) -> None:
        target.operand = ast.UnaryOp(ast.Not(), target.operand)

    return change


def _without_keyword(number: int):
    def change(target: ast.AST) -> None:
        del target.keywords[number]

    return change


def _is_none(value: ast.AST) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _text(node: ast.AST) -> str:
    text = ast.unparse(node).splitlines()[0]

    return text if len(text) < 60 else f"{text[:57]}..."
