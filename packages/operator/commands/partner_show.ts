import { MAIN_CELL } from "@sabika/service/without-database";
import { formatTerm, TERM_ENTRIES } from "@sabika/terms";
import { CREDENTIALS, PARTNER_WHOLE, PARTNERS, PARTNERS_CREDENTIALS } from "@sabika/office/reads";
import type { CredentialView, PartnerView } from "@sabika/office/wire";
import { formatHalalas, formatMicrograms } from "@sabika/protocol";
import { columnsOf, itemOf } from "../command/columns.ts";
import { command } from "../command/command.ts";
import { amount, time } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import type { Session } from "../connect/session.ts";
import { notFound, RefusedError } from "../outcome.ts";
import { findOne, readAll } from "../reads/read.ts";
import { formatPercent } from "../command/parsers.ts";
import { list } from "../command/table.ts";
import { ID } from "./arguments.ts";
import { credentialJson, credentialTable, endsSoon } from "./credential_list.ts";
import { describeEndpoint, endpointJson } from "./webhook_endpoint.ts";

const sar = (halalas: bigint) => amount(formatHalalas(halalas));
const grams = (micrograms: bigint) => amount(formatMicrograms(micrograms));

/** `sabika partner list`. */
export const partnerList = command<object, []>({
  brief: "List all partners",
  examples: ["partner list", "partner list --json"],
  async run(session) {
    const [partners, credentials] = await Promise.all([
      readAll(session, PARTNERS),
      ifPermitted(readAll(session, CREDENTIALS)),
    ]);
    const rows = partners.map((partner) => ({
      item: itemOf(PARTNERS, partner),
      endpoint: partner.endpoint,
      ending: endingFirst(credentials, partner.clientId, session.nowMs),
    }));
    return listing(rows, [
      ...columnsOf(PARTNERS).map(([name, head, value]) =>
        [name, head, ({ item }: typeof rows[number]) => value(item)] as const
      ),
      [
        "webhook",
        "WEBHOOK",
        ({ endpoint }) => endpointJson(endpoint),
        ({ endpoint }) => describeEndpoint(endpoint, session.nowMs),
      ],
      [
        "expiring",
        "EXPIRING",
        ({ ending }) => ending === undefined ? null : credentialJson(ending),
        ({ ending }) => ending === undefined ? null : describeEnd(ending, session.nowMs),
      ],
    ]);
  },
});

/** `sabika partner show`. */
export const partnerShow = command<object, [string]>({
  brief: "Show a partner: settings, balances, credentials",
  examples: ["partner show bank-one"],
  args: [ID],
  async run(session, _flags, id) {
    const partner = await findPartner(session, id);
    const credentials = await ifPermitted(
      readAll(session, PARTNERS_CREDENTIALS, { path: { partner: id } }),
    );
    const { endpoint, settings, holdings, moving: move } = partner;
    return {
      json: {
        client_id: partner.clientId,
        name: partner.name,
        status: partner.status,
        cell: partner.cellId,
        ...move && { moving: { to: move.toCell, step: move.step, since: time(move.begunAt) } },
        settlement_iban: partner.settlementIban,
        webhook_url: partner.webhookUrl,
        webhook: endpointJson(endpoint),
        addresses: partner.addresses,
        balances: {
          sar: sar(holdings.sarHalalas),
          held_sar: sar(holdings.heldHalalas),
          gold_grams: grams(holdings.goldMicrograms),
          allocation_grams: grams(holdings.allocationMicrograms),
        },
        settings: {
          ...Object.fromEntries(
            TERM_ENTRIES.map(([key, { name, unit }]) => {
              return [name, amount(formatTerm(unit, settings[key]))];
            }),
          ),
          taxes: settings.taxes && { ...settings.taxes },
          discloses_spread: settings.disclosesSpread,
          rates: Object.fromEntries(
            Object.entries(settings.rateLimits).map(([name, rate]) => [
              name,
              { per_second: rate.perSecond, burst: rate.burst },
            ]),
          ),
        },
        credentials: credentials.map(credentialJson),
      },
      text: list([
        ["client id", partner.clientId],
        ["name", partner.name],
        ["status", partner.status],
        ...partner.cellId === MAIN_CELL ? [] : [["cell", partner.cellId] as const],
        ...move === undefined ? [] : [["moving", `to ${move.toCell}: ${move.step}`] as const],
        ["settlement IBAN", partner.settlementIban],
        ["webhook URL", partner.webhookUrl],
        ["webhook", describeEndpoint(endpoint, session.nowMs)],
        ["calls from", partner.addresses.join(", ") || "anywhere"],
        ["balance", `${formatHalalas(holdings.sarHalalas)} SAR`],
        ["held", `${formatHalalas(holdings.heldHalalas)} SAR`],
        ["gold", `${formatMicrograms(holdings.goldMicrograms)} g`],
        ["allocation", `${formatMicrograms(holdings.allocationMicrograms)} g`],
        [
          "spread, fee, VAT",
          `${formatPercent(settings.spreadPpm)} %, ` +
          `${formatPercent(settings.feePpm)} %, ${formatPercent(settings.vatPpm)} %`,
        ],
        ...Object.entries(settings.taxes ?? {}).map(([day, { gold_ppm, fee_ppm }]) =>
          [
            `VAT from ${day}`,
            `${formatPercent(BigInt(gold_ppm))} % on gold, ${
              formatPercent(BigInt(fee_ppm))
            } % on the fee`,
          ] as const
        ),
        ...settings.disclosesSpread ? [["spread", "disclosed to the partner"] as const] : [],
        [
          "quotes",
          `${formatMicrograms(settings.quoteMinMicrograms)} to ` +
          `${formatMicrograms(settings.quoteMaxMicrograms)} g, ${settings.openQuotesLimit} open`,
        ],
        [
          "rates",
          Object.entries(settings.rateLimits).map(([name, rate]) =>
            `${name} ${rate.perSecond}/${rate.burst}`
          ).join(", "),
        ],
      ]) + "\n" + credentialTable(credentials, session.nowMs),
    };
  },
});

/** Finds a partner by its client id; throws a `RefusedError` when there is none. */
export async function findPartner(session: Session, id: string): Promise<PartnerView> {
  const partner = await findOne(session, PARTNER_WHOLE, { path: { partner: id } });
  if (partner === undefined) throw notFound(`partner "${id}"`);
  return partner;
}

/** The result of a read; an empty list when no role of the person permits it. */
async function ifPermitted<T>(reading: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof RefusedError && error.code === "not_permitted") return [];
    throw error;
  }
}

function endingFirst(
  credentials: readonly CredentialView[],
  clientId: string,
  nowMs: number,
): CredentialView | undefined {
  return credentials
    .filter((credential) => credential.clientId === clientId && endsSoon(credential, nowMs))
    .sort((a, b) => a.validUntilMs! - b.validUntilMs!)[0];
}

function describeEnd(credential: CredentialView, nowMs: number): string {
  const days = Math.floor((credential.validUntilMs! - nowMs) / 86_400_000);
  return `${credential.kind.replace("_", " ")} in ${days === 1 ? "1 day" : `${days} days`}`;
}
