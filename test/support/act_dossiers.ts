import { makePersonsKey, readPersonsKey } from "@sabika/identity/signatures";
import { type ActDossier, ofVault } from "./vault_dossiers.ts";

/** The IBAN of test partners. */
export const ACT_IBAN = "SA0380000000608010167519";

const partner = "bank-one";
const BANK = ["Partner: Bank bank-one (bank-one)", "State: active"];
const GUEST = ["Person: guest"];
const NO_KEY = "SHA-256 140bedbf9c3f6d56a9846d2ba7088798683f4da0c248231336e6a05679e4fdfe";

/**
 * A dossier of each act.
 *
 * @param withdrawal a pending one of 123.45 SAR, and its partner
 * @param receiptKeyId the key that signs receipts
 */
export async function actDossiers(
  withdrawal: { readonly id: string; readonly clientId: string },
  receiptKeyId: string,
): Promise<readonly ActDossier[]> {
  const { privatePem, publicPem } = await makePersonsKey();
  const { keyId } = (await readPersonsKey(privatePem))!;
  const key = { publicPem, line: `Key: ${keyId}`, receiptKeyId };
  return [
    ...ofPartners(key),
    ...ofPartnerFile(),
    ...ofVault(partner, BANK),
    ...ofMoney(withdrawal),
    ...ofPeople(key),
  ];
}

interface Key {
  readonly receiptKeyId: string;
  readonly publicPem: string;
  readonly line: string;
}

function ofPartners(key: Key): ActDossier[] {
  const hours = { overlap_ms: 86_400_000 };
  const ends = "The old ones end after: 1 day";
  return [
    ["partner.create", {
      client_id: "bank-new",
      name: "New",
      iban: ACT_IBAN,
      webhook_url: "https://n.example/",
      encrypt_to: "passphrase",
    }, [
      "Client id: bank-new",
      "Name: New",
      "IBAN: SA03 8000 0000 6080 1016 7519 (Al Rajhi Bank)",
      "Webhook URL: https://n.example/",
      "Calls from: none",
      "The kit is encrypted for: whoever has the passphrase, which is shown once",
    ]],
    ["partner.update", {
      partner,
      spread_percent: "0.6",
      max_grams: "2500",
      rates: { signed: { perSecond: 9, burst: 20 } },
    }, [
      ...BANK,
      "Spread: 0.5 % → 0.6 %",
      "Most gold of a quote: 10,000 g → 2,500 g",
      "Signed requests: 2,000 a second, 4,000 at once → 9 a second, 20 at once",
    ]],
    ["tax.set", { partner, gold_vat_percent: "0", fee_vat_percent: "15", from_day: "2999-01-01" }, [
      ...BANK,
      "From the day (Riyadh): 2999-01-01",
      "VAT on the gold: 0 % → 0 %",
      "VAT on the fee: 0 % → 15 %",
    ]],
    ["partner.suspend", { partner }, [BANK[0]!, "State: active → suspended"]],
    ["partner.resume", { partner }, [BANK[0]!, "State: active → active"]],
    ["iban.set", { partner, iban: "sa4420000001234567891234" }, [
      ...BANK,
      "IBAN: SA03 8000 0000 6080 1016 7519 (Al Rajhi Bank) → SA44 2000 0001 2345 6789 1234 (Riyad Bank)",
    ]],
    ["address.add", { partner, cidr: "192.0.2.0/24" }, [
      ...BANK,
      "Calls from: none → 192.0.2.0/24",
    ]],
    ["address.remove", { partner, cidr: "192.0.2.0/24" }, [...BANK, "Calls from: none → none"]],
    ["webhook.set", { partner, url: "https://o.example/" }, [
      ...BANK,
      "Webhook URL: https://hooks.bank.example/sabika → https://o.example/",
    ]],
    ...["webhook.ping", "webhook.enable", "webhook.disable"].map((name) =>
      [name, { partner }, [...BANK, "Webhook URL: https://hooks.bank.example/sabika"]] as const
    ),
    ["webhook.redeliver", { partner, event: "evt_1" }, [...BANK, "Event: evt_1"]],
    ["certificate.issue", { partner, csr: "none" }, [
      ...BANK,
      `Key of the certificate: ${NO_KEY}`,
    ]],
    ["certificate.rotate", { partner, csr: "none", ...hours }, [
      ...BANK,
      `Key of the certificate: ${NO_KEY}`,
      ends,
    ]],
    ["certificate.update", { partner, certificate: "ab", scopes: ["read"] }, [
      ...BANK,
      "Certificate: ab",
      "May: read",
    ]],
    ["certificate.revoke", { partner, certificate: "ab" }, [...BANK, "Certificate: ab"]],
    ["signing-key.add", { partner, key: key.publicPem }, [...BANK, key.line]],
    ["signing-key.rotate", { partner, key: key.publicPem, ...hours }, [...BANK, key.line, ends]],
    ["signing-key.retire", { partner, key_id: "k1", ...hours }, [...BANK, "Key: k1", ends]],
    ["credential.refuse", { partner, request: "cr_1", reason: "not agreed" }, [
      ...BANK,
      "The partner's request: cr_1",
      "Reason: not agreed",
    ]],
    ["client-secret.rotate", { partner, overlap_ms: 0 }, [
      ...BANK,
      "The old ones end after: 0 seconds",
    ]],
    ["webhook-secret.rotate", { partner, ...hours }, [...BANK, ends]],
    ["token.revoke", { partner, token: "tok_1" }, [...BANK, "Token: tok_1"]],
    ["receipt-key.rotate", {}, [`Receipt key that ends: ${key.receiptKeyId}`]],
    ["token-key.rotate", {}, []],
  ];
}

