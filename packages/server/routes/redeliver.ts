import type { Trading } from "@sabika/service/trading";
import { parseId, REDELIVERY, redeliveryRequestFromJson, refuse } from "@sabika/protocol";
import type { KeyedCall, WriteCall } from "../call/findings.ts";
import { written } from "../call/reply.ts";
import { commandOf } from "./command.ts";
import { readRequest } from "./read_request.ts";
import { type BodyRefusalStore, refuseBody } from "./refuse_body.ts";
import type { Route } from "./route.ts";

/** What redelivering events needs. */
export type RedeliveryParts = BodyRefusalStore & Pick<Trading, "redeliver">;

/** POST /v1/events/{id}/redeliver: delivers an event again (Decisions D19, D35). */
export function redeliverRoute(trading: RedeliveryParts): Route<KeyedCall> {
  return async (call, id) => {
    const eventId = parseId("evt", id);
    if (eventId === undefined) return await refuseBody(trading, call, refuse("not_found"));
    const parameters = `${call.method}\n${call.path}\n${call.query}\n{}`;
    const command = commandOf(call, { request: { eventId }, parameters });
    const outcome = await trading.redeliver(command);
    return written(outcome, () => `{"id":"${id}","status":"pending"}`, 202);
  };
}

/** POST /v1/events/redeliver: delivers all events in a range of numbers again (Decision D35). */
export function redeliverRangeRoute(trading: RedeliveryParts): Route<WriteCall> {
  return async (call) => {
    const read = readRequest(call, redeliveryRequestFromJson);
    if (!read.ok) return await refuseBody(trading, call, read);
    return written(await trading.redeliver(commandOf(call, read)), REDELIVERY.write, 202);
  };
}
