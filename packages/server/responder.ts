import { type Environment, HEADER } from "@sabika/protocol";
import type { CallSoFar } from "./call/findings.ts";
import type { Reply } from "./call/reply.ts";
import { rateLimitHeader, rateLimitPolicyHeader } from "./door/rate.ts";
import type { Log } from "./logging/log.ts";
import { sampleRefusals } from "./logging/sample_refusals.ts";
import type { Metrics } from "./observability/metrics.ts";

/** The log and metrics of answers, and the state that decides how they are sent. */
export interface ResponderParts {
  readonly metrics: Pick<Metrics, "request" | "failedVerification">;
  readonly log: Log;
  readonly environment: Environment;
  /** Which answers are logged. */
  readonly accessLog: "all" | "refusals" | "none";
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** True from the moment the instance is asked to stop. */
  readonly isDraining: () => boolean;
  /** Called for partners' POSTs that the cell carried out, or failed to; not for refusals. */
  readonly noteWrite: (write: { cellId: string; route: string; worked: boolean }) => void;
}

/** Creates the function that logs and counts a reply and makes the response; `code`: error code or `ok`. */
export function createResponder(
  { metrics, log, environment, accessLog, now, isDraining, noteWrite }: ResponderParts,
): (call: CallSoFar, reply: Reply, code: string) => Response {
  const sample = sampleRefusals();
  /** How many similar answers were not logged before this one; undefined: do not log this one either. */
  const leftOut = (call: CallSoFar, code: string) =>
    code === "rate_limited"
      ? sample(call.partner?.clientId ?? call.peer?.certificateHash ?? "", call.arrivedAtMs)
      : 0;
  return (call, reply, code) => {
    const durationMs = now() - call.arrivedAtMs;
    metrics.request(call.route, reply.status, code, durationMs / 1000);
    // What the sandbox fails on demand says nothing of its health.
    const isSimulated = environment === "sandbox" && call.header(HEADER.simulate) !== undefined;
    // Tokens, that they are revoked, and requests for credentials are in no cell.
    const isOfCell = call.method === "POST" && !/^\/(oauth|v1\/credentials)\//.test(call.route);
    if (isOfCell && call.partner !== undefined && !isSimulated) {
      const { cellId } = call.partner;
      const worked = reply.status < 300;
      // The books refuse what a partner's own allocation does not cover (Decision D39): its cell works.
      const hasFailed = reply.status >= 500 && code !== "inventory_unavailable";
      if (worked || hasFailed) noteWrite({ cellId, route: call.route, worked });
    }
    const isLogged = accessLog === "all" || (accessLog === "refusals" && code !== "ok");
    const count = isLogged ? leftOut(call, code) : undefined;
    if (count !== undefined) {
      log("info", "request", {
        request_id: call.requestId,
        method: METHODS.has(call.method) ? call.method : "other",
        route: call.route,
        status: reply.status,
        code: code === "ok" ? undefined : code,
        partner: call.partner?.clientId,
        certificate: call.peer?.certificateHash.slice(0, 16),
        token_id: call.token?.tokenId,
        peer: call.peer?.address,
        duration_ms: durationMs,
        count: count || undefined,
      });
    }
    if (call.span !== undefined) {
      call.span.set("http.response.status_code", reply.status);
      call.span.set("sabika.code", code);
      call.span.end(reply.status >= 500);
    }
    // A plain object, which the adapter passes to Node as it is.
    const headers: Record<string, string> = {
      "x-request-id": call.requestId,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "strict-transport-security": "max-age=31536000",
    };
    for (const name in reply.headers) headers[name] = reply.headers[name]!;
    if (call.rate !== undefined) {
      headers["ratelimit"] = rateLimitHeader(call.rate);
      headers["ratelimit-policy"] = rateLimitPolicyHeader(call.rate);
    }
    if (isDraining()) {
      headers["connection"] = "close";
      headers["x-envoy-immediate-health-check-fail"] = "true";
    }
    return new Response(reply.body, { status: reply.status, headers });
  };
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
