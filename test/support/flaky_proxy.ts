import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What the proxy knows of a connection when bytes of the server are about to go to the client. */
export interface Passing {
  /** Bytes of the server that went through before. */
  passed: number;
  /** Numbers the connections from 1. */
  connection: number;
}

/** A relay of TCP connections that may cut one just before an answer of the server goes through. */
export interface FlakyProxy {
  port: number;
  /** Whether to cut instead of passing on. The server has the request by then. */
  cut: (passing: Passing) => boolean;
  cuts: number;
  close(): Promise<void>;
}

export async function startFlakyProxy(targetPort: number): Promise<FlakyProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    const passing: Passing = { passed: 0, connection: ++connections };
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    client.on("data", (chunk) => target.write(chunk));
    target.on("data", (chunk: Uint8Array) => {
      if (client.destroyed) return;
      if (proxy.cut(passing)) {
        proxy.cuts++;
        client.destroy();
        target.destroy();
        return;
      }
      passing.passed += chunk.length;
      client.write(chunk);
    });
  });
  const proxy: FlakyProxy = {
    port: 0,
    cut: () => false,
    cuts: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
}
