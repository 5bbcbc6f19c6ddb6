import type { Trading } from "@sabika/service/trading";
import { cancelRequestFromJson, parseId, refuse, WITHDRAWAL } from "@sabika/protocol";
import type { SignedWriteCall } from "../call/findings.ts";
import { written } from "../call/reply.ts";
import { traced } from "../observability/tracing.ts";
import { signedCommandOf } from "./command.ts";
import { readRequest } from "./read_request.ts";
import { refuseBody } from "./refuse_body.ts";
import type { Route } from "./route.ts";

/** POST /v1/withdrawals/{id}/cancel: gives the money back unless it is being paid (Decision D13). */
export function cancelWithdrawalRoute(trading: Trading): Route<SignedWriteCall> {
  return async (call, id) => {
    const read = readRequest(call, cancelRequestFromJson);
    if (!read.ok) return await refuseBody(trading, call, read);
    const withdrawalId = parseId("wd", id);
    if (withdrawalId === undefined) return await refuseBody(trading, call, refuse("not_found"));
    const command = signedCommandOf(call, { ...read, request: { withdrawalId } });
    const cancel = () => trading.cancelWithdrawal(command);
    const outcome = await traced(call.span, "cancel_withdrawals", cancel);
    return written(outcome, WITHDRAWAL.write);
  };
}
