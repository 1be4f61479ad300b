"""Fail-stop: a process that cannot keep its promise ends at once, and the supervisor starts a new one."""

from __future__ import annotations

import logging
import os
from typing import NoReturn

from elowire.runtime.logs import get_logger

EXIT_STOPPED = 70  # EX_SOFTWARE of sysexits.h

_log = get_logger("elowire.processor")


def stop_process(reason: str, cause: BaseException | None = None) -> NoReturn:
    """Say why and exit with 70, without any clean-up: whatever is not durable by now is done again.

    No exception can be caught on the way and no hanging shutdown can delay it.
    """
    try:
        _log.critical("the process ends itself", reason=reason, cause=repr(cause) if cause else None)
        logging.shutdown()
    finally:
        os._exit(EXIT_STOPPED)
