import { parseId, refuse } from "@sabika/protocol";
import type { ReadCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import type { Route } from "./route.ts";

/** The service's name for the UUID inside an id, by its prefix. */
const NAME_OF = {
  qt: "quoteId",
  ord: "orderId",
  wd: "withdrawalId",
  evt: "eventId",
  cr: "credentialId",
} as const;
type Prefix = keyof typeof NAME_OF;

/**
 * GET /v1/<resources>/{id}. Another partner's id, an unknown one and a malformed one get the same
 * answer (Decision D19).
 */
export function resourceRoute<P extends Prefix, T>(
  prefix: P,
  get: (
    query: { partnerId: number } & Record<(typeof NAME_OF)[P], string>,
  ) => Promise<T | undefined>,
  toJson: (value: T) => string,
): Route<ReadCall> {
  return async ({ partner: { partnerId } }, id) => {
    const unknown = prefix === "qt" ? "quote_not_found" : "not_found";
    const uuid = parseId(prefix, id);
    if (uuid === undefined) return refuse(unknown);
    const query = { partnerId, [NAME_OF[prefix]]: uuid } as Parameters<typeof get>[0];
    const found = await get(query);
    return found === undefined ? refuse(unknown) : json(toJson(found));
  };
}
