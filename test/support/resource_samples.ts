import type {
  Balances,
  Funding,
  LedgerEntry,
  Order,
  Price,
  Quote,
  SignedProbe,
  Withdrawal,
} from "@sabika/protocol";

/** The UUID and the time of the samples below: one resource of each kind, for tests of its wire form. */
export const UUID = "01935a5c-7c00-7abc-8def-0123456789ab";
export const TIME_MS = Date.UTC(2026, 10, 20, 9, 30);
export const TIME = '"2026-11-20T09:30:00.000Z"';

export const SAMPLE_PRICE: Price = {
  buyPriceTenThousandths: 4_130_000n,
  sellPriceTenThousandths: 4_110_050n,
  midPriceTenThousandths: 4_120_025n,
  asOfMs: TIME_MS,
};
export const SAMPLE_QUOTE: Quote = {
  id: `qt_${UUID}`,
  status: "open",
  side: "buy",
  goldMicrograms: 1_500_000n,
  pricePerGramTenThousandths: 4_130_000n,
  feeHalalas: 155n,
  vatRatePpm: 150_000n,
  vatHalalas: 0n,
  totalHalalas: 62_105n,
  priceAsOfMs: TIME_MS - 250,
  createdAtMs: TIME_MS,
  expiresAtMs: TIME_MS + 60_000,
  orderId: null,
};
export const SAMPLE_BALANCES: Balances = { sarHalalas: 37_895n, goldMicrograms: 1_500_000n };
export const SAMPLE_ORDER: Order = {
  id: `ord_${UUID}`,
  quoteId: `qt_${UUID}`,
  status: "executed",
  side: "buy",
  goldMicrograms: 1_500_000n,
  pricePerGramTenThousandths: 4_130_000n,
  feeHalalas: 155n,
  vatHalalas: 0n,
  totalHalalas: 62_105n,
  clientReference: null,
  createdAtMs: TIME_MS,
  executedAtMs: TIME_MS + 4,
};
/** The parts of a trade with VAT on the fee (Decision D93). */
export const SAMPLE_PARTS = {
  vatHalalas: 24n,
  goldVatRatePpm: 0n,
  goldVatHalalas: 0n,
  feeVatRatePpm: 150_000n,
  feeVatHalalas: 24n,
  priceSource: "feed",
  priceAsOfMs: TIME_MS - 250,
} as const;
export const SAMPLE_WITHDRAWAL: Withdrawal = {
  id: `wd_${UUID}`,
  status: "pending",
  amountHalalas: 10_000n,
  ibanMasked: "SA03****************7519",
  clientReference: 'say "hi"',
  createdAtMs: TIME_MS,
  completedAtMs: null,
  failureReason: null,
};
export const SAMPLE_FUNDING: Funding = {
  id: `fund_${UUID}`,
  status: "completed",
  amountHalalas: 100_000n,
  balanceHalalas: 100_000n,
  createdAtMs: TIME_MS,
};
export const SAMPLE_PROBE: SignedProbe = {
  keyId: "k",
  urlForm: "absolute",
  canonicalSha256: "ab",
  serverTimeMs: TIME_MS,
  skewSeconds: -2,
};
export const SAMPLE_ENTRY: LedgerEntry = {
  number: 7,
  asset: "SAR",
  debitAccount: "cash",
  creditAccount: "house_cash",
  amount: 62_105n,
  sourceKind: "order",
  sourceId: `ord_${UUID}`,
  postedAtMs: TIME_MS,
};
