import { type OrderRequest, parseId, type QuoteRequest } from "@sabika/protocol";
import { openAccounts } from "@sabika/core/ledger";
import type { Database } from "@sabika/core/store";
import type {
  CancelCommand,
  FundCommand,
  OrderCommand,
  QuoteCommand,
  TradingPartner,
  TradingSettings,
  WithdrawCommand,
} from "@sabika/core/trading";

export const random = (length: number): Uint8Array =>
  crypto.getRandomValues(new Uint8Array(length));

/** A partner that is admitted without credentials, with commands ready to be sent. */
export interface TestPartner extends TradingPartner {
  quote(request?: Partial<QuoteRequest>, rest?: Partial<QuoteCommand>): QuoteCommand;
  order(quoteId: OrderRequest["quoteId"], rest?: Partial<OrderCommand>): OrderCommand;
  fund(amountHalalas: bigint, rest?: Partial<FundCommand>): FundCommand;
  withdraw(amountHalalas: bigint, rest?: Partial<WithdrawCommand>): WithdrawCommand;
  /** @param withdrawalId the wire id */
  cancel(withdrawalId: string, rest?: Partial<CancelCommand>): CancelCommand;
}

export interface TestPartnerOptions {
  cashHalalas?: bigint;
  goldMicrograms?: bigint;
  allocationMicrograms?: bigint;
  settings?: Partial<TradingSettings>;
}

/**
 * Admits a partner and gives it money and gold by transfers, so that the ledger is whole; the vault
 * gets a bar for it.
 */
export async function admitTestPartner(
  database: Database,
  options: TestPartnerOptions = {},
): Promise<TestPartner> {
  const { cashHalalas = 0n, goldMicrograms = 0n, allocationMicrograms = 1_000_000_000_000n } =
    options;
  const settlementIban = "SA0380000000608010167519";
  const partnerId = await database.sql.begin(async (sql) => {
    const [row] = await sql<{ partner_id: number }[]>`
      insert into partners (client_id, name, settlement_iban)
      values (${`test-${crypto.randomUUID()}`}, 'Test', ${settlementIban}) returning partner_id`;
    const id = row!.partner_id;
    await openAccounts(sql, id);
    const gold = goldMicrograms + allocationMicrograms;
    const transfers: [string, string, string, bigint, string][] = [
      ["SAR", "bank", "cash", cashHalalas, "funding"],
      ["XAU", "vault", "allocation", gold, "allocation"],
      ["XAU", "allocation", "gold", goldMicrograms, "order"],
    ];
    let number = 0;
    for (const [asset, debit, credit, amount, kind] of transfers) {
      if (amount === 0n) continue;
      number += 1;
      await sql`
        insert into transfers (partner_id, number, amount, posted_at, source_id, asset,
          debit_account, credit_account, source_kind)
        values (${id}::integer, ${number}, ${amount}, now(), ${crypto.randomUUID()}, ${asset},
          ${debit}, ${credit}, ${kind})`;
    }
    await sql`
      update accounts set cash_halalas = ${cashHalalas}, bank_halalas = ${-cashHalalas},
        gold_micrograms = ${goldMicrograms}, allocation_micrograms = ${allocationMicrograms},
        vault_micrograms = ${-gold}, last_transfer = ${number}
      where partner_id = ${id}::integer`;
    await sql`
      update vault set bars_micrograms = bars_micrograms + ${gold},
        allocated_micrograms = allocated_micrograms + ${gold}`;
    if (gold > 0n) {
      await sql`
        insert into vault_bars (serial, refiner, fineness_ten_thousandths, weight_micrograms)
        values (${`T${id}`}, 'Test', 9999, ${gold})`;
    }
    return id;
  });
  return testPartner({
    partnerId,
    settlementIban,
    settings: {
      quoteMinMicrograms: 10_000n,
      quoteMaxMicrograms: 10_000_000_000n,
      openQuotesLimit: 100,
      spreadPpm: 5_000n,
      feePpm: 2_500n,
      ...options.settings,
    },
  });
}

function testPartner(partner: TradingPartner): TestPartner {
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
