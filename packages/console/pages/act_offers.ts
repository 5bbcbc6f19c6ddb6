import { readApprovalPolicy, WAITING_NAMES } from "@sabika/office/acts";
import { listPartners } from "@sabika/office/oversight";
import { formatPrice } from "@sabika/protocol";
import { listOperators } from "@sabika/service/audit";
import { findPartner, type PartnerRecord } from "@sabika/service/partners";
import { readPriceSettings } from "@sabika/service/prices";
import { listBars, listPlaces } from "@sabika/service/vault";
import { formatTerm, ROLES, TERM_ENTRIES } from "@sabika/terms";
import type { Call } from "../call.ts";
import { date, moment } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { duration } from "../languages/languages.ts";
import type { FieldMistake, Mistakes } from "./act_arguments.ts";

/** The values that can be chosen for an argument, each with its label. */
export type Options = readonly (readonly [value: string, label: string])[];

/** What a form of an act offers besides the types of its arguments, each by argument. */
export interface Offers {
  /** The present values, which the fields hold at first. */
  readonly values?: Readonly<Record<string, string | undefined>>;
  /** The values to choose from, if not those of the argument's type. */
  readonly options?: Readonly<Record<string, Options>>;
  /** The known names, to pick from by typing. */
  readonly suggestions?: Readonly<Record<string, readonly string[]>>;
  /** The serials that the entries of a list must be among. */
  readonly onList?: Readonly<Record<string, readonly string[]>>;
  /** The serials that the entries of a list must not have. */
  readonly offList?: Readonly<Record<string, readonly string[]>>;
  /** Arguments that the form requires, though the act does not. */
  readonly required?: readonly string[];
}

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
/** How long replaced credentials go on working: from 30 days to not at all. */
const OVERLAPS_MS = [30 * DAY_MS, 7 * DAY_MS, DAY_MS, HOUR_MS, 0];
const USUAL_OVERLAP_MS = 7 * DAY_MS;

/**
 * Reads what the form of an act offers now.
 *
 * @param fixed the arguments that have no field
 */
export async function readOffers(
  call: Call,
  act: string,
  fixed: Readonly<Record<string, unknown>>,
): Promise<Offers> {
  const { database, words, office } = call;
  const { sql } = database;
  // Read by the acts that need it: a list has a form in each row.
  const readPartner = async () =>
    typeof fixed["partner"] === "string" ? await findPartner(sql, fixed["partner"]) : undefined;
  switch (act) {
    case "partner.create":
      // No page shows a kit in the clear.
      return { required: ["encrypt_to"] };
    case "funding.credit":
    case "vault.allocate":
    case "vault.release":
      if (fixed["partner"] !== undefined) return {};
      return {
        suggestions: { partner: (await listPartners(database)).map(({ clientId }) => clientId) },
      };
    case "vault.bar.add":
      return { values: { fineness: "999.9" }, suggestions: { place: await listPlaces(sql) } };
    case "vault.bar.move":
      return { suggestions: { serial: await serialsIn(call), place: await listPlaces(sql) } };
    case "partner.document.set":
      return { options: { kind: Object.entries(words.partnerFile.kinds) } };
    case "vault.count": {
      const serials = await serialsIn(call, fixed["place"], fixed["pool"]);
      return { onList: { bars: serials }, offList: { unexpected: serials } };
    }
    case "attestation-key.add":
      return { options: { role: Object.entries(words.outsiders.roles) } };
    case "reserve.bank.set":
      return { values: { day: date(call.now() - DAY_MS) } };
    case "certificate.rotate":
    case "signing-key.rotate":
    case "client-secret.rotate":
    case "webhook-secret.rotate":
      return {
        values: { overlap_ms: String(USUAL_OVERLAP_MS) },
        options: { overlap_ms: overlaps(call) },
      };
    case "partner.update": {
      const partner = await readPartner();
      return {
        values: partner && settingsOf(partner),
        options: { discloses_spread: [["true", words.yes], ["false", words.no]] },
      };
    }
    case "tax.set": {
      const partner = await readPartner();
      return { values: partner && taxOf(partner, date(call.now())) };
    }
    case "iban.set":
      return { values: { iban: (await readPartner())?.settlementIban } };
    case "webhook.set":
      return { values: { url: (await readPartner())?.webhookUrl ?? undefined } };
    case "address.remove": {
      const { addresses = [] } = await readPartner() ?? {};
      return { options: { cidr: addresses.map((cidr) => [cidr, cidr]) } };
    }
    case "operator.role.add":
    case "operator.role.remove": {
      const [person] = await listOperators(sql, String(fixed["operator"]));
      const isTheirs = (role: (typeof ROLES)[number]) => person?.roles.includes(role) === true;
      const roles = ROLES.filter((role) => isTheirs(role) === (act === "operator.role.remove"));
      return { options: { role: roles.map((role) => [role, words.roles[role]]) } };
    }
    case "policy.set":
      return { options: { act: WAITING_NAMES.map((name) => [name, name]) } };
    case "policy.time":
      return { values: { seconds: String((await readApprovalPolicy(sql)).waitSeconds) } };
    case "policy.administrators":
      return { values: { least: String((await readApprovalPolicy(sql)).leastAdministrators) } };
    case "price.set": {
      const settings = await readPriceSettings(sql, office.admin.secrets);
      const origin = settings?.origin;
      const fixedPrice = origin?.source === "fixed"
        ? formatPrice(origin.midTenThousandths)
        : undefined;
      return { values: { mid_price_sar: fixedPrice }, required: ["mid_price_sar"] };
    }
    default:
      return {};
  }
}

