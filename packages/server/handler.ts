import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import { formatId, type Refusal, refuse, uuidV7 } from "@sabika/protocol";
import { Call, type Check, type Peer } from "./call.ts";
import { refusalOfError } from "./database_errors.ts";
import { isPlainTarget } from "./door/raw_target.ts";
import { describeError, type Log } from "./logging/log.ts";
import { refused } from "./refused.ts";
import type { Answer, Reply } from "./reply.ts";
import type { Route } from "./routes/route.ts";
import type { Tracing } from "./watching/tracing.ts";

/** What @hono/node-server hands over beside the request. */
export interface Bindings {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

/** What every handler needs, whatever its route. */
export interface HandlerParts {
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  readonly readPeer: (incoming: IncomingMessage) => Peer | undefined;
  /** The id that the sidecar gave the request, or undefined to make one here. */
  readonly readRequestId: (incoming: IncomingMessage) => string | undefined;
  readonly tracing: Tracing | undefined;
  readonly log: Log;
}

/** Where an endpoint differs from the others in how it refuses. */
export interface Manner {
  /** Adds to what a check refused. */
  readonly afterCheck?: (call: Call, refusal: Refusal) => Refusal | Promise<Refusal>;
  /** Writes a refusal; problem+json unless said otherwise. */
  readonly write?: (refusal: Refusal, call: Call) => Reply;
}

export type Handler = (c: Context<{ Bindings: Bindings }>) => Promise<Response>;

/**
 * Makes handlers: the checks one after the other, then the route, then the answer.
 *
 * @param respond turns the answer into a response, and tells log and metrics of it
 */
export function createHandlers(
  parts: HandlerParts,
  respond: (call: Call, reply: Reply, code: string) => Response,
): (pattern: string, checks: readonly Check[], route: Route, manner?: Manner) => Handler {
  return (pattern, checks, route, { afterCheck, write = refused } = {}) => async (c) => {
    const { incoming, outgoing } = c.env;
    const nowMs = parts.now();
    const requestId = parts.readRequestId(incoming) ??
      formatId("req", uuidV7(nowMs, parts.random));
    const call = new Call(incoming, outgoing, nowMs, requestId, pattern);
    let answer: Answer;
    try {
      if (parts.tracing !== undefined) {
        const { traceparent, tracestate } = incoming.headers;
        call.span = parts.tracing.start(
          `${call.method} ${pattern}`,
          typeof traceparent === "string" ? traceparent : undefined,
          typeof tracestate === "string" ? tracestate : undefined,
        );
      }
      call.peer = parts.readPeer(incoming);
      const refusal = await firstRefusal(call, checks);
      if (refusal === undefined) {
        answer = await route(call as Parameters<Route>[0], c.req.param("id") ?? "");
      } else answer = afterCheck === undefined ? refusal : await afterCheck(call, refusal);
    } catch (error) {
      answer = refusalOfError(error);
      parts.log("error", "request_failed", {
        request_id: requestId,
        route: pattern,
        error: describeError(error),
      });
    }
    return answer.ok
      ? respond(call, answer, "ok")
      : respond(call, write(answer, call), answer.code);
  };
}

async function firstRefusal(call: Call, checks: readonly Check[]): Promise<Refusal | undefined> {
  if (!isPlainTarget(call.target)) return refuse("not_found");
  for (const check of checks) {
    const found = check(call);
    // Most checks answer at once: nothing is awaited for them.
    const refusal = found instanceof Promise ? await found : found;
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
