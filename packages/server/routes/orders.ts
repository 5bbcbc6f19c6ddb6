import type { Trading } from "@sabika/service/trading";
import { ORDER, orderRequestFromJson } from "@sabika/protocol";
import type { SignedWriteCall } from "../call/findings.ts";
import { written } from "../call/reply.ts";
import { traced } from "../observability/tracing.ts";
import { signedCommandOf } from "./command.ts";
import { readRequest } from "./read_request.ts";
import { refuseBody } from "./refuse_body.ts";
import type { Route } from "./route.ts";

/**
 * POST /v1/orders: executes a quote (Spec §4; Decision D11).
 *
 * The nonce goes along to the database: nonce, idempotency key, quote, balances, transfers, order
 * and event are one transaction and one round trip.
 */
export function ordersRoute(trading: Trading): Route<SignedWriteCall> {
  return async (call) => {
    const read = readRequest(call, orderRequestFromJson);
    if (!read.ok) return await refuseBody(trading, call, read);
    const command = signedCommandOf(call, read);
    const outcome = await traced(call.span, "place_orders", () => trading.order(command));
    return written(outcome, ORDER.write);
  };
}
