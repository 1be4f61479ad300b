"""Options of `elowire subscriptions`: filters as they are typed, and the file that everything is kept in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from pydantic import BaseModel, SecretStr, ValidationError

from elowire.cli.errors import Failure
from elowire.cli.output import Format, chosen, console, print_json
from elowire.cli.plain import plain
from elowire.dispatch.desk import egress_of, told_egress
from elowire.dispatch.egress import Egress
from elowire.dispatch.service_lock import is_running
from elowire.dispatch.store import Store, StoreError, open_store
from elowire.dispatch.subscriptions import RefusedError, refused
from elowire.runtime.settings import load_settings

Model = TypeVar("Model", bound=BaseModel)
DataOption = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="Data directory. [env: ELOWIRE_DATA_DIR]")
]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The subscription.")]
PlayersOption = Annotated[
    list[str] | None, typer.Option("--player", metavar="ID", help="This player; may be given again.")
]
TournamentsOption = Annotated[
    list[str] | None, typer.Option("--tournament", metavar="ID", help="This tournament; may be given again.")
]
FederationsOption = Annotated[
    list[str] | None,
    typer.Option("--federation", metavar="NOR", help="Players of this federation; may be given again."),
]
TimeControlsOption = Annotated[
    list[str] | None,
    typer.Option("--time-control", help="standard, rapid or blitz; may be given again."),
]
KindsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        help="live-rating (the default), rated-game, tournament-rating, reconciliation; may be given again.",
    ),
]
CausesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cause",
        help="What changed a live rating: game, correction, annulment, resolution, list, base-correction or "
        "facts; may be given again.",
    ),
]
MinChangeOption = Annotated[
    str | None,
    typer.Option(metavar="POINTS", help='Only moves of the rating by so much or more, such as "2.5".'),
]
SecretFileOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Sign with the whsec_ secret in this file; else one is made and shown."
    ),
]
_FLAGS = {
    "filters.players": "--player",
    "filters.tournaments": "--tournament",
    "filters.federations": "--federation",
    "filters.time_controls": "--time-control",
    "filters.kinds": "--kind",
    "filters.causes": "--cause",
    "filters.min_change": "--min-change",
}


def filters_of(
    players: Sequence[str] | None,
    tournaments: Sequence[str] | None,
    federations: Sequence[str] | None,
    time_controls: Sequence[str] | None,
    kinds: Sequence[str] | None,
    causes: Sequence[str] | None,
    min_change: str | None,
) -> dict[str, Any]:
    """Give the filters that were typed, as data; empty where none was."""
    said = {
        "players": players,
        "tournaments": tournaments,
        "federations": federations,
        "time_controls": time_controls,
        "kinds": kinds,
        "causes": causes,
        "min_change": min_change,
    }
    return {name: value for name, value in said.items() if value}


def read_as(model: type[Model], said: dict[str, Any]) -> Model:
    """Read what was typed as a model. Raises `Failure` that names the flag."""
    try:
        return model.model_validate(said)
    except ValidationError as problem:
        refusal = refused(problem).refusal
        field = ".".join(part for part in refusal.field.split(".") if not part.isdecimal())
        named = RefusedError(
            refusal.problem, field=_FLAGS.get(field, field), expected=refusal.expected, advice=refusal.advice
        )
        raise Failure(str(named)) from None


def secret_in(path: Path | None) -> SecretStr | None:
    """Read a secret from a file. Raises `Failure`."""
    if path is None:
        return None
    try:
        return SecretStr(path.read_text("utf-8").strip())
    except (OSError, UnicodeDecodeError) as fault:
        why = getattr(fault, "strerror", None) or "it is no text"
        raise Failure(f"--secret-file {path} cannot be read: {why}") from None


def time_of(text: str | None, flag: str) -> datetime | None:
    """Read a time as people write it; without a zone it is UTC. Raises `Failure`."""
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise Failure(f"{flag}: {text!r} is no time; give it as YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


@contextmanager
def opened(data: Path | None) -> Iterator[Store]:
    """Open the file for one command; what is refused is a `Failure`."""
    try:
        store = open_store(load_settings(data_dir=data).data_dir)
    except StoreError as problem:
        raise Failure(str(problem)) from None
    try:
        yield store
    except RefusedError as problem:
        raise Failure(str(problem)) from None
    finally:
        store.close()


def egress_here(store: Store) -> Egress:
    """Give what the service opens, or would open with these settings while it has never run."""
    return told_egress(store, egress_of(load_settings()))


def require_running(store: Store) -> None:
    """Refuse to wait for a service that does not run. Raises `Failure`."""
    if not is_running(store.path.parent):
        raise Failure(
            f"dispatch does not run on {store.path.parent}; start it with `elowire up` or `elowire dispatch` "
            "on the same data directory"
        )


def print_facts(facts: dict[str, Any], form: Format | None) -> None:
    """Print one thing: as JSON, or a line for each of its facts."""
    if chosen(form) is Format.JSON:
        print_json(facts)
        return
    for name, said in facts.items():
        if said is not None:
            line = f"{name.replace('_', ' '):<18} {plain(shown_value(said))}"
            console().print(line, markup=False, soft_wrap=True)


def shown_value(said: object) -> str:
    """Write a value as people read it."""
    if isinstance(said, dict):
        return "; ".join(f"{name.replace('_', ' ')}: {shown_value(one)}" for name, one in said.items())
    return ", ".join(map(str, said)) if isinstance(said, list) else str(said)


def say(sentence: str) -> None:
    """Say something beside the data, on standard error."""
    console(errors=True).print(sentence, markup=False, soft_wrap=True)
