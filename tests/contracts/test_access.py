"""The permissions cover what services do, and nothing else."""

from __future__ import annotations

import pytest

from elowire.contracts.access import READS, WRITES, Service, acls
from elowire.contracts.topics import CATALOGUE
from elowire.dispatch.readings import TOPICS as DISPATCHED
from elowire.processor.service import stages_of
from elowire.runtime.settings import load_settings
from elowire.ticker.asides import ASIDES
from elowire.ticker.board import TOPICS


def names(topics):
    return {topic.name for topic in topics}


def granted(service, operation):
    return {acl.name for acl in acls() if (acl.service, acl.operation) == (service, operation)}


def test_every_topic_is_written_by_a_service_and_read_by_one():
    served = [service for service in Service if service is not Service.OPERATOR]
    assert set().union(*(names(WRITES[service]) for service in served)) == names(CATALOGUE)
    assert set().union(*(names(READS[service]) for service in Service)) == names(CATALOGUE)


def test_the_processor_may_read_what_its_stages_read():
    stages = stages_of(load_settings())
    read = {topic for stage in stages for topic in (*stage.sources, stage.changelog) if topic}
    assert granted(Service.PROCESSOR, "Read") == read | {"elowire"}


def test_the_ticker_may_read_its_topics_and_write_nothing():
    assert granted(Service.TICKER, "Read") == {*TOPICS, *ASIDES}
    assert {acl.operation for acl in acls() if acl.service is Service.TICKER} == {"Read"}


def test_dispatch_may_read_its_topics_and_write_nothing():
    assert granted(Service.DISPATCH, "Read") == set(DISPATCHED)
    assert {acl.operation for acl in acls() if acl.service is Service.DISPATCH} == {"Read"}


@pytest.mark.parametrize("service", [Service.INGEST, Service.TICKER, Service.DISPATCH])
def test_what_is_internal_stays_with_the_processor(service):
    internal = {topic.name for topic in CATALOGUE if not topic.public}
    assert not internal & {acl.name for acl in acls() if acl.service is service}


def test_prefix_and_group_are_the_settings():
    found = acls(prefix="test-", group="mine")
    assert {acl.name for acl in found if acl.resource == "group"} == {"mine"}
    assert all(acl.name.startswith("test-") for acl in found if acl.resource == "topic")
    assert len(set(found)) == len(found) == len(acls())
