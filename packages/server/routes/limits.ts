import { LIMITS } from "@sabika/protocol";
import type { ReadCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import type { Route } from "./route.ts";

/** GET /v1/limits: the bounds that hold for the caller (Decisions D2, D10, D42). */
export const limitsRoute: Route<ReadCall> = ({ partner: { settings } }) =>
  json(LIMITS.write(settings));
