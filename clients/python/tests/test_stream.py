from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx

from sabika_client.stream import lines_of, lines_of_async


def test_lines_end_at_line_feeds_alone_wherever_the_bytes_are_cut() -> None:
    lines = ["data: a\u2028b\u2029c\x85d 😀", "", "event: end", ""]
    for end in "\n", "\r\n":
        whole = "".join(line + end for line in lines).encode()
        for size in 1, 2, 3, 7, len(whole):
            chunks = [whole[at : at + size] for at in range(0, len(whole), size)]

            async def later(chunks: list[bytes] = chunks) -> AsyncIterator[bytes]:
                for chunk in chunks:
                    yield chunk

            async def read(content: AsyncIterator[bytes]) -> list[str]:
                return [line async for line in lines_of_async(httpx.Response(200, content=content))]

            assert list(lines_of(httpx.Response(200, content=iter(chunks)))) == lines
            assert asyncio.run(read(later())) == lines
