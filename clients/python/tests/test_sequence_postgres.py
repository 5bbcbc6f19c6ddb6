from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from sabika_client import SequenceInPostgres


@pytest.fixture
def begin() -> Callable[[], psycopg.Connection]:
    """Makes the tables, and says how to begin a transaction."""
    url = os.environ.get("SABIKA_PARTNER_DATABASE")
    if url is None:
        pytest.skip("SABIKA_PARTNER_DATABASE names no database")
    with psycopg.connect(url) as connection:
        connection.execute("drop table if exists sabika_receivers, effects")
        connection.execute(
            "create table sabika_receivers"
            " (name text primary key, next_sequence bigint not null)"
        )
        connection.execute("create table effects (number bigint)")
    return lambda: psycopg.connect(url)


def effects(begin: Callable[[], psycopg.Connection]) -> list[int]:
    with begin() as connection:
        rows = connection.execute("select number from effects order by ctid").fetchall()
    return [number for (number,) in rows]


def test_processes_that_share_a_database_step_once_and_in_order(
    begin: Callable[[], psycopg.Connection],
) -> None:
    def run() -> None:
        sequence = SequenceInPostgres(begin)
        while (number := sequence.next()) < 10:

            def work(transaction: Any, number: int = number) -> None:
                transaction.execute("insert into effects values (%s)", (number,))

            sequence.step(number, work)

    processes = [threading.Thread(target=run) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert effects(begin) == list(range(1, 10))


def test_what_a_failed_step_wrote_is_taken_back(begin: Callable[[], psycopg.Connection]) -> None:
    def fail(transaction: Any) -> None:
        transaction.execute("insert into effects values (7)")
        raise RuntimeError("after it wrote")

    sequence = SequenceInPostgres(begin, name="failing", first=7)
    assert sequence.next() == 7
    with pytest.raises(RuntimeError):
        sequence.step(7, fail)
    assert not sequence.step(8, fail)
    assert (sequence.next(), effects(begin)) == (7, [])
