from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from socketserver import StreamRequestHandler, ThreadingTCPServer

import httpx
import pytest
from test_sandbox import Interposed

from sabika_client import AsyncClient, Client, Kit, open_kit


class Proxy(StreamRequestHandler):
    """A proxy for https, which counts its connections."""

    connections = 0

    def handle(self) -> None:
        method, target, _ = self.rfile.readline().decode().split()
        while self.rfile.readline().strip():
            pass
        assert method == "CONNECT"
        Proxy.connections += 1
        host, _, port = target.rpartition(":")
        with socket.create_connection((host, int(port))) as there:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            back = threading.Thread(target=copy, args=(there, self.connection))
            back.start()
            copy(self.connection, there)
            back.join()


def copy(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # The other end has left.


@pytest.fixture
def proxy() -> Iterator[str]:
    Proxy.connections = 0
    with ThreadingTCPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def next_kit(kit: Kit) -> Kit:
    """Opens a kit of the same partner with other keys, if npm run clients has made one."""
    return open_kit(os.environ.get("SABIKA_NEXT_KIT") or kit.folder)


def test_a_reloaded_kit_has_connections_and_tokens_of_its_own(kit: Kit, proxy: str) -> None:
    with Client(kit, proxy=proxy) as client:
        client.balances()
        first = client._connection
        assert Proxy.connections == 1
        client.reload(open_kit(kit.folder))
        assert first.http.is_closed
        client.balances()
        assert Proxy.connections == 2
        assert client._connection.token != first.token


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    with Client(kit) as client:
        assert client.balances().sar >= 0


def test_no_call_is_lost_while_kits_are_reloaded(kit: Kit, next_kit: Kit) -> None:
    verified: list[bool] = []
    with Client(kit) as client:

        def probe() -> None:
            for _ in range(10):
                verified.append(client.probe().verified)

        threads = [threading.Thread(target=probe) for _ in range(4)]
        for thread in threads:
            thread.start()
        for reloaded in (next_kit, kit, next_kit, kit, next_kit):
            client.reload(reloaded)
            assert client.probe().key_id == reloaded.signing_key_id
        for thread in threads:
            thread.join()
    assert verified == [True] * 40


def test_no_call_of_a_task_is_lost_while_kits_are_reloaded(kit: Kit, next_kit: Kit) -> None:
    async def run() -> None:
        async with AsyncClient(kit) as client:
            calls = [asyncio.ensure_future(client.probe()) for _ in range(20)]
            for reloaded in (next_kit, kit, next_kit, kit, next_kit):
                first = client._connection
                await client.reload(reloaded)
                assert (await client.probe()).key_id == reloaded.signing_key_id
            assert all(probe.verified for probe in await asyncio.gather(*calls))
            assert first.http.is_closed

    asyncio.run(run())


def test_a_token_that_is_refused_to_a_replaced_kit_fails_no_call(kit: Kit) -> None:
    refusals: list[str] = []

    def refuse_first(
        request: httpx.Request, send: Callable[[], httpx.Response]
    ) -> httpx.Response:
        if request.url.path != "/oauth/token" or refusals:
            return send()
        refusals.append(request.url.path)
        client.reload(kit)
        return httpx.Response(401)

    with Client(kit, transport=Interposed(kit, refuse_first)) as client:
        assert client.balances().sar >= 0
    assert len(refusals) == 1


def test_a_stream_goes_on_with_the_reloaded_kit(kit: Kit) -> None:
    with Client(kit) as client:
        last = client.events(limit=1).page().data[0].sequence
        streamed = client.stream_events(after_sequence=last)
        client.fund(Decimal("1"))
        assert next(streamed).sequence == last + 1
        first = client._connection
        client.reload(open_kit(kit.folder))
        assert not first.http.is_closed
        client.fund(Decimal("2"))
        assert next(streamed).sequence == last + 2
        assert first.http.is_closed
