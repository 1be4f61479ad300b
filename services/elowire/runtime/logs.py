"""Logging: JSON lines in production, readable lines on a terminal, always on standard error."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, cast

import orjson
import structlog

if TYPE_CHECKING:
    from structlog.typing import EventDict, FilteringBoundLogger, Processor

    from elowire.runtime.settings import Settings

# What aiokafka calls an error and then cures by itself, for example while a new topic gets its leaders.
_CURED = (
    "Got error produce response",
    "Failed fetch offsets from",
    "Topic %s not found in cluster metadata",
    "Group Coordinator Request failed",
)
# A client without a broker says the same ten times a second: once is enough for so long.
_REPEATED_S = 30.0
_MOST_KEPT = 200
# Their INFO lines tell about the client's inner life; the services log what matters of it themselves.
_TALKATIVE = ("aiokafka", "faust", "mode", "asyncio", "aiohttp.access", "uvicorn.access", "urllib3")


def configure(settings: Settings) -> None:
    """Send the program's and its libraries' log lines to standard error in the chosen format."""
    json = settings.log_format == "json" or (settings.log_format == "auto" and not sys.stderr.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        _without_colours,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    last: list[Processor] = (
        [
            structlog.processors.ExceptionRenderer(
                # Local variables hold passwords and what records say.
                structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
            ),
            structlog.processors.JSONRenderer(serializer=_json_line),
        ]
        if json
        else [
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(),
                exception_formatter=structlog.dev.RichTracebackFormatter(show_locals=False),
            )
        ]
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    lines = logging.StreamHandler(sys.stderr)
    lines.addFilter(_is_news)
    lines.addFilter(_Repeated())
    lines.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [lines]
    root.setLevel(settings.log_level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


def get_logger(name: str) -> FilteringBoundLogger:
    """Return a structured logger: ``log.warning("what happened", field=value)``."""
    return cast("FilteringBoundLogger", structlog.stdlib.get_logger(name))


def _is_news(line: logging.LogRecord) -> bool:
    return not (line.name.startswith("aiokafka") and str(line.msg).startswith(_CURED))


class _Repeated(logging.Filter):
    """Holds what aiokafka said a moment ago, and tells with the next such line how often that was."""

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a line is to be written."""
        if not record.name.startswith("aiokafka"):
            return True
        text = record.getMessage()
        told, held = self._told.get(text, (0.0, 0))
        if record.created - told < _REPEATED_S:
            self._told[text] = told, held + 1
            return False
        if len(self._told) >= _MOST_KEPT:
            self._told.clear()
        self._told[text] = record.created, 0
        if held:
            record.msg, record.args = f"{text} ({held} times more since it was last said)", ()

        return True


def _json_line(event: object, **_: object) -> str:
    return orjson.dumps(event, default=str).decode()


def _without_colours(_: object, __: str, event: EventDict) -> EventDict:
    """Uvicorn's second copy of its message is for terminals: it has their escape sequences in it."""
    event.pop("color_message", None)
    return event
