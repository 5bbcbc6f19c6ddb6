import { formatId, type IdPrefix } from "@sabika/protocol";
import type { idempotencyKeys } from "./tables.ts";

/** What an Idempotency-Key can have made. */
export type ResourceKind = typeof idempotencyKeys.$inferSelect["resourceKind"];

const PREFIX_OF: Readonly<Record<ResourceKind, IdPrefix>> = {
  quote: "qt",
  order: "ord",
  withdrawal: "wd",
  funding: "fund",
  event: "evt",
  credential: "cr",
};

/** Formats the wire id of what an Idempotency-Key made, from its kind and UUID. */
export function resourceId(kind: ResourceKind, uuid: string): string {
  return formatId(PREFIX_OF[kind], uuid);
}
