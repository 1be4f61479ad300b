"""`elowire topics plan|apply|acls`: the topics on a cluster, beside the catalogue, and who may use them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from elowire.cli.errors import Failure
from elowire.cli.output import FormatOption, print_rows
from elowire.contracts.access import Service
from elowire.contracts.access import acls as acls_of
from elowire.contracts.topics import CATALOGUE
from elowire.runtime import topics
from elowire.runtime.settings import Settings, load_settings

BootstrapOption = Annotated[
    str | None, typer.Option("--bootstrap", help="Kafka's address, HOST:PORT. [env: ELOWIRE_BOOTSTRAP]")
]
PartitionsOption = Annotated[
    int | None,
    typer.Option(min=1, max=1000, help="Partitions of every topic. [env: ELOWIRE_PARTITIONS]"),
]
ReplicationOption = Annotated[
    int | None,
    typer.Option(min=1, max=10, help="Copies of every record. [env: ELOWIRE_REPLICATION_FACTOR]"),
]
InsyncOption = Annotated[
    int | None,
    typer.Option(min=1, max=10, help="Copies that must confirm a record. [env: ELOWIRE_MIN_INSYNC]"),
]
_COLUMNS = {name: name for name in ("topic", "state", "setting", "expected", "found")}
_ACL_COLUMNS = {name: name for name in ("service", "operation", "resource", "name")}

commands = typer.Typer(
    help="Create the topics, and check that they are as this release needs them.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(commands, name="topics")


@commands.command()
def plan(
    *,
    bootstrap: BootstrapOption = None,
    partitions: PartitionsOption = None,
    replication_factor: ReplicationOption = None,
    min_insync: InsyncOption = None,
    form: FormatOption = None,
) -> None:
    """Compare the topics with the catalogue, change nothing; exit 1 when one is not as it should be.

    Example: elowire topics plan --bootstrap broker1:9092 --replication-factor 3 --min-insync 2
    """
    where, shape = _target(bootstrap, partitions, replication_factor, min_insync)
    differences = asyncio.run(topics.plan(where, shape=shape))
    print_rows(_rows(differences), _COLUMNS, form)
    drift = [difference for difference in differences if difference.verdict is topics.Verdict.DRIFT]
    if drift:
        raise Failure(str(topics.TopicDriftError(drift)))


@commands.command()
def apply(
    *,
    bootstrap: BootstrapOption = None,
    partitions: PartitionsOption = None,
    replication_factor: ReplicationOption = None,
    min_insync: InsyncOption = None,
    form: FormatOption = None,
) -> None:
    """Create the topics that are missing; change none that exists, and exit 1 when one differs.

    Example: elowire topics apply --bootstrap broker1:9092 --replication-factor 3 --min-insync 2
    """
    where, shape = _target(bootstrap, partitions, replication_factor, min_insync)
    try:
        created = asyncio.run(topics.apply(where, shape=shape))
    except (topics.TopicDriftError, topics.TopicRefusedError) as fault:
        raise Failure(str(fault)) from fault
    print_rows(_rows((), created), _COLUMNS, form)


@commands.command()
def acls(
    *,
    service: Annotated[Service | None, typer.Option(help="Of this service only.")] = None,
    shell: Annotated[
        bool,
        typer.Option("--shell", help="Print commands for kafka-acls.sh, for users named elowire-SERVICE."),
    ] = False,
    form: FormatOption = None,
) -> None:
    """Print the least that each service must be allowed in a secured cluster; asks no cluster.

    Topics and group are named as ELOWIRE_TOPIC_PREFIX and ELOWIRE_GROUP say.

    Example: elowire topics acls --service ticker --shell
    """
    settings = load_settings()
    found = [
        acl
        for acl in acls_of(prefix=settings.topic_prefix, group=settings.group)
        if service in {None, acl.service}
    ]
    if not shell:
        print_rows([acl._asdict() for acl in found], _ACL_COLUMNS, form)
        return
    for acl in found:
        typer.echo(
            f'kafka-acls.sh --bootstrap-server "$KAFKA" --command-config "$ADMIN" --add '
            f"--allow-principal User:elowire-{acl.service} --operation {acl.operation} "
            f"--{acl.resource} {acl.name}"
        )


def _target(
    bootstrap: str | None, partitions: int | None, replication_factor: int | None, min_insync: int | None
) -> tuple[Settings, topics.Shape]:
    """Return where to look and the shape to expect, from the flags and else from the environment."""
    settings = load_settings(
        bootstrap=bootstrap,
        partitions=partitions,
        replication_factor=replication_factor,
        min_insync=min_insync,
    )
    if settings.min_insync > settings.replication_factor:
        raise Failure(
            f"{settings.min_insync} copies must confirm a record, but there are only "
            f"{settings.replication_factor}. Give --min-insync at most the --replication-factor"
        )
    shape = topics.Shape(
        partitions=settings.partitions,
        replication_factor=settings.replication_factor,
        min_insync=settings.min_insync,
    )

    return settings, shape


def _rows(differences: Sequence[topics.Difference], created: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return a row for each difference, and one for each topic that has none."""
    rows: list[dict[str, Any]] = []
    for topic in CATALOGUE:
        own = [difference for difference in differences if difference.topic == topic.name]
        rows += [
            {
                "topic": difference.topic,
                "state": difference.verdict.value,
                "setting": difference.setting,
                "expected": difference.expected,
                "found": difference.found,
            }
            for difference in own
        ]
        if not own:
            state = "created" if topic.name in created else "ok"
            rows.append(
                {"topic": topic.name, "state": state, "setting": None, "expected": None, "found": None}
            )

    return rows
