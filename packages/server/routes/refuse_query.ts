import { refuse } from "@sabika/protocol";
import type { ReceivedCall } from "../call/received_call.ts";
import type { Route } from "./route.ts";

/** Refuses a read that has no query parameters when it is given one, as lists refuse what they do not know. */
export function refuseQuery<C extends ReceivedCall>(route: Route<C>): Route<C> {
  return (call, id) => {
    if (call.query === "") return route(call, id);
    const message = "this operation has no query parameters";
    return refuse("invalid_request", {
      errors: [{ pointer: "/", code: "unknown_member", message }],
    });
  };
}
