"""The pages: static files, the same for everybody; what they show comes by JSON and stream."""

from __future__ import annotations

from pathlib import Path as File

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

_FILES = File(__file__).parent / "static"
_AGAIN = "no-cache"
_PAGES = {
    "/": "list.html",
    "/player/{player_id}": "player.html",
    "/tournament/{tournament_id}": "tournament.html",
    "/tournaments": "tournaments.html",
    "/overlay": "overlay.html",
    "/operator": "operator.html",
    "/docs": "docs.html",
}


class _Files(StaticFiles):
    """Modules carry no version in their name, so a browser asks each time whether it has the newest."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        answer.headers["cache-control"] = _AGAIN
        return answer


def add_pages(app: FastAPI) -> None:
    """Add the pages and what they are made of."""
    app.mount("/static", _Files(directory=_FILES), name="static")
    for address, name in _PAGES.items():
        _add_page(app, address, _FILES / name)


def _add_page(app: FastAPI, address: str, file: File) -> None:
    @app.get(address, include_in_schema=False, name=file.stem)
    async def page() -> Response:
        return FileResponse(file, headers={"cache-control": _AGAIN})
