import { createHash, generateKeyPairSync, sign } from "node:crypto";
import {
  encodeBase64Url,
  encodeUtf8,
  type OrderRequest,
  parseId,
  type PublicJwk,
  type QuoteRequest,
  thumbprint,
} from "@sabika/protocol";
import type { AnySql, Database } from "@sabika/database";
import type {
  CancelCommand,
  FundCommand,
  OrderCommand,
  QuoteCommand,
  TradingPartner,
  WithdrawCommand,
} from "@sabika/service/batches";
import { openAccounts } from "@sabika/service/ledger";
import type { TradingSettings } from "@sabika/terms/pricing";
import { adoptChanges } from "./adopt_rows.ts";
import { postTransfer } from "./post_transfer.ts";
import { giveGold } from "./test_vault.ts";

/**
 * A partner that trades, and functions that make its commands, each with a new idempotency key and, if it is
 * signed, a new nonce.
 */
export interface TestPartner extends TradingPartner {
  quote(request?: Partial<QuoteRequest>, overrides?: Partial<QuoteCommand>): QuoteCommand;
  order(quoteId: OrderRequest["quoteId"], overrides?: Partial<OrderCommand>): OrderCommand;
  fund(amountHalalas: bigint, overrides?: Partial<FundCommand>): FundCommand;
  withdraw(amountHalalas: bigint, overrides?: Partial<WithdrawCommand>): WithdrawCommand;
  /** @param withdrawalId the wire id */
  cancel(withdrawalId: string, overrides?: Partial<CancelCommand>): CancelCommand;
}

/** The key with which all partners sign; in this process alone. */
const SIGNER = generateKeyPairSync("ec", { namedCurve: "P-256" });
const SIGNER_JWK = SIGNER.publicKey.export({ format: "jwk" }) as PublicJwk;
const KEY_ID = await thumbprint(SIGNER_JWK);
const HEADER = encodeBase64Url(encodeUtf8('{"alg":"ES256","b64":false,"crit":["b64"]}'));

/** The settlement IBAN of partners in tests. */
export const TEST_IBAN = "SA0380000000608010167519";

/**
 * A test partner's balances, by default none but an allocation of one tonne (10^12 µg), and the terms that its
 * commands carry; of these its row has the rates.
 */
export interface TestPartnerOptions {
  cashHalalas?: bigint;
  goldMicrograms?: bigint;
  allocationMicrograms?: bigint;
  settings?: TestSettings;
}

/** Its terms; with a rate of VAT on gold, `vatPpm` is that of the fee. */
export type TestSettings = Partial<TradingSettings> & { goldVatPpm?: bigint };

/**
 * Admits a partner and gives it money and gold by transfers, so that the ledger balances. The vault gets a
 * bar for the gold.
 */
export async function admitTestPartner(
  database: Database,
  options: TestPartnerOptions = {},
): Promise<TestPartner> {
  const { cashHalalas = 0n, goldMicrograms = 0n, allocationMicrograms = 1_000_000_000_000n } =
    options;
  const { spreadPpm = 5_000n, feePpm = 2_500n, vatPpm = 0n, goldVatPpm } = options.settings ?? {};
  const taxes = goldVatPpm === undefined ? null : JSON.stringify({
    "2026-01-01": { gold_ppm: Number(goldVatPpm), fee_ppm: Number(vatPpm) },
  });
  const partnerId = await database.sql.begin(async (sql) => {
    const [row] = await sql<{ partner_id: number }[]>`
      insert into partners (client_id, name, settlement_iban, spread_ppm, fee_ppm, vat_ppm, taxes)
      values (${`test-${crypto.randomUUID()}`}, 'Test', ${TEST_IBAN}, ${spreadPpm}::bigint,
        ${feePpm}::bigint, ${vatPpm}::bigint, ${taxes}::text::jsonb) returning partner_id`;
    const id = row!.partner_id;
    await registerTestKey(sql, id);
    await openAccounts(sql, id);
    const ids = () => ({ partnerId: id, sourceId: crypto.randomUUID() });
    if (cashHalalas > 0n) {
      const funding = {
        asset: "SAR",
        debit: "bank",
        credit: "cash",
        sourceKind: "funding",
      } as const;
      await postTransfer(sql, { ...ids(), ...funding, amount: cashHalalas });
    }
    const totalMicrograms = goldMicrograms + allocationMicrograms;
    if (totalMicrograms > 0n) await giveGold(sql, id, totalMicrograms);
    if (goldMicrograms > 0n) {
      const buy = {
        asset: "XAU",
        debit: "allocation",
        credit: "gold",
        sourceKind: "order",
      } as const;
      await postTransfer(sql, { ...ids(), ...buy, amount: goldMicrograms });
    }
    return id;
  });
  return testPartner(partnerId, options.settings);
}

