"""Lists, whose pages are fetched when they are needed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from .reading import each, maybe, members, text
from .steps import Call, Filters, query

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a list."""

    data: tuple[T, ...]
    next_cursor: str | None
    """The `cursor` of the next page; None on the last one."""


class _Sends(Protocol):
    def send(self, call: Call, read: Callable[[Any], Any]) -> Any: ...


class _List(Generic[T]):
    def __init__(
        self,
        sender: _Sends,
        path: str,
        filters: Filters,
        read: Callable[[Any], T],
    ) -> None:
        self._sender = sender
        self._path = path
        self._filters = filters
        self._read = read

    def _call(self, cursor: str | None) -> Call:
        return Call("GET", self._path + query({**self._filters, "cursor": cursor}))

    def _page(self, json: Any) -> Page[T]:
        own = members(json)
        return Page(each(self._read)(own["data"]), maybe(text, own.get("next_cursor")))

    @property
    def _first(self) -> str | None:
        cursor = self._filters.get("cursor")
        return None if cursor is None else str(cursor)


class Pages(_List[T]):
    """A list: iterating over it gives all items, `page()` one page of them."""

    def page(self, cursor: str | None = None) -> Page[T]:
        """Fetches the page at a cursor; the first one by default."""
        page: Page[T] = self._sender.send(self._call(cursor or self._first), self._page)
        return page

    def __iter__(self) -> Iterator[T]:
        page = self.page()
        yield from page.data
        while page.next_cursor is not None:
            page = self.page(page.next_cursor)
            yield from page.data


class AsyncPages(_List[T]):
    """A list: `async for` gives all items, `await page()` one page of them."""

    async def page(self, cursor: str | None = None) -> Page[T]:
        """Fetches the page at a cursor; the first one by default."""
        page: Page[T] = await self._sender.send(self._call(cursor or self._first), self._page)
        return page

    async def __aiter__(self) -> AsyncIterator[T]:
        page = await self.page()
        while True:
            for item in page.data:
                yield item
            if page.next_cursor is None:
                return
            page = await self.page(page.next_cursor)
