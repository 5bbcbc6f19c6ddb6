import type { ServerResponse } from "node:http";
import { formatTime } from "@sabika/protocol";
import type { ControlAway } from "@sabika/service/partners";
import type { FailedShare } from "../write_shares.ts";

/** Since when control is away, and until when partners of other cells trade (Decision D116). */
export function describeAway({ sinceMs, untilMs }: ControlAway): string {
  // Before control has answered once there is no time.
  if (!Number.isFinite(sinceMs)) return "control has not answered yet";
  return `control is away since ${formatTime(sinceMs)}, ` +
    `partners of other cells trade until ${formatTime(untilMs)}`;
}

/**
 * Answers a health check: 200 when the instance takes requests, otherwise 503; names the writes that fail, and
 * control when it is away.
 */
export function answerReady(
  outgoing: ServerResponse,
  isReady: boolean,
  failing: readonly FailedShare[] = [],
  away?: ControlAway,
): void {
  outgoing.writeHead(isReady ? 200 : 503, {
    "content-type": "text/plain",
    "cache-control": "no-store",
  });
  const lines = failing.map(({ cellId, kind, share }) =>
    `${kind} in cell ${cellId}: ${Math.round(100 * share)} % fail\n`
  );
  if (away !== undefined) lines.push(`${describeAway(away)}\n`);
  outgoing.end((isReady ? "ready\n" : "not ready\n") + lines.join(""));
}
