"""What answers are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import HTTPException, Request, Response

from elowire.runtime.clock import Clock
from elowire.ticker.answers import Answers, respond
from elowire.ticker.board import Board
from elowire.ticker.feed import Progress
from elowire.ticker.letters import Letters
from elowire.ticker.stream import Stream


@dataclass(frozen=True, slots=True)
class Sources:
    """The board, its stream of changes, the feed's progress, the time, and who may ask for more.

    `origins` are those whose pages may read answers; `token` opens the operator's page, which is closed
    without one.
    """

    board: Board
    stream: Stream
    progress: Progress
    clock: Clock
    letters: Letters = field(default_factory=Letters)
    origins: tuple[str, ...] = ()
    token: Callable[[], str | None] = lambda: None
    answers: Answers = field(init=False)

    def __post_init__(self) -> None:
        """Answers hold as long as the board stands still."""
        object.__setattr__(self, "answers", Answers(lambda: self.board.applied))

    def require_board(self) -> None:
        """Refuse to answer from half a board: a missing player would look like an unknown one."""
        if not self.progress.caught_up:
            raise HTTPException(
                503,
                f"The board is not complete yet ({self.progress.fault or 'reading Kafka'}). Try again soon.",
                headers={"retry-after": "2"},
            )

    def answer(
        self,
        request: Request,
        key: tuple[Any, ...],
        make: Callable[[], Mapping[str, Any] | None],
        unknown: str = "There is nothing.",
    ) -> Response:
        """Answer from a complete board; 404 with the sentence `unknown` where there is nothing to say."""
        self.require_board()
        answer = self.answers.of(key, make)
        if answer is None:
            raise HTTPException(404, unknown)

        return respond(request, answer)
