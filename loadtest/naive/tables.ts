import { bigint, customType, integer, pgTable } from "drizzle-orm/pg-core";

// The product's own tables: the naive service is to differ in how it works, not in what it stores.
export { accounts, transfers } from "@sabika/service/ledger";
export { certificates, partners, signingKeys } from "@sabika/service/partners";
export { events } from "@sabika/service/events";
export { idempotencyKeys } from "@sabika/service/idempotency";
export { orders } from "@sabika/service/orders";
export { quotes } from "@sabika/service/quotes";
export { tokenKeys } from "@sabika/identity/tokens";

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

/** Partitioned, which Drizzle cannot say: so it is in no schema of the product's. */
export const nonces = pgTable("nonces", {
  partnerId: integer("partner_id").notNull(),
  timestampSeconds: bigint("timestamp_seconds", { mode: "number" }).notNull(),
  nonceHash: bytes("nonce_hash").notNull(),
});
