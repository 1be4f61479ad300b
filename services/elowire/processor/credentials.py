"""What Faust's consumer needs to get into a secured cluster: the settings' connection in Faust's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import faust
from faust.auth import OAuthCredentials

from elowire.runtime.security import connection

if TYPE_CHECKING:
    from faust.types.auth import CredentialsT

    from elowire.runtime.settings import Settings


def credentials_of(settings: Settings) -> CredentialsT | None:
    """Return Faust's `broker_credentials`; None where the cluster asks for none."""
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
