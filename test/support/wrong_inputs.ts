type Case = readonly [
  act: string,
  rest: Record<string, string>,
  field: string,
  text: string,
  code: string,
];

/** Right arguments of some acts. */
export const BANK = { partner: "bank-one" };
/** Of a credit. */
export const CREDIT = { ...BANK, amount_sar: "5", reference: "TT-1" };
/** Of a bar that comes in. */
export const BAR = {
  serial: "S-1",
  refiner: "Emirates Gold",
  fineness: "999.9",
  weight_grams: "1000",
};
/** Of rates of VAT. */
export const TAX = {
  ...BANK,
  gold_vat_percent: "0",
  fee_vat_percent: "15",
  from_day: "2099-01-01",
};

const CONTACT = { ...BANK, name: "Huda", role: "Treasury", telephone: "+966 11 555 0100" };
const DOCUMENT = {
  ...BANK,
  kind: "licence",
  reference: "L-1",
  document_sha256: "5e".repeat(32),
  issued_on: "2026-01-31",
};

/** For each: an act, its other arguments, and one that is wrong, with what its field says. */
export const WRONG_INPUTS: readonly Case[] = [
  ["funding.credit", CREDIT, "amount_sar", "1,5", "ambiguous"],
  ["funding.credit", CREDIT, "amount_sar", "1.000,50", "ambiguous"],
  ["funding.credit", CREDIT, "amount_sar", "٢٥٠٬٠٠", "ambiguous"],
  ["funding.credit", CREDIT, "amount_sar", "250.000", "too_precise"],
  ["funding.credit", CREDIT, "amount_sar", "", "missing"],
  ["funding.credit", CREDIT, "amount_sar", "much <b>", "no_number"],
  ["funding.credit", CREDIT, "amount_sar", "5 USD", "wrong_unit"],
  ["funding.credit", CREDIT, "amount_sar", "0", "out_of_range"],
  ["funding.credit", CREDIT, "amount_sar", "-5", "out_of_range"],
  ["funding.credit", CREDIT, "amount_sar", "20,000,000,000", "out_of_range"],
  ["funding.credit", CREDIT, "reference", "حوالة", "wrong_reference"],
  ["funding.credit", CREDIT, "reference", "x".repeat(65), "wrong_reference"],
  ["funding.credit", CREDIT, "reference", " ", "missing"],
  ["funding.credit", CREDIT, "partner", "nobody", "refused"],
  ["funding.credit", CREDIT, "partner", "", "missing"],
  ["vault.allocate", { ...BANK, grams: "1" }, "grams", "0", "above_zero"],
  ["vault.allocate", { ...BANK, grams: "1" }, "grams", "1 oz", "wrong_unit"],
  ["vault.allocate", { ...BANK, grams: "1" }, "grams", "900 kg", "refused"],
  ["vault.release", { ...BANK, grams: "1" }, "grams", "1", "refused"],
  ["vault.release", { ...BANK, grams: "1" }, "grams", "0.00001", "too_precise"],
  ["vault.bar.add", BAR, "serial", "#1", "wrong_serial"],
  ["vault.bar.add", BAR, "fineness", "750", "out_of_range"],
  ["vault.bar.add", BAR, "fineness", "999,9", "ambiguous"],
  ["vault.bar.add", BAR, "weight_grams", "21 kg", "out_of_range"],
  ["vault.bar.add", BAR, "weight_grams", "0", "out_of_range"],
  ["vault.bar.add", BAR, "refiner", "", "missing"],
  ["vault.bar.add", BAR, "place", "x".repeat(65), "wrong_place"],
  ["vault.bar.add", BAR, "document", "x".repeat(129), "wrong_document"],
  ["vault.bar.move", { place: "Jeddah" }, "serial", "S-9", "refused"],
  ["vault.count", {}, "bars", "Z-9", "not_on_list"],
  ["vault.count", { unexpected: "Z-8" }, "bars", "Z-1\nZ-٢\n\nZ-2", "twice"],
  ["vault.count", {}, "bars", "Z-1 = heavy", "wrong_bar"],
  ["vault.count", {}, "unexpected", "سبيكة", "wrong_bar"],
  ["partner.update", BANK, "spread_percent", "100", "out_of_range"],
  ["partner.update", BANK, "spread_percent", "0,5", "ambiguous"],
  ["partner.update", BANK, "fee_percent", "101 %", "out_of_range"],
  ["partner.update", BANK, "fee_percent", "-1", "out_of_range"],
  ["partner.update", BANK, "min_grams", "0", "above_zero"],
  ["partner.update", BANK, "open_quotes", "1.5", "too_precise"],
  ["partner.update", BANK, "open_quotes", "100001", "out_of_range"],
  ["partner.update", BANK, "name", "x".repeat(129), "wrong_name"],
  ["partner.update", BANK, "rates.signed.burst", "many", "no_number"],
  ["partner.contact.set", CONTACT, "telephone", "0115550100", "wrong_telephone"],
  ["partner.contact.set", CONTACT, "mail", "huda at bank", "wrong_mail"],
  ["partner.document.set", DOCUMENT, "document_sha256", "5e5e", "wrong_sha256"],
  ["partner.document.set", DOCUMENT, "issued_on", "31/1/2026", "wrong_day"],
  ["tax.set", TAX, "fee_vat_percent", "150", "out_of_range"],
  ["tax.set", TAX, "from_day", "2026-02-30", "wrong_day"],
  ["tax.set", TAX, "from_day", "tomorrow", "wrong_day"],
  ["iban.set", BANK, "iban", "SA0380000000608010167510", "wrong_iban"],
  ["iban.set", BANK, "iban", "SA03", "wrong_iban"],
  ["iban.set", BANK, "iban", "", "missing"],
  ["webhook.set", BANK, "url", "http://hooks.bank.example/", "wrong_url"],
  ["webhook.set", BANK, "url", "hooks.bank.example", "wrong_url"],
  ["webhook.set", BANK, "url", "https://user@bank.example/", "wrong_url"],
  ["address.add", BANK, "cidr", "192.0.2.1/24", "wrong_cidr"],
  ["address.add", BANK, "cidr", "0.0.0.0/0", "wrong_cidr"],
  ["certificate.rotate", { ...BANK, overlap_ms: "0" }, "csr", "a request", "wrong_request"],
  ["price.set", { source: "fixed" }, "mid_price_sar", "0", "above_zero"],
  ["price.set", { source: "fixed" }, "mid_price_sar", "", "missing"],
  ["operator.add", { operator: "new" }, "operator", "New Person", "wrong_person"],
  ["operator.add", { operator: "new" }, "operator", "badr", "refused"],
  ["policy.time", {}, "seconds", "59", "out_of_range"],
  ["policy.administrators", {}, "least", "11", "out_of_range"],
];
