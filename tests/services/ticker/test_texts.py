"""The texts of the pages: every language says everything that is asked for, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from elowire.contracts.vocabulary import TournamentStatus
from elowire.domain import Refusal

STATIC = Path(__file__).parents[3] / "services" / "elowire" / "ticker" / "static"
KEY = re.compile(r'^  "?([a-zA-Z0-9_-]+)"?:', re.MULTILINE)
MADE = ("refusal_", "state_", "kind_", "sex_", "colours_")
SCRIPTS = "".join(path.read_text("utf-8") for path in STATIC.glob("*.js"))
PAGES = "".join(path.read_text("utf-8") for path in STATIC.glob("*.html"))


def texts(language):
    return (STATIC / "texts" / f"{language}.js").read_text("utf-8")


def keys(language):
    return KEY.findall(texts(language))


@pytest.mark.parametrize("language", ["es", "ro"])
def test_every_language_has_the_same_keys_in_the_same_order(language):
    assert keys(language) == keys("en")


@pytest.mark.parametrize("language", ["es", "ro"])
def test_every_language_fills_in_the_same_names(language):
    def names(text):
        return {
            key: set(re.findall(r"\{(\w+)\}", rest))
            for key, rest in re.findall(r'^  "?([\w-]+)"?: (.*)$', text, re.MULTILINE)
        }

    theirs, ours = names(texts(language)), names(texts("en"))
    single = [key for key in ours if ours[key] and theirs[key]]

    assert {key: theirs[key] for key in single} == {key: ours[key] for key in single}


def test_every_text_that_is_asked_for_is_there_and_every_one_there_is_asked_for():
    asked = set(re.findall(r'\bt\("([\w-]+)"', SCRIPTS)) | set(
        re.findall(r'data-t(?:-\w+)?="([\w-]+)"', PAGES)
    )
    there = set(keys("en"))
    words = set(re.findall(r'"([\w-]+)"', SCRIPTS))

    assert asked - there == set()
    assert {key for key in there - asked - words if not key.startswith(MADE)} == set()


def test_every_refusal_and_state_has_its_words():
    there = set(keys("en"))

    assert {f"refusal_{refusal.value}" for refusal in Refusal} <= there
    assert {f"state_{status.value}" for status in TournamentStatus} <= there


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.html")), ids=lambda path: path.name)
def test_a_page_needs_nothing_inline_and_nothing_from_elsewhere(path):
    text = path.read_text("utf-8")

    assert re.findall(r"<style|style=|\son\w+=|https?:|javascript:", text) == []
    assert [
        source
        for source in re.findall(r'(?:src|href)="([^"]+)"', text)
        if not source.startswith(("/", "#", "?"))
    ] == []


def test_no_script_writes_markup():
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", SCRIPTS) == []
