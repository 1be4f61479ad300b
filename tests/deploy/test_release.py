"""What is released: a wheel with all that it needs and no more, and an sdist that makes the same wheel."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from tests.deploy.composed import ROOT

BIN = Path(sys.executable).parent
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def run(*command, cwd):
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr

    return done.stdout


def built(kind, source, target):
    run(sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", target, cwd=source)
    (found,) = target.glob("*.whl" if kind == "wheel" else "*.tar.gz")

    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_has_the_package_with_its_data_and_nothing_else(wheel):
    found = names(wheel)
    kept = {
        f"elowire/{path.relative_to(ROOT / 'services' / 'elowire').as_posix()}"
        for path in (ROOT / "services" / "elowire").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert wheel.name == f"elowire-{VERSION}-py3-none-any.whl"
    assert {name for name in found if name.startswith("elowire/")} == kept
    assert {name.split("/")[0] for name in found} == {"elowire", f"elowire-{VERSION}.dist-info"}
    assert "elowire/runtime/embedded/kafka-jars.lock" in found
    assert f"elowire-{VERSION}.dist-info/licenses/LICENSE" in found


def test_the_sdist_makes_the_same_wheel(wheel, tmp_path):
    sdist = built("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    again = built("wheel", tmp_path / f"elowire-{VERSION}", tmp_path / "again")

    assert again.read_bytes() == wheel.read_bytes()


def test_the_installed_wheel_runs_without_the_repository(wheel, tmp_path):
    """Its dependencies are those of this environment; Elowire itself is only in the new one."""
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    run(
        BIN / "uv",
        *("pip", "install", "--quiet", "--offline", "--no-deps", "--no-index", "--no-cache"),
        *("--python", python, wheel),
        cwd=tmp_path,
    )
    # Lines of .pth files in a folder that is named here are not followed: the editable Elowire stays out.
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    elowire = environment / "bin" / "elowire"

    where = run(python, "-c", "import elowire; print(elowire.__file__)", cwd=tmp_path).strip()
    version = run(elowire, "--version", cwd=tmp_path).strip()
    figures = json.loads(
        run(
            elowire,
            *("expect", "--own", "2813", "--opponent", "2400", "--points", "1", "--k", "10"),
            *("--format", "json"),
            cwd=tmp_path,
        )
    )

    assert Path(where).is_relative_to(environment)
    assert version == f"elowire {VERSION}"
    assert figures["difference"] == 413
    assert figures["change"]
