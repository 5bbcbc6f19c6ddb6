import { notCarriedOut, type Refusal } from "@sabika/protocol";
import { type Database, plainArray, textArray } from "@sabika/database";
import type { SignedNonce } from "../batches/commands.ts";
import type { BatchWork } from "../batches/executor.ts";
import { movedAway } from "../batches/moved.ts";

/** A nonce that is spent separately: of a probe, a withdrawal, or a request that is refused later. */
export interface NonceItem {
  readonly partnerId: number;
  readonly nonce: SignedNonce;
}

/**
 * Spends nonces in batches of `spend_nonces`. The result says whether a nonce was fresh; it is a refusal when
 * the partner has moved, or when the nonce may have been spent by an attempt whose answer was lost.
 */
export function nonceWork(database: Database): BatchWork<NonceItem, { fresh: boolean } | Refusal> {
  return {
    partnerId: ({ partnerId }) => partnerId,
    tags: ({ nonce }) => [nonce.value],
    async run(items, afterLoss) {
      const rows = await database.sql<{ item: number; fresh: boolean | null }[]>`
        select * from spend_nonces(
          ${plainArray(items.map((item) => item.partnerId))}::integer[],
          ${textArray(items.map((item) => item.nonce.value))}::text[],
          ${plainArray(items.map((item) => item.nonce.timestampSeconds))}::bigint[])`;
      const results = new Array<{ fresh: boolean } | Refusal>(items.length);
      for (const { item, fresh } of rows) {
        if (fresh === null) results[item - 1] = movedAway(afterLoss);
        else results[item - 1] = !fresh && afterLoss ? notCarriedOut() : { fresh };
      }
      return results;
    },
  };
}