/** The serials of the bars in a place, and of a pool; without either, of the whole vault. */
async function serialsIn(
  { database: { sql } }: Call,
  place?: unknown,
  pool?: unknown,
): Promise<string[]> {
  const named = (text: unknown) => typeof text === "string" && text !== "" ? text : undefined;
  const bars = await listBars(sql, named(place), named(pool));
  return bars.map(({ serial }) => serial);
}

/** Returns what is wrong with entries of lists that ought to be on the list of bars, or off it. */
export function offeredMistakes(
  { onList = {}, offList = {} }: Offers,
  input: Readonly<Record<string, unknown>>,
): Mistakes {
  const mistakes: Record<string, FieldMistake> = {};
  const check = (name: string, listed: readonly string[], code: "on_list" | "not_on_list") => {
    const serials = new Set(listed);
    const entries = Array.isArray(input[name]) ? input[name] as readonly string[] : [];
    const which = entries.map((entry) => entry.split("=")[0]!)
      .find((serial) => serials.has(serial) === (code === "on_list"));
    if (which !== undefined) mistakes[name] = { code, which };
  };
  for (const [name, listed] of Object.entries(onList)) check(name, listed, "not_on_list");
  for (const [name, listed] of Object.entries(offList)) check(name, listed, "on_list");
  return mistakes;
}

function settingsOf({ name, settings }: PartnerRecord): Record<string, string> {
  const { signed } = settings.rateLimits;
  return {
    name,
    ...Object.fromEntries(
      TERM_ENTRIES.map(([key, term]) => [term.name, formatTerm(term.unit, settings[key])]),
    ),
    discloses_spread: String(settings.disclosesSpread),
    "rates.signed.perSecond": String(signed.perSecond),
    "rates.signed.burst": String(signed.burst),
  };
}

/** The rates of VAT that hold on a day in Riyadh (Decision D93). */
function taxOf({ settings: { taxes, vatPpm } }: PartnerRecord, today: string) {
  const [, rates] = Object.entries(taxes ?? {}).sort().filter(([day]) => day <= today).at(-1) ?? [];
  const percent = (ppm: number | undefined) =>
    formatTerm("percent", ppm === undefined ? vatPpm : BigInt(ppm));
  return {
    gold_vat_percent: percent(rates?.gold_ppm),
    fee_vat_percent: percent(rates?.fee_ppm),
  };
}

function overlaps({ language, words: { change }, now }: Call): Options {
  const nowMs = now();
  return OVERLAPS_MS.map((ms) =>
    [
      String(ms),
      ms === 0 ? change.atOnce : fill(change.until, {
        time: duration(language, ms / 1000),
        end: moment(nowMs + ms).slice(0, 16),
      }),
    ] as const
  );
}
