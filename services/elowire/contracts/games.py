"""Games and their results, as a producer sends them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, model_validator

from elowire.contracts.fields import (
    WIRE,
    Board,
    Day,
    GameId,
    Id,
    K,
    PlayerId,
    Rating,
    Revision,
    Round,
    Text,
    Url,
    broken,
    identity,
)
from elowire.contracts.vocabulary import GameStatus, Result

if TYPE_CHECKING:
    from pydantic_core import PydanticCustomError


class Side(BaseModel):
    """One player of a game: who, and optionally the figures printed beside the game."""

    model_config = WIRE

    entrant_id: Id | None = None
    """The entry in the tournament; by default the player id."""
    player_id: PlayerId | None = None
    """The player, where the source knows him."""
    rating: Rating | None = None
    """The rating printed beside the game; the last source that is asked."""
    k: K | None = None
    """The development coefficient printed beside the game."""
    name: Text | None = None
    """The name printed beside the game."""

    @property
    def identity(self) -> str:
        """The entry's id: the stated one, else the player id."""
        return identity(self.entrant_id, self.player_id)


class GameResult(BaseModel):
    """A game and its result; a higher revision corrects it, `annulled` takes it back."""

    model_config = WIRE

    tournament_id: Id
    """The tournament, and the key of the record."""
    game_id: GameId
    """The game's id, the same in every revision."""
    revision: Revision
    """Grows with every change of this game."""
    status: GameStatus
    """What became of the game."""
    rated: bool = True
    """False for Armageddon, tie-break and exhibition games."""
    round: Round | None = None
    """The round, from 1."""
    board: Board | None = None
    """The board, from 1."""
    white: Side | None = None
    """The player of the white pieces; null only for a bye or an unplayed game."""
    black: Side | None = None
    """The player of the black pieces; null only for a bye or an unplayed game."""
    result: Result
    """The score as written; rating looks at the status too."""
    played_on: Day | None = None
    """The day of the game."""
    url: Url | None = None
    """Where the game can be seen."""

    @model_validator(mode="after")
    def _two_players_and_a_result(self) -> Self:
        white, black = self.white, self.black
        if white is None or black is None:
            _check_single(self)
        else:
            one, other = white.entrant_id or white.player_id, black.entrant_id or black.player_id
            if one is None or other is None:
                raise _unnamed("white" if one is None else "black")
            if one == other or (white.player_id is not None and white.player_id == black.player_id):
                raise broken(
                    "black",
                    "two different players",
                    "Both colours are the same player or entrant; correct one of them.",
                )
        if self.status is GameStatus.PLAYED and self.result is Result.UNKNOWN:
            raise broken(
                "result",
                "a result, because the status is played",
                'Send the status "ongoing" with the result "*".',
            )
        if self.status is GameStatus.ONGOING and self.result is not Result.UNKNOWN:
            raise broken(
                "result",
                '"*", because the status is ongoing',
                'Send the status "played" with the final result.',
            )

        return self


def _unnamed(colour: str) -> PydanticCustomError:
    return broken(
        colour,
        "an entrant_id or a player_id",
        "Say who plays: the entry's id in the tournament, or the player id.",
    )


def _check_single(game: GameResult) -> None:
    """Refuse a missing player, except where there is none: in a bye or an unplayed game."""
    missing, colour = ("white", "black") if game.white is None else ("black", "white")
    present = game.white or game.black
    if present is None or game.status not in {GameStatus.BYE, GameStatus.UNPLAYED}:
        raise broken(missing, "a player", "Only a bye or an unplayed game may lack one of its players.")
    if not present.identity:
        raise _unnamed(colour)
