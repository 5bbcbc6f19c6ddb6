import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** An answer of the real service, on its way to the caller. */
export interface PassingAnswer {
  method: string;
  path: string;
  status: number;
  body: string;
}

/**
 * Stands before a real service and makes it wrong: the partner's requests go through as they are
 * (over mutual TLS, with the kit's certificate), the answers come back as `spoil` leaves them. So the
 * product needs no switch to be wrong.
 */
export async function startWrongServer(
  kit: string,
  spoil: (answer: PassingAnswer) => { status: number; body: string },
) {
  const file = (name: string) => readFileSync(join(kit, name), "utf8");
  const { base_url } = JSON.parse(file("partner.json")) as { base_url: string };
  const agent = new https.Agent({
    keepAlive: true,
    ca: file("ca.crt"),
    cert: file("client.crt"),
    key: file("client.key"),
  });
  const server = http.createServer(async (request, response) => {
    try {
      const body = await text(request);
      const { method = "GET", url = "/" } = request;
      const answer = await forward(base_url, agent, request, body);
      const spoilt = spoil({ method, path: url, status: answer.status, body: answer.body });
      response.writeHead(spoilt.status, { "content-type": answer.type });
      response.end(spoilt.body);
    } catch (error) {
      response.writeHead(502).end(String(error));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function forward(
  baseUrl: string,
  agent: https.Agent,
  request: http.IncomingMessage,
  body: string,
): Promise<{ status: number; type: string; body: string }> {
  const { host: _host, connection: _connection, ...headers } = request.headers;
  return new Promise((resolve, reject) => {
    const sent = https.request(
      baseUrl + request.url,
      { agent, method: request.method, headers },
      (answer) => {
        const status = answer.statusCode ?? 0;
        const type = answer.headers["content-type"] ?? "application/json";
        text(answer).then((body) => resolve({ status, type, body }), reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
