import type { Account, Asset } from "@sabika/protocol";

/** A partner's accounts: the asset of each, and its column in the partner's row of `accounts`. */
export const ACCOUNT_COLUMNS: Readonly<Record<Account, { asset: Asset; column: string }>> = {
  cash: { asset: "SAR", column: "cash_halalas" },
  house_cash: { asset: "SAR", column: "house_cash_halalas" },
  withdrawals: { asset: "SAR", column: "withdrawals_halalas" },
  bank: { asset: "SAR", column: "bank_halalas" },
  vat: { asset: "SAR", column: "vat_halalas" },
  gold: { asset: "XAU", column: "gold_micrograms" },
  allocation: { asset: "XAU", column: "allocation_micrograms" },
  vault: { asset: "XAU", column: "vault_micrograms" },
};
