import { PASSPHRASE } from "@sabika/identity/keys";
import type { PartnerChanges } from "@sabika/service/partners";
import { DEFAULT_RATE_LIMITS } from "@sabika/service/partners";
import { formatTerm, RATE_CLASSES, TERM_ENTRIES } from "@sabika/terms";
import { readCidr } from "@sabika/terms/addresses";
import { formatDecimal } from "@sabika/protocol";
import { change, type Dossier, type Line, line, type Value } from "./line.ts";
import { type Describe, ofPartner } from "./subject.ts";

type Terms = Readonly<Partial<Record<string, unknown>>>;
type Kept = Readonly<Partial<Record<string, unknown>>>;

const yesOrNo = (value: unknown): Value => ({ word: value === true ? "yes" : "no" });

/** The terms that an act sets, each with what it is before; without `kept`, of a new partner. */
function termLines(input: Terms, kept?: Kept): Dossier {
  const lines: Line[] = [];
  for (const [key, { name, unit }] of TERM_ENTRIES) {
    const value = input[name];
    if (value === undefined) continue;
    const valueOf = (value: unknown): Value => {
      const text = formatTerm(unit, value as bigint | number);
      return unit === "count"
        ? { count: Number(text) }
        : unit === "percent"
        ? { percent: text }
        : { grams: text };
    };
    lines.push(
      kept === undefined
        ? line(name, valueOf(value))
        : change(name, valueOf(kept[key]), valueOf(value)),
    );
  }
  const discloses = input["discloses_spread"];
  if (discloses !== undefined) {
    lines.push(change("discloses_spread", yesOrNo(kept?.["disclosesSpread"]), yesOrNo(discloses)));
  }
  const rates = input["rates"] as PartnerChanges["rateLimits"];
  const before = kept?.["rateLimits"] as PartnerChanges["rateLimits"];
  for (const name of RATE_CLASSES) {
    const rate = rates?.[name];
    if (rate === undefined) continue;
    const was = before?.[name] ?? DEFAULT_RATE_LIMITS[name];
    lines.push(change(`rate_${name}`, { rate: was }, { rate }));
  }
  return lines;
}

/** A new name and new terms. */
export const describeTerms: Describe<Terms & { readonly name: string | undefined }> = ofPartner((
  { input, partner },
) => [
  ...input.name === undefined ? [] : [change("name", { text: partner.name }, { text: input.name })],
  ...termLines(input, { ...partner }),
]);

/** Rates of VAT from a day on, in place of those of that day. */
export const describeTax: Describe<{
  readonly gold_vat_percent: bigint;
  readonly fee_vat_percent: bigint;
  readonly from_day: string;
}> = ofPartner(({ input, partner: { taxes, vatPpm } }) => {
  const [, before] = Object.entries(taxes ?? {}).sort().filter(([day]) => day <= input.from_day)
    .at(-1) ?? [];
  const percent = (ppm: bigint | number): Value => ({ percent: formatDecimal(BigInt(ppm), 4) });
  return [
    line("from_day", { text: input.from_day }),
    change(
      "gold_vat_percent",
      percent(before?.gold_ppm ?? vatPpm),
      percent(input.gold_vat_percent),
    ),
    change("fee_vat_percent", percent(before?.fee_ppm ?? vatPpm), percent(input.fee_vat_percent)),
  ];
});

/** Another state. */
export const describeStatus = (status: "active" | "suspended"): Describe<object> =>
async (
  subject,
) => {
  const [partner] = await ofPartner<object>()(subject);
  return [partner!, change("status", { word: subject.partner!.status }, { word: status })];
};

/** Another IBAN. */
export const describeIban: Describe<{ readonly iban: string }> = ofPartner((
  { input, partner: { settlementIban } },
) => [change("iban", { iban: settlementIban }, { iban: compact(input.iban) })]);

/** An address more, or one less. */
export const describeAddress = (isAllowed: boolean): Describe<{ readonly cidr: string }> =>
  ofPartner(async ({ input, partner: { partnerId }, control }) => {
    const cidr = cidrOf(input.cidr);
    const rows = await control<{ cidr: string }[]>`select cidr from source_addresses
      where partner_id = ${partnerId}::integer order by cidr`;
    const before = rows.map((row) => row.cidr);
    const after = isAllowed
      ? [...before.filter((known) => known !== cidr), cidr]
      : before.filter((known) => known !== cidr);
    return [change("addresses", { texts: before }, { texts: after })];
  });

/** What a new partner begins with. */
export const describeAdmission: Describe<
  Terms & {
    readonly client_id: string;
    readonly name: string;
    readonly iban: string;
    readonly webhook_url: string;
  }
> = async ({ input }) => {
  const { client_id, name, iban, webhook_url, addresses, csr, signing_key, cell, encrypt_to } =
    input;
  return [
    line("client_id", { text: client_id }),
    line("name", { text: name }),
    line("iban", { iban: compact(iban) }),
    line("webhook_url", { text: webhook_url }),
    line("addresses", { texts: (addresses as readonly string[] | undefined ?? []).map(cidrOf) }),
    ...typeof csr === "string" ? [line("certificate_key", await keyOf(csr, client_id))] : [],
    ...typeof signing_key === "string" ? [line("key_id", await keyOf(signing_key, client_id))] : [],
    ...input["with_keys"] === true ? [line("with_keys", { word: "yes" })] : [],
    ...typeof encrypt_to === "string"
      ? [
        line("encrypt_to", encrypt_to === PASSPHRASE ? { word: PASSPHRASE } : { text: encrypt_to }),
      ]
      : [],
    ...typeof cell === "string" ? [line("cell", { text: cell })] : [],
    ...termLines(input),
  ];
};

/**
 * The id, an RFC 7638 thumbprint, of the public key in a text: a signing request, PEM or JWK. The hash of the text
 * if it holds none that can be used, which the act then refuses.
 */
export async function keyOf(text: string, clientId: string): Promise<Value> {
  const { readSigningKeyOf } = await import("@sabika/identity/certificates");
  const { encodeUtf8, sha256Hex } = await import("@sabika/protocol");
  const key = await readSigningKeyOf(clientId, text, "sandbox");
  return { text: key.ok ? key.value.keyId : `SHA-256 ${await sha256Hex(encodeUtf8(text))}` };
}

/** An address as the act registers it; what is none, the act refuses. */
function cidrOf(text: string): string {
  const cidr = readCidr(text);
  return cidr.ok ? cidr.value : text;
}

const compact = (iban: string) => iban.replaceAll(" ", "").toUpperCase();
