import type { Database } from "@sabika/database";
import { createPriceHistory, type PriceHistoryReader } from "@sabika/service/prices";
import { createPublishedKeys, type PublishedKeys } from "@sabika/service/receipts";
import { createReserveReader, type ReserveReader } from "@sabika/service/reserves";
import { createVaultReader, type VaultReader } from "@sabika/service/vault";

/** What is read of control for many partners alike. */
export interface Readers {
  readonly priceHistory: PriceHistoryReader;
  readonly receiptKeys: PublishedKeys;
  readonly reserves: ReserveReader;
  readonly vaultReader: VaultReader;
}

/** Opens the readers of control's database; `now` is epoch milliseconds. */
export function openReaders(control: { database: Database; now: () => number }): Readers {
  return {
    priceHistory: createPriceHistory(control),
    receiptKeys: createPublishedKeys(control),
    reserves: createReserveReader(control),
    vaultReader: createVaultReader(control),
  };
}
