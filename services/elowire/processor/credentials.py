"""How a processor gets into its cluster: Faust's credentials, and a look whether they open the door."""

from __future__ import annotations

from typing import TYPE_CHECKING

import faust
from aiokafka.errors import GroupAuthorizationFailedError, KafkaError
from faust.auth import OAuthCredentials

from elowire.runtime.kafka import ConfirmedProducer, KafkaForbiddenError, TopicMissingError, admin_client
from elowire.runtime.security import connection, is_secured

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faust.types.auth import CredentialsT

    from elowire.processor.stage import Stage
    from elowire.runtime.settings import Settings


def credentials_of(settings: Settings) -> CredentialsT | None:
    """Return the settings' connection as Faust's `broker_credentials`; None where nobody asks for any."""
    arguments = connection(settings)
    context = arguments.get("ssl_context")
    if (mechanism := arguments.get("sasl_mechanism")) is None:
        return None if context is None else faust.SSLCredentials(context)
    if (provider := arguments.get("sasl_oauth_token_provider")) is not None:
        return OAuthCredentials(oauth_cb=provider, ssl_context=context)

    return faust.SASLCredentials(
        username=arguments["sasl_plain_username"],
        password=arguments["sasl_plain_password"],
        ssl_context=context,
        mechanism=mechanism,
    )


async def require_entry(settings: Settings, stages: Sequence[Stage]) -> None:
    """Return if the cluster lets us in, to the group and every topic of the stages, and lets us write.

    Faust's consumer would wait for ever where it is not allowed to read. Raises `KafkaUnreachableError`,
    `KafkaForbiddenError` or `TopicMissingError`.
    """
    async with admin_client(settings) as admin:
        if not is_secured(settings):
            return
        known = await admin.list_topics()
        wanted = {topic for stage in stages for topic in (*stage.sources, stage.changelog) if topic}
        if hidden := sorted(wanted.difference(known)):
            raise TopicMissingError.named(hidden, secured=True)
        try:
            await admin.list_consumer_group_offsets(settings.group)
        except GroupAuthorizationFailedError as fault:
            raise KafkaForbiddenError.to("join", f"group {settings.group}") from fault
        except KafkaError as fault:
            if not fault.retriable:  # a new cluster has no coordinator yet
                raise
        async with ConfirmedProducer(settings):
            pass
