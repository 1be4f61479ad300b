"""A Faust agent as Faust's manual writes it: a table, `topic.send` for each event, Faust's own commits.

Nothing is confirmed: the agent goes on before the broker has the output or the change of the table.
"""

from __future__ import annotations

import faust

from tests.bench.peers import ledger
from tests.bench.peers.job import Job, job_of


def app_of(job: Job) -> faust.App:
    """Wire the application."""
    app = faust.App(
        job.group,
        broker=f"kafka://{job.bootstrap}",
        datadir=job.folder,
        topic_partitions=job.partitions,
        web_enabled=False,
        consumer_auto_offset_reset="earliest",
    )
    raw = {"key_type": bytes, "value_type": bytes, "key_serializer": "raw", "value_serializer": "raw"}
    source = app.topic(job.source, **raw)
    outputs = app.topic(job.outputs, **raw)
    table = app.Table("ledger", key_type=bytes, value_type=bytes, partitions=job.partitions)

    @app.agent(source)
    async def rate(stream: faust.StreamT[bytes]) -> None:
        async for key, value in stream.items():
            emitted, states = ledger.apply([(key, value)], table)
            for player, output in emitted:
                await outputs.send(key=player, value=output)
            for player, state in states.items():
                table[player] = state

    return app


if __name__ == "__main__":
    faust.Worker(app_of(job_of()), loglevel="WARNING").execute_from_commandline()
