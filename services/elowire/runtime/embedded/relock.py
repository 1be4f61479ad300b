"""Write a lock of jars anew: the broker's, and those of `make bench`.

``python -m elowire.runtime.embedded.relock requirements/kafka-jars.in > requirements/kafka-jars.lock``

Resolves the coordinates of the input file with all that they need at run time, and hashes every jar.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from elowire.runtime.embedded.jars import Jar, sha256_of


def lock(coordinates: list[str]) -> list[Jar]:
    """Every jar that `coordinates` (group:artifact:version) need, sorted, with its hash."""
    from jgo.maven import MavenContext  # noqa: PLC0415 - an extra that only this and fetching need

    with tempfile.TemporaryDirectory() as folder:
        maven = MavenContext(repo_cache=Path(folder), timeout=60)
        # "!": what a root says about versions holds for its own jars; else one root would move another's.
        roots = [maven.create_dependency(f"{coordinate}!") for coordinate in coordinates]
        given, needed = maven.resolver.resolve(roots)
        jars = {
            Jar(d.groupId, d.artifactId, d.version, sha256_of(d.artifact.resolve()) or "")
            for d in (*given, *needed)
        }
    return sorted(jars)


def main() -> None:
    """Read the input file named on the command line, print the lock."""
    wanted = [line.partition("#")[0].strip() for line in Path(sys.argv[1]).read_text("ascii").splitlines()]
    out = ["# group:artifact:version:sha256; written by elowire.runtime.embedded.relock"]
    out += [f"{jar}:{jar.sha256}" for jar in lock([line for line in wanted if line])]
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
