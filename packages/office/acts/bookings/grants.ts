import { formatMicrograms, refuse } from "@sabika/protocol";
import { changeAllocated, isStopped, readPoolOf } from "@sabika/service/vault";
import type { AdminRefusal } from "@sabika/terms";
import { type Booking, readAccountsOf, refusedByCell } from "./booking.ts";

interface Grant {
  readonly partner: string;
  /** Micrograms. */
  readonly grams: bigint;
}

/** The gold that a partner may still sell to its customers, after the change. */
export interface Allocation {
  readonly allocationMicrograms: bigint;
}

/**
 * Allocates gold of the vault to a partner, whose orders draw on it (Decision D39), or releases it. The
 * vault's row guarantees that all allocated gold exists; no order touches that row.
 */
export const grantGold = (kind: "allocate" | "release"): Booking<Grant, Allocation> => ({
  async prepare({ admin, partner: { partnerId }, cell }, { partner, grams }) {
    if (grams <= 0n) return refuse("invalid_amount", "the quantity is above zero");
    const accounts = await readAccountsOf(cell, partnerId);
    if (kind === "release" && (accounts?.allocationMicrograms ?? 0n) < grams) {
      return lessAllocated(partner, grams);
    }
    // Gold that is released stays allocated until the cell has booked the release.
    if (kind === "allocate") {
      const sql = admin.transaction;
      const pool = await readPoolOf(sql, partnerId);
      if (await isStopped(sql, pool)) {
        return refuse(
          "count_differs",
          `a count of the pool "${pool}" found a difference that is open: settle or accept it first`,
        );
      }
      if (!await changeAllocated(sql, pool, grams)) {
        return refuse(
          "insufficient_vault",
          `the vault has less than ${formatMicrograms(grams)} g of unallocated gold`,
        );
      }
    }
    const audit = { grams: formatMicrograms(grams) };
    return { ok: true, value: { terms: { amount: grams, audit } } };
  },
  async read(cell, { partnerId }) {
    const accounts = await readAccountsOf(cell, partnerId);
    return { allocationMicrograms: accounts!.allocationMicrograms };
  },
  refuse: (result, { partner, grams }) =>
    result === "insufficient_allocation" ? lessAllocated(partner, grams) : refusedByCell(result),
});

const lessAllocated = (clientId: string, micrograms: bigint): AdminRefusal =>
  refuse(
    "insufficient_allocation",
    `"${clientId}" has less than ${formatMicrograms(micrograms)} g allocated`,
  );
