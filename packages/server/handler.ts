import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import type { Register } from "@sabika/service/partners";
import { formatId, type Refusal, refuse, uuidV7 } from "@sabika/protocol";
import type { CallSoFar } from "./call/findings.ts";
import type { CallerReaders } from "./call/peer.ts";
import { isPlainTarget } from "./call/plain_target.ts";
import { problemReply } from "./call/problem_reply.ts";
import { ReceivedCall } from "./call/received_call.ts";
import type { Answer, Reply } from "./call/reply.ts";
import { refusalOfError } from "./database_errors.ts";
import type { Checked, Door } from "./door/door.ts";
import { describeError, type Log } from "./logging/log.ts";
import { createOpenOutcomes } from "./open_outcomes.ts";
import type { Span, Tracing } from "./observability/tracing.ts";
import type { Route } from "./routes/route.ts";

/** What @hono/node-server passes in addition to the request. */
export interface Bindings {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

/** What every handler needs, whatever its route. */
export interface HandlerParts extends CallerReaders {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  readonly tracing: Tracing | undefined;
  readonly log: Log;
  /** Names the partner of a call that the door could not judge. */
  readonly register: Pick<Register, "byCertificate">;
}

/** How an endpoint refuses, if it differs from the others. */
export interface RefusalManner {
  /** Adds to a refusal of the door. */
  readonly explain?: (call: CallSoFar, refusal: Refusal) => Refusal | Promise<Refusal>;
  /** Writes a refusal; problem+json by default. */
  readonly write?: (refusal: Refusal, call: ReceivedCall) => Reply;
}

/** A route as Hono takes it. */
export type Handler = (c: Context<{ Bindings: Bindings }>) => Promise<Response>;

/**
 * Makes handlers: the door, then the route, then the answer.
 *
 * @param respond turns the answer into a response, and logs and counts it
 */
export function createHandlers(
  parts: HandlerParts,
  respond: (call: CallSoFar, reply: Reply, code: string) => Response,
) {
  const outcomes = createOpenOutcomes();
  /**
   * What the caller may get for a refusal before the route, as an earlier attempt may stand (Decision D32).
   * Where the door could not judge the certificate, the last known register says whose it is.
   */
  function unlessOpen(call: ReceivedCall, refusal: Refusal): Refusal {
    const idempotencyKey = call.method === "POST" ? call.header("idempotency-key") : undefined;
    if (call.peer === undefined || idempotencyKey === undefined) return refusal;
    const found = parts.register.byCertificate(call.peer.certificateHash);
    if (found === undefined || found.certificate.revokedAtMs !== null) return refusal;
    return outcomes.refused({ partner: found.partner, idempotencyKey }, refusal);
  }
  return <C extends ReceivedCall>(
    pattern: string,
    door: Door<C>,
    route: Route<C>,
    { explain, write = problemReply }: RefusalManner = {},
  ): Handler =>
  async (c) => {
    const { incoming, outgoing } = c.env;
    const nowMs = parts.now();
    const requestId = parts.readRequestId(incoming) ??
      formatId("req", uuidV7(nowMs, parts.random));
    const call = new ReceivedCall(incoming, outgoing, nowMs, requestId, pattern);
    let answer: Answer;
    let begun: string | undefined;
    try {
      call.span = startSpan(parts.tracing, call);
      call.peer = parts.readPeer(incoming);
      const passing = enter(door, call);
      const passed = passing instanceof Promise ? await passing : passing;
      if (passed.ok) {
        begun = outcomes.begin(call);
        answer = await route(passed, c.req.param("id") ?? "");
      } else answer = explain === undefined ? passed : await explain(call, passed);
    } catch (error) {
      answer = refusalOfError(error);
      parts.log("error", "request_failed", {
        request_id: requestId,
        route: pattern,
        error: describeError(error),
      });
    }
    if (begun !== undefined) answer = outcomes.end(begun, call, answer);
    else if (!answer.ok) answer = unlessOpen(call, answer);
    return answer.ok
      ? respond(call, answer, "ok")
      : respond(call, write(answer, call), answer.code);
  };
}

function enter<C extends ReceivedCall>(
  door: Door<C>,
  call: ReceivedCall,
): Checked<C> | Promise<Checked<C>> {
  return isPlainTarget(call.target) ? door.pass(call) : refuse("not_found");
}

function startSpan(tracing: Tracing | undefined, call: ReceivedCall): Span | undefined {
  if (tracing === undefined) return undefined;
  const name = `${call.method} ${call.route}`;
  return tracing.start(name, call.header("traceparent"), call.header("tracestate"));
}
