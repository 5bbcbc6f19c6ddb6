import type { ServerResponse } from "node:http";
import type { FailedShare } from "../write_shares.ts";

/** Answers a health check: 200 when the instance takes requests, otherwise 503; names the writes that fail. */
export function answerReady(
  outgoing: ServerResponse,
  isReady: boolean,
  failing: readonly FailedShare[] = [],
): void {
  outgoing.writeHead(isReady ? 200 : 503, {
    "content-type": "text/plain",
    "cache-control": "no-store",
  });
  const lines = failing.map(({ cellId, kind, share }) =>
    `${kind} in cell ${cellId}: ${Math.round(100 * share)} % fail\n`
  );
  outgoing.end((isReady ? "ready\n" : "not ready\n") + lines.join(""));
}
