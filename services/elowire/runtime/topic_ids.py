"""What Kafka calls a topic beside its name: an id, which a later topic of the same name does not share.

Source: KIP-516; metadata request version 12, which every broker from Kafka 3.1 on answers. The client
itself asks for older versions, which have no ids.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import IncompatibleBrokerVersion
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.types import (
    AbstractType,
    Boolean,
    CompactArray,
    CompactString,
    Int16,
    Int32,
    Schema,
    TaggedFields,
)

if TYPE_CHECKING:
    from collections.abc import Collection
    from io import BytesIO

_ID_BYTES = 16
_NO_ID = bytes(_ID_BYTES)


class AdminWithIds(AIOKafkaAdminClient):  # type: ignore[misc]  # aiokafka has no types
    """aiokafka's admin client, which also asks for the ids of topics."""

    async def topic_ids(self, topics: Collection[str]) -> dict[str, str]:
        """Return the ids as Kafka prints them; what does not exist or has no id is left out.

        Raises `KafkaError` like every question to a broker.
        """
        if not topics:
            return {}
        try:
            answer = await self._send_request(_AskForIds(sorted(topics)))
        except (IncompatibleBrokerVersion, NotImplementedError):  # the client's ways to say: too old
            return {}

        return {
            name: urlsafe_b64encode(topic_id).rstrip(b"=").decode()
            for _, name, topic_id, *_ in answer.topics
            if name is not None and topic_id != _NO_ID
        }


class _Id(AbstractType):  # type: ignore[misc]  # aiokafka has no types
    @classmethod
    def encode(cls, value: bytes) -> bytes:
        return value

    @classmethod
    def decode(cls, data: BytesIO) -> bytes:
        return data.read(_ID_BYTES)


class _Answer(Response):  # type: ignore[misc]  # aiokafka has no types
    API_KEY = 3
    API_VERSION = 12
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "brokers",
            CompactArray(
                ("node_id", Int32),
                ("host", CompactString("utf-8")),
                ("port", Int32),
                ("rack", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("cluster_id", CompactString("utf-8")),
        ("controller_id", Int32),
        (
            "topics",
            CompactArray(
                ("error_code", Int16),
                ("name", CompactString("utf-8")),
                ("topic_id", _Id),
                ("is_internal", Boolean),
                (
                    "partitions",
                    CompactArray(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", CompactArray(Int32)),
                        ("isr", CompactArray(Int32)),
                        ("offline_replicas", CompactArray(Int32)),
                        ("tags", TaggedFields),
                    ),
                ),
                ("authorized_operations", Int32),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _Question(RequestStruct):  # type: ignore[misc]  # aiokafka has no types
    API_KEY = 3
    API_VERSION = 12
    FLEXIBLE_VERSION = True
    RESPONSE_TYPE = _Answer
    SCHEMA = Schema(
        (
            "topics",
            CompactArray(("topic_id", _Id), ("name", CompactString("utf-8")), ("tags", TaggedFields)),
        ),
        ("allow_auto_topic_creation", Boolean),
        ("include_topic_authorized_operations", Boolean),
        ("tags", TaggedFields),
    )


class _AskForIds(Request[_Question]):  # type: ignore[misc]  # aiokafka has no types
    API_KEY = 3

    def __init__(self, topics: list[str]) -> None:
        self._topics = topics

    def build(self, request_struct_class: type[_Question]) -> _Question:
        wanted: list[tuple[bytes, str, dict[int, bytes]]] = [(_NO_ID, name, {}) for name in self._topics]
        create_by_asking = permissions = False

        return request_struct_class(wanted, create_by_asking, permissions, {})
