import { DEPLOYMENT, PRICES, RECOUNT, REFUSED_PRICE } from "../wire/mod.ts";
import { OF_PARTNER } from "./filters.ts";
import { type Read, single, whole } from "./read.ts";

/** The deployment: its environment, and since when acts need a person. */
export const THE_DEPLOYMENT = single({
  path: "/deployment",
  act: "office.read",
  summary: "What the deployment is",
  form: DEPLOYMENT,
  async find({ database, environment }) {
    const { readPeopleSince } = await import("@sabika/service/audit");
    const { hasRootKey } = await import("@sabika/service/deployment");
    return {
      environment: await environment(),
      peopleSinceMs: await readPeopleSince(database.sql),
      rootKeyInDatabase: await hasRootKey(database),
    };
  },
});

/** The source of prices and its settings. */
export const THE_PRICES = single({
  path: "/prices",
  act: "price.read",
  summary: "Where prices come from",
  form: PRICES,
  async find({ database, secrets }) {
    const { feedUrlForPeople, readPriceSettings } = await import("@sabika/service/prices");
    const settings = await readPriceSettings(database.sql, secrets);
    if (settings === undefined) return undefined;
    const { origin, paused, updatedAtMs } = settings;
    return {
      source: origin.source,
      paused,
      updatedAtMs,
      midTenThousandths: origin.source === "fixed" ? origin.midTenThousandths : null,
      feedUrl: origin.source === "feed" ? feedUrlForPeople(origin.feed.url) : null,
    };
  },
});

/** Recounts the books, keeps the result, and answers what does not agree. */
export const RECOUNTED = single({
  path: "/reconcile",
  act: "books.read",
  summary:
    "Recounts everything, of every cell: what does not agree, which is nothing when all is well",
  filters: { client_id: OF_PARTNER, since: { values: ["first", "last"] } },
  form: RECOUNT,
  async find({ database: control, openCell, who, filter }) {
    const { reconcileSince } = await import("@sabika/service/ledger");
    const { recountBooks, recountPartner } = await import("../oversight/recount_books.ts");
    const { recountEvidence } = await import("../oversight/recount_evidence.ts");
    const { recountEvidenceDays } = await import("../oversight/recount_evidence_days.ts");
    const { recountReceipts } = await import("@sabika/service/receipts");
    const { recountReserves } = await import("@sabika/service/reserves");
    const { recountVersions } = await import("@sabika/service/vault");
    const { inCells } = await import("../oversight/in_cells.ts");
    const { findPartner } = await import("@sabika/service/partners");
    const books = { control, openCell, who };
    const clientId = filter["client_id"];
    if (clientId === undefined) {
      const whole = filter["since"] !== "last";
      return await recountBooks(books, async (cell) => {
        const found = await reconcileSince(cell, { whole });
        const evidence = await recountEvidence({ control, cell, whole });
        const receipts = await recountReceipts({ control, cell, whole });
        const ofControl = cell !== control ? [] : [
          whole ? await recountEvidenceDays(books) : [],
          await recountVersions(control, { whole }),
          await recountReserves({ control, cells: await inCells(books).all(), whole }),
        ].flat();
        const differences = [found.differences, evidence, receipts, ofControl].flat();
        return { ...found, differences };
      });
    }
    const partner = await findPartner(control.sql, clientId);
    if (partner === undefined) return undefined;
    const { partnerId } = partner;
    return await recountPartner(books, partner, async (cell) => {
      const found = await reconcileSince(cell, { whole: true, partnerId });
      const evidence = await recountEvidence({ control, cell, partnerId, whole: true });
      const receipts = await recountReceipts({ control, cell, partnerId, whole: true });
      return { ...found, differences: [found.differences, evidence, receipts].flat() };
    });
  },
});

/** Prices that were refused in the last month. */
const REFUSED_PRICES = whole({
  path: "/prices/refused",
  act: "price.read",
  summary: "The last 200 prices that were refused, newest first; they are kept for a month",
  form: REFUSED_PRICE,
  columns: {
    refused_at: { head: "REFUSED", en: "Refused (Riyadh)", ar: "رُفض (الرياض)" },
    reason: { head: "REASON", en: "Reason", ar: "السبب" },
    origin: { head: "FROM", en: "From", ar: "من" },
    raw_value: { head: "AS IT CAME", en: "As it came", ar: "كما ورد" },
    mid_price_sar: { head: "SAR/g", en: "Mid price (SAR/g)", ar: "السعر الوسطي (ر.س/غ)" },
    as_of: { head: null, en: "Of (Riyadh)", ar: "وقته (الرياض)" },
  },
  command: {
    noun: "price",
    verb: "refused",
    brief: "List the prices of the last month that were refused, with the reason",
    examples: ["price refused"],
  },
  async find({ database: { sql } }) {
    const { listRefusedPrices } = await import("@sabika/service/prices");
    return await listRefusedPrices(sql);
  },
});

/** Reads of the deployment, its prices and its books. */
export const DEPLOYMENT_READS: readonly Read[] = [
  THE_DEPLOYMENT,
  THE_PRICES,
  REFUSED_PRICES,
  RECOUNTED,
];
