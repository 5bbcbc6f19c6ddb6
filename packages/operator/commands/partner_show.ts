import {
  type CredentialEntry,
  dueWarning,
  findPartner as find,
  listCredentials,
  type PartnerRecord,
  readPartners,
} from "@sabika/core/partners";
import { readAccounts } from "@sabika/core/ledger";
import { type Database, MAIN_CELL } from "@sabika/core/store";
import { readEndpointStates } from "@sabika/core/webhooks";
import { formatHalalas, formatMicrograms } from "@sabika/protocol";
import { command } from "../command/command.ts";
import { amount } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { RefusedError } from "../outcome.ts";
import { formatPercent } from "../command/parsers.ts";
import { list } from "../command/table.ts";
import { allDatabases, databaseOf } from "../connect/cell_databases.ts";
import { ID } from "./arguments.ts";
import { credentialJson, credentialTable } from "./credential_list.ts";
import { describeEndpoint, endpointJson } from "./webhook_endpoint.ts";

const sar = (halalas = 0n) => amount(formatHalalas(halalas));
const grams = (micrograms = 0n) => amount(formatMicrograms(micrograms));

/** `sabika partner list`. */
export const partnerList = command<object, []>({
  act: "partner.read",
  brief: "List all partners",
  examples: ["partner list", "partner list --json"],
  async run(session) {
    const { sql } = await session.database();
    const databases = await allDatabases(session);
    const [partners, balances, credentials, endpoints] = await Promise.all([
      readPartners(sql, -1n),
      Promise.all(databases.map((one) => readAccounts(one.sql))),
      listCredentials(sql, session.nowMs),
      Promise.all(databases.map((one) => readEndpointStates(one.sql, session.nowMs))),
    ]);
    const accounts = new Map(balances.flatMap((some) => [...some]));
    const rows = partners.map((partner) => ({
      partner,
      own: accounts.get(partner.partnerId),
      endpoint: endpoints.flat().find(({ partnerId }) => partnerId === partner.partnerId),
      ending: endingFirst(credentials, partner.clientId, session.nowMs),
    }));
    return listing(rows, [
      ["client_id", "ID", ({ partner }) => partner.clientId],
      ["name", "NAME", ({ partner }) => partner.name],
      ["status", "STATUS", ({ partner }) => partner.status],
      ["sar", "SAR", ({ own }) => sar(own?.cashHalalas)],
      ["gold_grams", "GOLD g", ({ own }) => grams(own?.goldMicrograms)],
      ["allocation_grams", "ALLOCATION g", ({ own }) => grams(own?.allocationMicrograms)],
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
  act: "partner.read",
  brief: "Show a partner: settings, balances, credentials",
  examples: ["partner show bank-one"],
  args: [ID],
  async run(session, _flags, id) {
    const database = await session.database();
    const partner = await findPartner(database, id);
    const home = await databaseOf(session, partner.cellId);
    const [balances, credentials, [endpoint]] = await Promise.all([
      readAccounts(home.sql),
      listCredentials(database.sql, session.nowMs, { clientId: id }),
      readEndpointStates(home.sql, session.nowMs, partner.partnerId),
    ]);
    const { settings } = partner;
    const own = balances.get(partner.partnerId);
    return {
      json: {
        client_id: partner.clientId,
        name: partner.name,
        status: partner.status,
        cell: partner.cellId,
        settlement_iban: partner.settlementIban,
        webhook_url: partner.webhookUrl,
        webhook: endpointJson(endpoint),
        addresses: partner.addresses,
        balances: {
          sar: sar(own?.cashHalalas),
          held_sar: sar(own?.withdrawalsHalalas),
          gold_grams: grams(own?.goldMicrograms),
          allocation_grams: grams(own?.allocationMicrograms),
        },
        settings: {
          spread_percent: amount(formatPercent(settings.spreadPpm)),
          fee_percent: amount(formatPercent(settings.feePpm)),
          vat_percent: amount(formatPercent(settings.vatPpm)),
          min_grams: amount(formatMicrograms(settings.quoteMinMicrograms)),
          max_grams: amount(formatMicrograms(settings.quoteMaxMicrograms)),
          open_quotes: settings.openQuotesLimit,
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
        ["settlement IBAN", partner.settlementIban],
        ["webhook URL", partner.webhookUrl],
        ["webhook", describeEndpoint(endpoint, session.nowMs)],
        ["calls from", partner.addresses.join(", ") || "anywhere"],
        ["balance", `${formatHalalas(own?.cashHalalas ?? 0n)} SAR`],
        ["held", `${formatHalalas(own?.withdrawalsHalalas ?? 0n)} SAR`],
        ["gold", `${formatMicrograms(own?.goldMicrograms ?? 0n)} g`],
        ["allocation", `${formatMicrograms(own?.allocationMicrograms ?? 0n)} g`],
        [
          "spread, fee, VAT",
          `${formatPercent(settings.spreadPpm)} %, ` +
          `${formatPercent(settings.feePpm)} %, ${formatPercent(settings.vatPpm)} %`,
        ],
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

/** Finds a partner by its client id, or refuses. */
export async function findPartner(database: Database, id: string): Promise<PartnerRecord> {
  const partner = await find(database.sql, id);
  if (partner === undefined) throw new RefusedError("not_found", `there is no partner "${id}"`);
  return partner;
}

function endingFirst(
  credentials: readonly CredentialEntry[],
  clientId: string,
  nowMs: number,
): CredentialEntry | undefined {
  return credentials
    .filter((one) => one.clientId === clientId && dueWarning(one, nowMs) !== undefined)
    .sort((a, b) => a.validUntilMs! - b.validUntilMs!)[0];
}

function describeEnd(credential: CredentialEntry, nowMs: number): string {
  const days = Math.floor((credential.validUntilMs! - nowMs) / 86_400_000);
  return `${credential.kind.replace("_", " ")} in ${days === 1 ? "1 day" : `${days} days`}`;
}
