import type { Listing, ListQuery } from "@sabika/service/lists";
import { pageToJson, refuse } from "@sabika/protocol";
import type { ReadCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import { readListQuery } from "./list_query.ts";
import type { Route } from "./route.ts";

/**
 * GET /v1/<resources>: one page, newest first, by cursor and filters (Decision D19).
 *
 * @param statuses the values that `status` may have; empty: there is no such filter
 * @param options.isNumbered whether `after_sequence` is allowed, which lists the oldest first
 * @returns a route that answers a page, or refuses an invalid query or cursor (`invalid_request`)
 */
export function listRoute<T>(
  list: (query: ListQuery) => Promise<Listing<T>>,
  statuses: readonly string[],
  toJson: (item: T) => string,
  { isNumbered = false } = {},
): Route<ReadCall> {
  return async (call) => {
    const query = readListQuery(call.query, statuses, isNumbered ? "numbered" : "filtered");
    if (!query.ok) return refuse("invalid_request", { errors: query.errors });
    const listing = await list({ ...query.value, partnerId: call.partner.partnerId });
    return listing.ok ? json(pageToJson(listing.page, toJson)) : listing;
  };
}
