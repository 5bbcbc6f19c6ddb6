import type { Trading } from "@sabika/service/trading";
import { QUOTE, quoteRequestFromJson } from "@sabika/protocol";
import type { AuthenticatedWriteCall } from "../call/findings.ts";
import { written } from "../call/reply.ts";
import { traced } from "../observability/tracing.ts";
import { commandOf } from "./command.ts";
import { readRequest } from "./read_request.ts";
import { refuseBody } from "./refuse_body.ts";
import type { Route } from "./route.ts";

/** POST /v1/quotes: a firm price for 60 seconds (Spec §4; Decision D10). */
export function quotesRoute(trading: Trading): Route<AuthenticatedWriteCall> {
  return async (call) => {
    const read = readRequest(call, quoteRequestFromJson);
    if (!read.ok) return await refuseBody(trading, call, read);
    const command = commandOf(call, read);
    const outcome = await traced(call.span, "create_quotes", () => trading.quote(command));
    return written(outcome, QUOTE.write);
  };
}
