"""What is wrong with an event, in plain words: the field, what was expected there, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from elowire.contracts.fields import FIRST_DAY, LAST_DAY, PATTERN_WORDS, RULE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

SHOWN_VALUE = 60


class FieldFault(NamedTuple):
    """One thing that is wrong: `field` is a dotted path ("white.rating"), empty for the whole event."""

    field: str
    problem: str
    expected: str
    advice: str


def field_faults(error: ValidationError) -> tuple[FieldFault, ...]:
    """Return everything that pydantic found wrong, in its order, in plain words."""
    return tuple(_fault(found) for found in error.errors(include_url=False))


def _fault(found: ErrorDetails) -> FieldFault:
    context: Mapping[str, Any] = found.get("ctx", {})
    path = [str(step) for step in found["loc"]]
    if found["type"] == RULE:
        field = ".".join([*path, context["field"]]).rstrip(".")
        alone = context["field"] == ""
        problem = (
            f"{field} is {shown(found['input'])}" if alone else f"{field} does not fit the rest of the event"
        )
        return FieldFault(field, problem, context["expected"], context["advice"])

    field = ".".join(path)
    if found["type"] == "missing":
        return FieldFault(field, f"{field} is missing", "a value", f"Add the field {path[-1]}.")
    if found["type"] == "extra_forbidden":
        return FieldFault(
            field,
            f"{field} is not a field of this event",
            "only the fields of the contract",
            "Correct its spelling or leave it out.",
        )

    return FieldFault(
        field,
        f"{field or 'the event'} is {shown(found['input'])}",
        _expected(found["type"], context, found["msg"]),
        _advice(path, context),
    )


def _advice(path: list[str], context: Mapping[str, Any]) -> str:
    if _is_day(context):
        return "Correct the day; no edition of the rating regulations that is known here covers it."

    return _ADVICE.get(path[-1] if path else "", _GENERAL_ADVICE)


def _is_day(context: Mapping[str, Any]) -> bool:
    """Whether the bound that was broken is a day; pydantic writes those as text."""
    return isinstance(context.get("ge", context.get("le")), str)


def shown(value: object) -> str:
    """Return a value as it may stand in a sentence: never longer than a line."""
    text = repr(value)

    return text if len(text) <= SHOWN_VALUE else f"{text[: SHOWN_VALUE - 3]}..."


def _expected(kind: str, context: Mapping[str, Any], message: str) -> str:
    if kind == "string_pattern_mismatch":
        return PATTERN_WORDS[context["pattern"]]
    if kind == "enum":
        return f"one of {context['expected']}"
    if _is_day(context):
        return f"a day from {FIRST_DAY} to {LAST_DAY}"
    words = _EXPECTED.get(kind)

    return message if words is None else words.format(**context)


_EXPECTED = {
    "bool_type": "true or false",
    "date_from_datetime_inexact": "a day as YYYY-MM-DD, without a time",
    "date_from_datetime_parsing": "a day as YYYY-MM-DD",
    "date_parsing": "a day as YYYY-MM-DD",
    "date_type": "a day as YYYY-MM-DD",
    "greater_than_equal": "{ge} or more",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number of ordinary size",
    "int_type": "a whole number",
    "less_than": "a number below {lt}",
    "less_than_equal": "{le} or less",
    "model_type": "an object",
    "string_too_long": "at most {max_length} characters",
    "string_too_short": "at least {min_length} character",
    "string_type": "a string",
}

_GENERAL_ADVICE = "Correct the value and send the event again."
_RATING_ADVICE = "Leave the rating out while it is not known; a player without one has no rating, not 0."

_ADVICE = {
    "revision": "Send a whole number that grows with every change, such as the event time in milliseconds.",
    "rating": _RATING_ADVICE,
    "own_rating": _RATING_ADVICE,
    "k": "Leave k out where it is not known; it is then taken from the list or derived.",
    "sum_change": "Send the sum before K as a string in hundredths; a number would lose exactness.",
    "round": "Leave the round out where it is not known.",
    "board": "Leave the board out where it is not known.",
}
