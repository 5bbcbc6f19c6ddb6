import type { Database } from "@sabika/database";
import { readReceiptKeys } from "@sabika/identity/receipts";
import type { AttestationKey } from "@sabika/protocol";
import { createPriceHistory, type PriceHistoryReader } from "@sabika/service/prices";
import { createPublishedKeys, type PublishedKeys } from "@sabika/service/receipts";
import { createReserveReader, type ReserveReader } from "@sabika/service/reserves";
import { createVaultReader, readAttestationKeys, type VaultReader } from "@sabika/service/vault";

/** What is read of control for many partners alike. */
export interface Readers {
  readonly attestationKeys: PublishedKeys<AttestationKey>;
  readonly priceHistory: PriceHistoryReader;
  readonly receiptKeys: PublishedKeys;
  readonly reserves: ReserveReader;
  readonly vaultReader: VaultReader;
}

/** Opens the readers of control's database; `now` is epoch milliseconds. */
export function openReaders(control: { database: Database; now: () => number }): Readers {
  return {
    attestationKeys: createPublishedKeys(control, readAttestationKeys),
    priceHistory: createPriceHistory(control),
    receiptKeys: createPublishedKeys(control, readReceiptKeys),
    reserves: createReserveReader(control),
    vaultReader: createVaultReader(control),
  };
}