/** Registers the key with which the commands of test partners are signed. */
export async function registerTestKey(sql: AnySql, partnerId: number): Promise<void> {
  await sql`insert into signing_keys (partner_id, key_id, public_jwk, valid_from)
    values (${partnerId}::integer, ${KEY_ID}, ${JSON.stringify(SIGNER_JWK)}::text::jsonb, 'epoch')`;
  await adoptChanges(sql);
}

/** Makes commands for a partner that is already admitted. */
export function testPartner(
  partnerId: number,
  settings: TestSettings = {},
): TestPartner {
  const partner: TradingPartner = {
    partnerId,
    settings: {
      quoteMinMicrograms: 10_000n,
      quoteMaxMicrograms: 10_000_000_000n,
      openQuotesLimit: 100,
      spreadPpm: 5_000n,
      feePpm: 2_500n,
      ...settings,
    },
  };
  const command = <T>(request: T) => ({
    partner,
    idempotencyKey: crypto.randomUUID(),
    parameters: 'POST\n/v1/orders\n\n{"test":true}',
    receivedAtMs: Date.now(),
    request,
  });
  const signed = (path: string, request: object) => {
    const nonce = { value: crypto.randomUUID(), timestampSeconds: Math.floor(Date.now() / 1_000) };
    const [url, body] = [`https://sandbox.test/v1/${path}`, JSON.stringify(request)];
    const hash = createHash("sha256").update(body).digest("hex");
    const lines = ["POST", url, hash, nonce.timestampSeconds, nonce.value].join("\n");
    const key = { key: SIGNER.privateKey, dsaEncoding: "ieee-p1363" } as const;
    const signature = sign("sha256", Buffer.from(`${HEADER}.${lines}`), key).toString("base64url");
    const evidence = { url, body, keyId: KEY_ID, signature: `${HEADER}..${signature}` };
    return { nonce, evidence };
  };
  return {
    ...partner,
    quote: (request = {}, overrides = {}) => ({
      ...command(
        {
          side: "buy",
          ...(request.amountHalalas === undefined && { goldMicrograms: 1_000_000n }),
          ...request,
        } as QuoteRequest,
      ),
      ...overrides,
    }),
    order: (quoteId, overrides = {}) => ({
      ...command({ quoteId, clientReference: null }),
      ...signed("orders", { quote_id: quoteId }),
      ...overrides,
    }),
    fund: (amountHalalas, overrides = {}) => ({ ...command({ amountHalalas }), ...overrides }),
    withdraw: (amountHalalas, overrides = {}) => ({
      ...command({ amountHalalas, clientReference: null }),
      ...signed("withdrawals", { amount_sar: Number(amountHalalas) / 100 }),
      ...overrides,
    }),
    cancel: (withdrawalId, overrides = {}) => ({
      ...command({ withdrawalId: parseId("wd", withdrawalId)! }),
      ...signed(`withdrawals/${withdrawalId}/cancel`, {}),
      ...overrides,
    }),
  };
}
