import type { ReceivedCall } from "../call/received_call.ts";
import type { Answer } from "../call/reply.ts";

/**
 * Answers a call of an endpoint that has passed its door. `C` names the findings of the door
 * that the endpoint relies on; `id` is the parameter in the path, or empty without one.
 */
export type Route<C extends ReceivedCall> = (call: C, id: string) => Answer | Promise<Answer>;
