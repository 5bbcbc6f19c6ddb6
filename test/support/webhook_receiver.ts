import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { TestCertificate } from "./test_certificates.ts";

/** A request that arrived at a receiver. */
export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A receiver's answer: a status with headers, or a function that answers by hand. */
export type Behaviour =
  | { status: number; headers?: Record<string, string>; body?: string }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** A partner's HTTPS endpoint on the loopback, whose behaviour the test changes. */
export interface TestReceiver {
  port: number;
  received: Received[];
  behave: (received: Received) => Behaviour;
  /** The number of TCP connections that were accepted. */
  connections: number;
  close(): Promise<void>;
}

/** Starts a receiver, which answers 204 until the test changes `behave`; port 0: any free port. */
export async function startTestReceiver(
  certificate: TestCertificate,
  port = 0,
): Promise<TestReceiver> {
  const server = createServer(
    { cert: certificate.certificatePem, key: certificate.privateKeyPem },
    async (request, response) => {
      response.on("error", () => {});
      const body = await text(request).catch(() => undefined);
      if (body === undefined) return;
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
      const received: Received = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: Object.fromEntries(headers),
        body,
      };
      receiver.received.push(received);
      const behaviour = receiver.behave(received);
      if (typeof behaviour === "function") return behaviour(request, response);
      response.writeHead(behaviour.status, behaviour.headers);
      response.end(behaviour.body ?? "");
    },
  );
  const receiver: TestReceiver = {
    port: 0,
    received: [],
    behave: () => ({ status: 204 }),
    connections: 0,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        // Includes sockets in their TLS handshake, as when the process is killed.
        for (const socket of sockets) socket.destroy();
      }),
  };
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    receiver.connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  receiver.port = (server.address() as AddressInfo).port;
  return receiver;
}
