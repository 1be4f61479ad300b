"""Check the topics of a broker: `python -m tests.broker.check BOOTSTRAP [--prefix P] [--group G]`."""

from __future__ import annotations

import argparse
import asyncio
import sys

from tests.broker.check.client import check


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.broker.check", description=__doc__)
    parser.add_argument("bootstrap", help="HOST:PORT")
    parser.add_argument("--prefix", default="", help="what stands before the names of the topics")
    parser.add_argument("--group", help="the processors' group; by default named after the prefix")
    arguments = parser.parse_args()
    wrong = asyncio.run(check(arguments.bootstrap, arguments.prefix, group=arguments.group))
    sys.stdout.write("\n\n".join([*wrong, f"{'RED' if wrong else 'OK'}: {len(wrong)} violations"]) + "\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