function ofPartnerFile(): ActDossier[] {
  return [
    ["partner.contact.set", { partner, name: "Huda", role: "Treasury", mail: "huda@b.example" }, [
      ...BANK,
      "Name: Huda",
      "Role: Treasury",
      "Telephone: none",
      "Mail: huda@b.example",
    ]],
    ["partner.contact.remove", { partner, name: "Nobody" }, [...BANK, "Name: Nobody"]],
    ["partner.document.set", {
      partner,
      kind: "licence",
      reference: "L-1",
      document_sha256: "ab".repeat(32),
      issued_on: "2026-01-01",
    }, [
      ...BANK,
      "Document: L-1",
      "Kind of document: licence",
      `SHA-256 of the document: ${"ab".repeat(32)}`,
      "Issued on: 2026-01-01",
      "Last day (Riyadh): none",
    ]],
    ["partner.document.remove", { partner, reference: "L-0" }, [...BANK, "Document: L-0"]],
  ];
}

function ofMoney(withdrawal: { readonly id: string; readonly clientId: string }): ActDossier[] {
  return [
    ["reserve.bank.set", { day: "2026-01-01", amount_sar: "250000.50" }, [
      "At the end of the day (Riyadh): 2026-01-01",
      "On the operator's bank account: 250,000.50 SAR",
      "Entered for a day before: none",
    ]],
    // Of one that cannot be read, nothing more.
    ["reserve.attest", { day: "2026-01-01", signature: "x" }, [
      "At the end of the day (Riyadh): 2026-01-01",
    ]],
    ["funding.credit", { partner, amount_sar: "250000", reference: "FT1" }, [
      ...BANK,
      "Amount: 250,000.00 SAR",
      "Bank's reference: FT1",
      "Credited before with this reference: no",
      "The partner's money now: 0.00 SAR",
      "You did this today before: never",
      "Done for this partner today: never",
      "What happens next: it waits for a second person",
      "Then needs: treasury, administrator",
    ]],
    ...([["processing", "being paid"], ["completed", "paid"], [
      "cancelled",
      "cancelled; the money goes back",
    ]] as const).map(([state, words]) =>
      [`withdrawal.${state}`, { withdrawal: withdrawal.id }, [
        `Partner: Test (${withdrawal.clientId})`,
        "State: active",
        "Amount: 123.45 SAR",
        "IBAN: SA03 8000 0000 6080 1016 7519 (Al Rajhi Bank)",
        `Withdrawal: pending → ${words}`,
      ]] as const
    ),
    ["withdrawal.failed", { withdrawal: withdrawal.id, failure: "closed" }, []],
    ["price.set", { source: "fixed", mid_price_sar: "485.25" }, [
      "Source of prices: fixed → fixed",
      "Mid price: 400 SAR/g → 485.25 SAR/g",
    ]],
    ["price.pause", {}, [
      "Quotes: are made → paused",
      "Source of prices: fixed",
      "Mid price: 400 SAR/g",
    ]],
    ["price.resume", {}, ["Quotes: are made → are made"]],
  ];
}

