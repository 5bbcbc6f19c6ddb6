"""Keeps the number of the next event in PostgreSQL, in the transaction of its effect."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any


class SequenceInPostgres:
    """Keeps the number in PostgreSQL, in a table that you make once:

        create table sabika_receivers (name text primary key, next_sequence bigint not null)

    `begin` gives a connection of psycopg whose `with` commits, or takes back when it is left with
    an exception: `pool.connection`, or `lambda: psycopg.connect(url)`. `handle` gets it as its
    transaction: what it writes there has its effect exactly once, whichever process is killed at
    any moment, and however many processes receive. `name` is that of this receiver among several
    in one database, `first` the number of the first event to handle.
    """

    def __init__(
        self,
        begin: Callable[[], AbstractContextManager[Any]],
        *,
        name: str = "sabika",
        first: int = 1,
    ) -> None:
        self._begin = begin
        self._name = name
        self._first = first

    def next(self) -> int:
        with self._begin() as connection:
            connection.execute(
                "insert into sabika_receivers (name, next_sequence) values (%s, %s)"
                " on conflict do nothing",
                (self._name, self._first),
            )
            row = connection.execute(
                "select next_sequence from sabika_receivers where name = %s", (self._name,)
            ).fetchone()
            return int(row[0])

    def step(self, sequence: int, work: Callable[[Any], None]) -> bool:
        with self._begin() as connection:
            # The row's lock makes other processes wait; they then find a greater number.
            changed = connection.execute(
                "update sabika_receivers set next_sequence = next_sequence + 1"
                " where name = %s and next_sequence = %s",
                (self._name, sequence),
            )
            if changed.rowcount == 0:
                return False
            work(connection)
            return True
