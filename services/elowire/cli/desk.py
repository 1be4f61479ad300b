"""What an operator's commands share: the topics, ingest's file, and his name."""

from __future__ import annotations

import os
import pwd
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer

from elowire.cli.errors import Failure
from elowire.contracts.envelope import EventRecord
from elowire.ingest.book import FILE as BOOK
from elowire.ingest.corrections_work import Desk, Word
from elowire.ingest.service_store import FILE as STORE
from elowire.ingest.service_store import Store, StoreError
from elowire.runtime import clock
from elowire.runtime.data_dir import open_data_dir
from elowire.runtime.kafka import ConfirmedProducer, OutRecord
from elowire.runtime.settings import load_settings

TournamentOption = Annotated[str, typer.Option("--tournament", metavar="ID", help="The tournament's id.")]
WhyOption = Annotated[str, typer.Option("--why", help="The reason; it is kept with the correction.")]
ByOption = Annotated[
    str | None, typer.Option("--by", metavar="WHO", help="Who says it; default: your login name.")
]
BootstrapOption = Annotated[
    str | None, typer.Option("--bootstrap", metavar="HOST:PORT", help="Kafka. [env: ELOWIRE_BOOTSTRAP]")
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="Data directory of ingest. [env: ELOWIRE_DATA_DIR]"),
]


@asynccontextmanager
async def open_desk(bootstrap: str | None, data: Path | None) -> AsyncIterator[tuple[Desk, Path]]:
    """Give the desk and the path of the rating book; Kafka is connected when something is sent first."""
    settings = load_settings(bootstrap=bootstrap, data_dir=data)
    folder = open_data_dir(settings.data_dir)
    try:
        store = Store(folder / STORE)
    except StoreError as problem:
        raise Failure(str(problem)) from None

    async def send(records: list[EventRecord]) -> None:
        async with ConfirmedProducer(settings) as producer:
            await producer.send_all(OutRecord(*record) for record in records)

    try:
        yield Desk(settings, store, send, clock.now), folder / BOOK
    finally:
        store.close()


def word(by: str | None, why: str) -> Word:
    """Give who says it and why. Raises `Failure` for an empty reason."""
    if not why.strip():
        raise Failure("--why is empty; say in a few words why the correction is right")
    return Word(by or pwd.getpwuid(os.getuid()).pw_name, why.strip())
