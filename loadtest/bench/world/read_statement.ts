import http from "node:http";
import type { BenchPartner } from "./partners.ts";
import type { RunningService, Site } from "./site.ts";

const SAMPLE_MS = 20;

/** What reading a day's statement came to. */
export interface ReadStatement {
  milliseconds: number;
  bytes: number;
  /** How far the server's resident memory rose meanwhile. */
  rise: number;
}

/**
 * Reads a day's statement from a server as its partner does, as fast as it comes, and keeps none of it.
 *
 * @param day such as `2026-11-20`
 */
export async function readStatement(
  site: Site,
  { target, process }: RunningService,
  of: { partner: BenchPartner; day: string },
): Promise<ReadStatement> {
  if (target.kind !== "socket") throw new Error("statements are read behind the sidecar's socket");
  const [lane] = await site.lanes([of.partner], 0);
  const { headers, accessToken } = lane!;
  const before = process.residentBytes();
  let highest = before;
  const timer = setInterval(() => highest = Math.max(highest, process.residentBytes()), SAMPLE_MS);
  const startMs = performance.now();
  try {
    const bytes = await new Promise<number>((resolve, reject) => {
      http.get({
        socketPath: target.path,
        path: `/v1/statements/${of.day}`,
        headers: {
          ...headers,
          host: new URL(site.baseUrl).host,
          authorization: `Bearer ${accessToken}`,
        },
        agent: false,
      }, (answer) => {
        let length = 0;
        answer.on("data", (piece: Uint8Array) => length += piece.length);
        answer.on("error", reject);
        answer.on(
          "end",
          () =>
            answer.statusCode === 200
              ? resolve(length)
              : reject(new Error(`no statement of ${of.day}: ${answer.statusCode}`)),
        );
      }).on("error", reject);
    });
    return { milliseconds: performance.now() - startMs, bytes, rise: highest - before };
  } finally {
    clearInterval(timer);
  }
}
