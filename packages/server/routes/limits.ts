import { limitsToJson } from "@sabika/protocol";
import { json } from "../reply.ts";
import type { Route } from "./route.ts";

/** GET /v1/limits: the bounds that hold for the caller (Decisions D2, D10, D42). */
export const limitsRoute: Route = ({ partner: { settings } }) => json(limitsToJson(settings));
