import type { ServerResponse } from "node:http";

/** Answers a health check: 200 when the instance takes requests, otherwise 503. */
export function answerReady(outgoing: ServerResponse, isReady: boolean): void {
  outgoing.writeHead(isReady ? 200 : 503, {
    "content-type": "text/plain",
    "cache-control": "no-store",
  });
  outgoing.end(isReady ? "ready\n" : "not ready\n");
}
