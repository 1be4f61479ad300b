"""A real Prometheus with the shipped configuration, in which time passes ten times as fast."""

from __future__ import annotations

import math
import re
import shutil
import subprocess

import httpx
import yaml

from tests.deploy.queries import DEPLOY, boards, panels
from tests.ports import free_port

COMPONENTS = ("ingest", "processor", "ticker", "dispatch")
FASTER = 10
_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000}
# How long an alert must hold (`for: 5m`) and how far a query looks back (`[5m]`); no other figure of a rule.
_DURATION = re.compile(r"(?P<before>\bfor: |\[)(?P<number>\d+)(?P<unit>[smh])\b")


def shortened(rules: str, by: int = FASTER) -> str:
    """Rules with every `for` and every window divided by `by`; thresholds and names stay as they are."""

    def shorter(found: re.Match[str]) -> str:
        ms, rest = divmod(int(found["number"]) * _MS[found["unit"]], by)
        assert not rest, found.group()
        return f"{found['before']}{ms}ms"

    return _DURATION.sub(shorter, rules)


class Watching:
    """A Prometheus on a port of its own; `ports` has the admin port of each service as `NAME_admin_port`."""

    def __init__(self, folder, ports):
        self.port = free_port()
        shutil.copytree(DEPLOY / "prometheus", folder / "prometheus")
        self.folder = folder / "prometheus"
        config = self.folder / "prometheus.yml"
        text = config.read_text()
        # A tenth, like the rules; an answer may take a fifth, since the machine does other things too.
        for shipped, here in (("scrape_interval: 10s", "1s"), ("scrape_timeout: 5s", "1s")):
            assert shipped in text
            text = text.replace(shipped, f"{shipped.split(':')[0]}: {here}")
        assert "evaluation_interval: 10s" in text
        config.write_text(text.replace("evaluation_interval: 10s", "evaluation_interval: 1s"))
        for rules in (self.folder / "rules").glob("*.yml"):
            rules.write_text(shortened(rules.read_text()))
        self.look_at([(name, ports[f"{name}_admin_port"]) for name in COMPONENTS])
        program = shutil.which("prometheus")
        assert program, "Prometheus is missing: install the package prometheus of your system"
        with (folder / "prometheus.log").open("wb") as log:
            self.process = subprocess.Popen(
                [
                    program,
                    f"--config.file={config}",
                    f"--storage.tsdb.path={folder / 'tsdb'}",
                    f"--web.listen-address=127.0.0.1:{self.port}",
                ],
                stdout=log,
                stderr=log,
            )

    def look_at(self, targets, name="elowire"):
        """Scrape these (component, port); Prometheus sees a change of the file at once."""
        groups = [
            {"targets": [f"127.0.0.1:{port}"], "labels": {"component": component}}
            for component, port in targets
        ]
        (self.folder / "targets" / f"{name}.yml").write_text(yaml.safe_dump(groups))

    def get(self, path, **parameters):
        try:
            answer = httpx.get(f"http://127.0.0.1:{self.port}/api/v1/{path}", params=parameters, timeout=10)
        except httpx.TransportError:
            return None
        return answer.json()["data"] if answer.status_code == 200 else None

    def result(self, query):
        found = self.get("query", query=query)
        return None if found is None else found["result"]

    def alerts(self):
        """Every alert that is not silent, as Prometheus tells it."""
        found = self.get("alerts")
        return [] if found is None else found["alerts"]

    def states(self):
        """The state of every alert that is not silent."""
        return {one["labels"]["alertname"]: one["state"] for one in self.alerts()}

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def empty_panels(prometheus, but=(), among=None):
    """Panels with a query that shows nothing, by board: no series, or none with a number.

    `among` are those to look at, as this function names them, when the others have been seen.
    """
    return [
        title
        for name, board in boards().items()
        for panel in panels(board)
        for title in [f"{name}: {panel['title']}"]
        if panel["title"] not in but
        and (among is None or title in among)
        and not all(shows(prometheus.result(target["expr"])) for target in panel["targets"])
    ]


def shows(series):
    """Whether Grafana draws anything of a query's result: it leaves NaN out."""
    return any(not math.isnan(float(one["value"][1])) for one in series or ())
