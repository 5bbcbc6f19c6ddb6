import type { Trading } from "@sabika/service/trading";
import { FUNDING, fundingRequestFromJson } from "@sabika/protocol";
import type { WriteCall } from "../call/findings.ts";
import { written } from "../call/reply.ts";
import { traced } from "../observability/tracing.ts";
import { commandOf } from "./command.ts";
import { readRequest } from "./read_request.ts";
import { refuseBody } from "./refuse_body.ts";
import type { Route } from "./route.ts";

/** POST /sandbox/fund: credits play money; in production the route does not exist (Decision D14). */
export function sandboxFundRoute(trading: Trading): Route<WriteCall> {
  return async (call) => {
    const read = readRequest(call, fundingRequestFromJson);
    if (!read.ok) return await refuseBody(trading, call, read);
    const command = commandOf(call, read);
    const outcome = await traced(call.span, "credit_fundings", () => trading.fund(command));
    return written(outcome, FUNDING.write);
  };
}
