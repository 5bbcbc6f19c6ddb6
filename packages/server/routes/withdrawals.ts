import type { Trading } from "@sabika/service/trading";
import { WITHDRAWAL, withdrawalRequestFromJson } from "@sabika/protocol";
import type { SignedWriteCall } from "../call/findings.ts";
import { written } from "../call/reply.ts";
import { traced } from "../observability/tracing.ts";
import { signedCommandOf } from "./command.ts";
import { readRequest } from "./read_request.ts";
import { refuseBody } from "./refuse_body.ts";
import type { Route } from "./route.ts";

/** POST /v1/withdrawals: requests a payment to the settlement IBAN (Decision D13). */
export function withdrawalsRoute(trading: Trading): Route<SignedWriteCall> {
  return async (call) => {
    const read = readRequest(call, withdrawalRequestFromJson);
    if (!read.ok) return await refuseBody(trading, call, read);
    const command = signedCommandOf(call, read);
    const outcome = await traced(call.span, "withdraw", () => trading.withdraw(command));
    return written(outcome, WITHDRAWAL.write);
  };
}
