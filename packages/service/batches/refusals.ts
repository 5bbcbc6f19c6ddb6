import {
  decimal,
  formatHalalas,
  formatMicrograms,
  type MetaValue,
  type Refusal,
  refuse,
} from "@sabika/protocol";
import { resourceId, type ResourceKind } from "../idempotency/resource_id.ts";

/** Refuses an Idempotency-Key that made something else before, by its UUID (Decision D30). */
export function keyConflict(kind: ResourceKind, uuid: string): Refusal {
  return refuse("idempotency_key_conflict", { meta: { resource_id: resourceId(kind, uuid) } });
}

/** Refuses when fewer halalas or micrograms are available than needed (Decision D32). */
export function insufficient(asset: "SAR" | "XAU", available: bigint, needed: bigint): Refusal {
  return refuse(asset === "SAR" ? "insufficient_funds" : "insufficient_gold", {
    meta: { asset, available: inUnits(asset, available), needed: inUnits(asset, needed) },
  });
}

/** Refuses halalas or micrograms out of bounds (Decision D32); undefined when they are within. */
export function outOfBounds(
  asset: "SAR" | "XAU",
  amount: bigint,
  minimum: bigint,
  maximum: bigint,
): Refusal | undefined {
  if (amount < minimum) return belowMinimum(asset, minimum);
  if (amount > maximum) return aboveMaximum(asset, maximum);
  return undefined;
}

/** Refuses less than a minimum in halalas or micrograms. */
export function belowMinimum(asset: "SAR" | "XAU", minimum: bigint): Refusal {
  return refuse("amount_below_minimum", { meta: { asset, minimum: inUnits(asset, minimum) } });
}

/** Refuses more than a maximum in halalas or micrograms. */
export function aboveMaximum(asset: "SAR" | "XAU", maximum: bigint): Refusal {
  return refuse("amount_above_maximum", { meta: { asset, maximum: inUnits(asset, maximum) } });
}

function inUnits(asset: "SAR" | "XAU", amount: bigint): MetaValue {
  return decimal(asset === "SAR" ? formatHalalas(amount) : formatMicrograms(amount));
}
