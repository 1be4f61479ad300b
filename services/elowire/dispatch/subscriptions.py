"""A subscription: who receives what, where, and signed with which secrets; those are never shown."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    SecretStr,
    ValidationError,
    field_serializer,
)

from elowire.contracts.faults import field_faults
from elowire.contracts.fields import broken
from elowire.dispatch.filters import Filters
from elowire.dispatch.signatures import check_secret

NAME = r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?"
MOST_SUBSCRIPTIONS = 200
"""Each may have a few requests under way at once, and all of them together must fit into one process."""

MOST_SECRETS = 5


class Refusal(NamedTuple):
    """Why something asked for is not done: `field` (empty: the whole), what is wrong, expected, to do."""

    field: str
    problem: str
    expected: str
    advice: str


class RefusedError(ValueError):
    """What was asked for cannot be done; the message is a sentence for the user."""

    def __init__(self, problem: str, *, field: str = "", expected: str = "", advice: str = "") -> None:
        self.refusal = Refusal(field, problem, expected, advice)
        sentence = f"{field}: {problem}" if field else problem
        if expected:
            sentence += f"; expected {expected}"
        super().__init__(f"{sentence}. {advice}" if advice else sentence)


class UnknownSubscriptionError(RefusedError):
    """There is no subscription, or no delivery, of that name."""


def _name(text: str) -> str:
    if not re.fullmatch(NAME, text):
        raise broken(
            "",
            "1 to 64 small letters, digits and hyphens, such as club-site",
            "Choose a name; it is how you speak of the subscription later.",
        )
    return text


def _secret(secret: SecretStr) -> SecretStr:
    try:
        check_secret(secret.get_secret_value())
    except ValueError as problem:
        raise broken(
            "",
            str(problem).removeprefix("expected "),
            "Leave the secret out to have one made, which is shown once.",
        ) from None
    return secret


Name = Annotated[str, AfterValidator(_name)]
GivenSecret = Annotated[SecretStr, AfterValidator(_secret)]


class State(StrEnum):
    """Whether deliveries go out. What waits for a disabled one is held, not lost."""

    ACTIVE = "active"
    DISABLED = "disabled"


class Secret(BaseModel):
    """One secret; `until` is when it ends, None while it is the newest."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    secret: GivenSecret
    added: AwareDatetime
    until: AwareDatetime | None = None

    @field_serializer("secret", when_used="json")
    def _written(self, secret: SecretStr) -> str:
        return secret.get_secret_value()


class Secrets(BaseModel):
    """The secrets of a subscription, newest first."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    secrets: tuple[Secret, ...]

    def in_force(self, now: datetime) -> tuple[str, ...]:
        """Give the secrets that sign at a time, newest first."""
        return tuple(
            one.secret.get_secret_value() for one in self.secrets if one.until is None or one.until > now
        )

    def rotated(self, secret: Secret, *, overlap: timedelta) -> Self:
        """Put a new secret first; those before it sign for `overlap` longer."""
        until = secret.added + overlap
        older = [
            one.model_copy(update={"until": min(until, one.until or until)})
            for one in self.secrets
            if one.until is None or one.until > secret.added
        ]
        kept = [one for one in older if one.until is not None and one.until > secret.added]
        return self.model_copy(update={"secrets": (secret, *kept)[:MOST_SECRETS]})


class Wanted(BaseModel):
    """What somebody asks for with a new subscription."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: Name
    """How it is spoken of: small letters, digits and hyphens."""
    url: str
    """Where deliveries are posted to."""
    filters: Filters = Filters()
    """Which events are wanted; without any, every change of a live rating."""
    secret: GivenSecret | None = None
    """The secret that signs (`whsec_...`); without it one is made and shown once."""


class Change(BaseModel):
    """What is to be different with a subscription; what is left out stays."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str | None = None
    """The new address."""
    filters: Filters | None = None
    """The new filters, in place of all the old ones."""


class Subscription(NamedTuple):
    """A subscription as it stands. Times are milliseconds since 1970; `failures` are those in a row."""

    id: int
    name: str
    url: str
    filters: Filters
    secrets: Secrets
    state: State
    reason: str | None
    created_ms: int
    failures: int
    failing_since_ms: int | None
    rest_ms: int
    last_success_ms: int | None


def refused(problem: ValidationError, *, place: str = "") -> RefusedError:
    """Give what pydantic found as one sentence, without the value of a secret."""
    error = problem.errors(include_url=False)[0]
    field = ".".join([place, *map(str, error["loc"])]).strip(".")
    if "secret" in field:
        context = error.get("ctx", {})
        return RefusedError(
            "it is no secret of Standard Webhooks",
            field=field,
            expected=str(context.get("expected", "text")),
            advice=str(context.get("advice", "Leave it out to have one made.")),
        )
    if error["type"] == "extra_forbidden" and "filters" in error["loc"]:
        return RefusedError(
            "there is no such filter",
            field=field,
            expected=f"one of {', '.join(Filters.model_fields)}",
            advice="Correct its spelling or leave it out.",
        )
    fault = field_faults(problem)[0]
    named = f"{place}.{fault.field}".strip(".")
    said = fault.problem.removeprefix(fault.field).strip()
    return RefusedError(
        _of_subscriptions(said) or "it does not fit",
        field=named,
        expected=_of_subscriptions(fault.expected),
        advice=_of_subscriptions(fault.advice),
    )


def shown_filters(filters: Filters) -> dict[str, Any]:
    """Give the filters that are set, as data."""
    return filters.model_dump(mode="json", exclude_defaults=True) | {"kinds": [*map(str, filters.kinds)]}


def _of_subscriptions(words: str) -> str:
    """Say of a subscription what the contract's words say of an event."""
    return (
        words.replace("send the event again", "try again")
        .replace("a field of this event", "known here")
        .replace("the rest of the event", "the other filters")
        .replace("the fields of the contract", "the fields that the documentation names")
    )