function ofPeople(key: Key): ActDossier[] {
  return [
    ["operator.add", { operator: "new", roles: ["vault", "prices"] }, [
      "Person: new",
      "Roles: vault, prices",
    ]],
    ["operator.enable", { operator: "guest" }, [
      ...GUEST,
      "State: may act → may act",
      "Roles: vault",
      "Keys: 0",
    ]],
    ["operator.disable", { operator: "guest" }, [...GUEST, "State: may act → disabled"]],
    ["operator.role.add", { operator: "guest", role: "prices" }, [
      ...GUEST,
      "Roles: vault → prices, vault",
    ]],
    ["operator.role.remove", { operator: "guest", role: "vault" }, [
      ...GUEST,
      "Roles: vault → none",
    ]],
    ["operator.key.add", { operator: "guest", key: key.publicPem }, [...GUEST, key.line]],
    ["attestation-key.add", { role: "inspector", holder: "Gulf", key: key.publicPem }, [
      "Registered as: inspector, who signs counts",
      "Holder of the key: Gulf",
      key.line,
    ]],
    ["attestation-key.end", { key: "k1" }, ["Key: k1"]],
    ["refiner.add", {
      list: "good_delivery",
      refiner: "PAMP",
      from_day: "2026-01-01",
      document_sha256: "cd".repeat(32),
    }, [
      "List of refiners: London Good Delivery list",
      "Refiner: PAMP",
      "On it from: 2026-01-01",
      `SHA-256 of the document: ${"cd".repeat(32)}`,
    ]],
    ["refiner.end", { list: "own", refiner: "PAMP", until_day: "2026-12-31" }, [
      "List of refiners: our own list",
      "Refiner: PAMP",
      "On it until: 2026-12-31",
    ]],
    ["refiner.unlisted", { unlisted: "refuse" }, [
      "Bars of refiners on no list: taken in, and said to be of no list → refused",
    ]],
    ["operator.key.rotate", { key: key.publicPem }, []],
    ["operator.key.end", { operator: "guest", key_id: "k1" }, [...GUEST, "Key: k1"]],
    ["operator.link", { operator: "guest", link_sha256: "ab" }, [
      ...GUEST,
      "Link for a passkey, as SHA-256: ab",
    ]],
    ...["operator.identity.add", "operator.identity.end"].map((name) =>
      [name, { operator: "guest", issuer: "https://i.example", subject: "s" }, [
        ...GUEST,
        "Identity provider: https://i.example",
        "Known there as: s",
      ]] as const
    ),
    ["policy.set", {
      act: "funding.credit",
      conditions: ["amount_sar above 5000 a day by person", "amount_sar above 900"],
      approvers: ["vault"],
    }, [
      "Act: funding.credit",
      "Needs two people: Amount above 100,000 or Amount above 500,000 together a day by one person → " +
      "Amount above 5,000 together a day by one person or Amount above 900",
      "Who approves: treasury, administrator → vault",
    ]],
    ["policy.remove", { act: "price.set" }, [
      "Act: price.set",
      "Needs two people: Source of prices is fixed or Source of prices is from a feed → none",
    ]],
    ["policy.time", { seconds: 7_200 }, ["A request waits: 1 day → 2 hours"]],
    ["policy.administrators", { least: 3 }, ["Administrators who stay: 2 → 3"]],
  ];
}
