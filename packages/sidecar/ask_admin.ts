import { request } from "node:http";
import { text } from "node:stream/consumers";

/**
 * Sends a request to Envoy's admin interface over its Unix socket.
 *
 * @returns the HTTP status and the body
 * @throws Error when nobody listens on the socket
 */
export function askAdmin(
  socketPath: string,
  path: string,
  method: "GET" | "POST" = "GET",
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, method, agent: false }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, text: body }), reject);
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

/** Reads Envoy's counters and gauges whose names match the pattern (RE2); throws as `askAdmin` does. */
export async function readStats(socketPath: string, pattern: string): Promise<Map<string, number>> {
  const answer = await askAdmin(socketPath, `/stats?filter=${encodeURIComponent(pattern)}`);
  const stats = new Map<string, number>();
  for (const line of answer.text.split("\n")) {
    const [, name, value] = /^(.+): (\d+)$/.exec(line) ?? [];
    if (name !== undefined) stats.set(name, Number(value));
  }
  return stats;
}
