"""Cuts a stream of PGN into whole games, however its bytes arrive. Pure.

A game is given as soon as its moves have ended with an empty line, because on a stream the next game may be
minutes away. What is cut off by the end of a stream is never given: it comes again, whole, with the next one.
Source: PGN standard of 1994, sections 7, 8.1 and 8.2.6.
"""

from __future__ import annotations

import codecs
import re

MOST_GAME_CHARACTERS = 512 * 1024
"""A longer game is no game; it is left out and counted."""

_TAG = re.compile(r"\s*\[\s*\w+\s+\"")


class Frames:
    """Takes bytes, gives games as text: tag pairs, an empty line, moves."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""
        self._lines: list[str] = []
        self._size = 0
        self._in_moves = False
        self._in_comment = False
        self._tags_ended = False
        self.too_long = 0

    def feed(self, data: bytes) -> list[str]:
        """Take the next bytes of a stream; returns the games that became whole."""
        text = self._rest + self._decoder.decode(data)
        # A lone CR may be half of a CRLF.
        *lines, self._rest = text.replace("\r\n", "\n").split("\n")
        if len(self._rest) > MOST_GAME_CHARACTERS:
            self._rest = ""
            self._drop(counted=True)
        games = []
        for line in lines:
            game = self._line(line.rstrip("\r"))
            if game is not None:
                games.append(game)
        return games

    def end(self) -> list[str]:
        """Take the end of a whole file: the last game needs no empty line after its moves."""
        games = self.feed(b"\n\n")
        game = self._whole() if self._in_moves and not self._in_comment else None
        self._drop()
        return games if game is None else [*games, game]

    def _line(self, line: str) -> str | None:
        if not self._in_comment and not line.strip():
            return self._empty_line()
        starts = not self._in_comment and _TAG.match(line) is not None
        if starts and (self._in_moves or self._tags_ended):
            # Without the empty line before it: the game before has ended as well.
            game = self._whole() if self._in_moves else None
            self._drop()
            self._add(line)
            return game
        if not starts and self._lines:
            self._in_moves = True
            self._in_comment = _comment_open(line, open_=self._in_comment)
        if starts or self._lines:
            self._add(line)
        return None

    def _empty_line(self) -> str | None:
        if self._in_moves:
            game = self._whole()
            self._drop()
            return game
        self._tags_ended = bool(self._lines)
        return None

    def _add(self, line: str) -> None:
        self._size += len(line) + 1
        if self._size > MOST_GAME_CHARACTERS:
            self._drop(counted=True)
            return
        self._lines.append(line)

    def _whole(self) -> str:
        return "\n".join(self._lines) + "\n"

    def _drop(self, *, counted: bool = False) -> None:
        self.too_long += counted
        self._lines, self._size = [], 0
        self._in_moves = self._in_comment = self._tags_ended = False


def _comment_open(line: str, *, open_: bool) -> bool:
    """Say whether a brace comment is open after a line; comments do not nest."""
    for character in line:
        if character == "{":
            open_ = True
        elif character == "}":
            open_ = False
        elif character == ";" and not open_:
            break
    return open_
