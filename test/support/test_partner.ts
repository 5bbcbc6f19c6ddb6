import { type OrderRequest, parseId, type QuoteRequest } from "@sabika/protocol";
import type { Database, Transaction } from "@sabika/database";
import type {
  CancelCommand,
  FundCommand,
  OrderCommand,
  QuoteCommand,
  TradingPartner,
  WithdrawCommand,
} from "@sabika/service/batches";
import { openAccounts, postTransfer } from "@sabika/service/ledger";
import type { TradingSettings } from "@sabika/terms/pricing";

/** Returns random bytes from Web Crypto. */
export const random = (length: number): Uint8Array =>
  crypto.getRandomValues(new Uint8Array(length));

/** A partner that was admitted without credentials, and functions that make its commands. */
export interface TestPartner extends TradingPartner {
  quote(request?: Partial<QuoteRequest>, rest?: Partial<QuoteCommand>): QuoteCommand;
  order(quoteId: OrderRequest["quoteId"], rest?: Partial<OrderCommand>): OrderCommand;
  fund(amountHalalas: bigint, rest?: Partial<FundCommand>): FundCommand;
  withdraw(amountHalalas: bigint, rest?: Partial<WithdrawCommand>): WithdrawCommand;
  /** @param withdrawalId the wire id */
  cancel(withdrawalId: string, rest?: Partial<CancelCommand>): CancelCommand;
}

/** The settlement IBAN of partners in tests. */
export const TEST_IBAN = "SA0380000000608010167519";

/** The balances and terms of a test's partner; by default only one tonne of allocated gold. */
export interface TestPartnerOptions {
  cashHalalas?: bigint;
  goldMicrograms?: bigint;
  allocationMicrograms?: bigint;
  settings?: Partial<TradingSettings>;
}

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
  const partnerId = await database.sql.begin(async (sql) => {
    const [row] = await sql<{ partner_id: number }[]>`
      insert into partners (client_id, name, settlement_iban)
      values (${`test-${crypto.randomUUID()}`}, 'Test', ${TEST_IBAN}) returning partner_id`;
    const id = row!.partner_id;
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
    const gold = goldMicrograms + allocationMicrograms;
    if (gold > 0n) await giveGold(sql, id, gold);
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

/** Adds a bar of `gold` micrograms to the vault, allocated to nobody. */
export async function addTestBar(sql: Transaction, serial: string, gold: bigint): Promise<void> {
  await sql`
    insert into vault_bars (serial, refiner, fineness_ten_thousandths, weight_micrograms)
    values (${serial}, 'Test', 9999, ${gold})`;
  await sql`update vault set bars_micrograms = bars_micrograms + ${gold}`;
}

/** Adds a bar of `gold` micrograms to the vault and allocates it to the partner, by a transfer. */
export async function giveGold(sql: Transaction, partnerId: number, gold: bigint): Promise<void> {
  await addTestBar(sql, `T${partnerId}`, gold);
  await sql`update vault set allocated_micrograms = allocated_micrograms + ${gold}`;
  await postTransfer(sql, {
    partnerId,
    asset: "XAU",
    debit: "vault",
    credit: "allocation",
    amount: gold,
    sourceKind: "allocation",
    sourceId: crypto.randomUUID(),
  });
}

/** Makes the commands of a partner that is admitted already, with `TEST_IBAN`. */
export function testPartner(
  partnerId: number,
  settings: Partial<TradingSettings> = {},
): TestPartner {
  const partner: TradingPartner = {
    partnerId,
    settlementIban: TEST_IBAN,
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
  const nonce = () => ({
    value: crypto.randomUUID(),
    timestampSeconds: Math.floor(Date.now() / 1_000),
  });
  return {
    ...partner,
    quote: (request = {}, rest = {}) => ({
      ...command(
        {
          side: "buy",
          ...(request.amountHalalas === undefined && { goldMicrograms: 1_000_000n }),
          ...request,
        } as QuoteRequest,
      ),
      ...rest,
    }),
    order: (quoteId, rest = {}) => ({
      ...command({ quoteId, clientReference: null }),
      nonce: nonce(),
      ...rest,
    }),
    fund: (amountHalalas, rest = {}) => ({ ...command({ amountHalalas }), ...rest }),
    withdraw: (amountHalalas, rest = {}) => ({
      ...command({ amountHalalas, clientReference: null }),
      nonce: nonce(),
      ...rest,
    }),
    cancel: (withdrawalId, rest = {}) => ({
      ...command({ withdrawalId: parseId("wd", withdrawalId)! }),
      nonce: nonce(),
      ...rest,
    }),
  };
}
