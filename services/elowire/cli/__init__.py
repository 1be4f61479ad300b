"""The command line: `elowire COMMAND`. Each sub-command is one module with a `register(app)`."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Annotated

import typer

from elowire.cli.errors import Failure, Refusals

COMMANDS = (
    "up",
    "demo",
    "expect",
    "rate",
    "feed",
    "performance",
    "initial_rating",
    "round_robin",
    "lists",
    "topics",
    "processor",
    "ingest",
    "sources",
    "entrants",
    "correct",
    "dispatch",
    "subscriptions",
    "ticker",
    "live",
    "watch",
    "explain",
    "dead_letters",
    "verify",
)
"""Modules of this package that hold the commands, in the order of `elowire --help`."""

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells give it."""


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it with the flag
    if wanted:
        typer.echo(f"elowire {version('elowire')}")
        raise typer.Exit


def _root(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options that belong to no single command."""


def command_line(arguments: Sequence[str] = ()) -> typer.Typer:
    """Build the command line for `arguments`: the named command alone, else all of them.

    One command's modules load in a fraction of the time of all of them together.
    """
    app = typer.Typer(
        name="elowire",
        help="Live FIDE chess ratings, exact to the hundredth, computed while the games are played.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        # The default takes the brackets of [env: NAME] for markup and leaves them out.
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    named = arguments[0].replace("-", "_") if arguments else ""
    for name in (named,) if named in COMMANDS else COMMANDS:
        import_module(f"elowire.cli.{name}").register(app)
    return app


def main() -> None:
    """Run the command line; an expected failure is one sentence on standard error and exit status 1."""
    # Libraries report to the log what the command is about to say in its own words.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        command_line(sys.argv[1:])()
    except Refusals:
        sys.exit(1)
    except Failure as failure:
        _fail(str(failure))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of the pipe (`| head`) has gone; a second complaint at exit would not reach it either.
        sys.stderr.close()
        sys.exit(1)
    except Exception as fault:
        if not _is_expected(fault):
            raise
        _fail(str(fault))


def _is_expected(fault: Exception) -> bool:
    """Say whether Kafka or a setting failed in a way whose message is written for the user."""
    # Loaded late: a command that needs neither must not wait for the Kafka client.
    from elowire.runtime import admin, data_dir, kafka, settings, topics  # noqa: PLC0415 - see above
    from elowire.runtime.embedded import faults  # noqa: PLC0415 - see above

    return isinstance(
        fault,
        admin.PortTakenError
        | data_dir.DataDirError
        | faults.EmbeddedKafkaError
        | kafka.KafkaForbiddenError
        | kafka.KafkaUnreachableError
        | kafka.TopicMissingError
        | kafka.RecordRefusedError
        | settings.InvalidSettingsError
        | topics.TopicDriftError
        | topics.TopicRefusedError,
    )


def _fail(sentence: str) -> None:
    sys.stderr.write(f"elowire: {sentence}\n")
    sys.exit(1)
