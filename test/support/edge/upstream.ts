import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { buffer } from "node:stream/consumers";

/** A request as the service sees it. */
export interface Arrived {
  method: string;
  target: string;
  /** Names, spelled as received, and values, in the order of arrival. */
  headers: [string, string][];
  body: string;
}

/** A plain service on a Unix socket that records requests and echoes them. */
export interface Upstream {
  readonly address: string;
  readonly watch: string;
  readonly arrived: Arrived[];
  /** Returns the answer; undefined: an echo; `hang`: none; `cut`: the connection is ended. */
  answer?: (arrived: Arrived) =>
    | Promise<{ status: number; body: string | AsyncIterable<string> } | "hang" | "cut">
    | undefined;
  ready: boolean;
  /** How many connections are open. Envoy closes those to an instance that left, when they are idle. */
  connections: number;
  close(): Promise<void>;
}

/** Starts an upstream whose sockets are in `folder`. */
export async function startUpstream(folder: string, name: string): Promise<Upstream> {
  const path = `${folder}/${name}.sock`;
  const watchPath = `${folder}/${name}.watch`;
  const upstream: Upstream = {
    address: `unix:${path}`,
    watch: `unix:${watchPath}`,
    arrived: [],
    ready: true,
    connections: 0,
    async close() {
      await Promise.all([end(service), end(watch)]);
    },
  };
  const service = createServer(async (request, response) => {
    const arrived = await note(request);
    upstream.arrived.push(arrived);
    const answer = await upstream.answer?.(arrived) ??
      { status: 200, body: JSON.stringify(arrived) };
    if (answer === "hang") return;
    if (answer === "cut") return void request.socket.destroy();
    const id = request.headers["x-request-id"];
    response.writeHead(answer.status, {
      "content-type": "application/json",
      "x-upstream": name,
      "x-request-id": `req_${id}`,
    });
    if (typeof answer.body === "string") return void response.end(answer.body);
    for await (const part of answer.body) response.write(part);
  });
  service.on("connection", (socket) => {
    upstream.connections++;
    socket.on("close", () => upstream.connections--);
  });
  service.keepAliveTimeout = 75_000;
  service.headersTimeout = 80_000;
  const watch = createServer((_request, response) => {
    response.writeHead(upstream.ready ? 200 : 503).end();
  });
  service.listen(path);
  watch.listen(watchPath);
  await Promise.all([once(service, "listening"), once(watch, "listening")]);
  return upstream;
}

async function note(request: IncomingMessage): Promise<Arrived> {
  const { method = "", url: target = "", rawHeaders } = request;
  const headers: [string, string][] = [];
  for (let n = 0; n < rawHeaders.length; n += 2) headers.push([rawHeaders[n]!, rawHeaders[n + 1]!]);
  const bytes = await buffer(request);
  const body = bytes.length > 1000 ? `${bytes.length} bytes` : bytes.toString();
  return { method, target, headers, body };
}

function end(server: Server): Promise<unknown> {
  server.close();
  server.closeAllConnections?.();
  return once(server, "close");
}
