import { parseId, WITHDRAWAL, WITHDRAWAL_STATUSES, type WithdrawalStatus } from "@sabika/protocol";
import { FUNDING_OF, WITHDRAWAL_TO_PAY } from "../wire/mod.ts";
import { type Column, CREATED, names, PARTNER, REASON, REFERENCE, STATUS } from "./columns.ts";
import { OF_PARTNER, state } from "./filters.ts";
import { firstPart, newestOfCells, uuidOf } from "./merge.ts";
import { pagesOfPartner } from "./of_partner.ts";
import { paged, type Read, type ReadPage, single } from "./read.ts";

const FUNDING_COLUMNS: Readonly<Record<string, Column>> = {
  client_id: PARTNER,
  id: { head: "ID", en: "Id", ar: "المعرّف" },
  amount_sar: { head: "SAR", en: "Amount (SAR)", ar: "المبلغ (ر.س)" },
  balance_sar: { head: "BALANCE SAR", en: "Cash after it (SAR)", ar: "النقد بعدها (ر.س)" },
  reference: REFERENCE,
  created_at: CREATED,
};

/** Money that came in, of all partners. */
export const FUNDINGS = paged({
  path: "/fundings",
  act: "trade.read",
  summary: "Money that came in, of all partners or of `client_id`",
  by: "period",
  filters: {
    client_id: OF_PARTNER,
    reference: {
      flag: { name: "reference", brief: "The bank's reference", placeholder: "REFERENCE" },
    },
  },
  form: FUNDING_OF,
  columns: FUNDING_COLUMNS,
  command: {
    noun: "funding",
    verb: "list",
    brief: "List money that came in, of all partners or one, newest first",
    examples: ["funding list --partner bank-one", "funding list --reference FT26324001"],
  },
  page: {
    path: "/fundings",
    columns: names("created_at, client_id, amount_sar, balance_sar, reference, id"),
    file: names("id as funding_id, created_at, client_id, amount_sar, balance_sar, reference"),
    caption: { en: "Money that came in, newest first", ar: "الأموال الواردة، الأحدث أولًا" },
    nothing: { en: "No money came in like this.", ar: "لا أموال واردة كهذه." },
  },
  find: newestOfCells("fund", async (database, filter, { filter: { reference } }) => {
    const { listFundings } = await import("../oversight/list_fundings.ts");
    return await listFundings(database, { ...filter, reference });
  }),
});

const WITHDRAWAL_COLUMNS: Readonly<Record<string, Column>> = {
  id: { head: "ID", en: "No.", ar: "الرقم" },
  client_id: PARTNER,
  status: STATUS,
  amount_sar: { head: "SAR", en: "Amount (SAR)", ar: "المبلغ (ر.س)" },
  iban: { head: "IBAN", en: "Settlement IBAN", ar: "آيبان التسوية" },
  client_reference: REFERENCE,
  created_at: CREATED,
  completed_at: { head: null, en: "Ended (Riyadh)", ar: "انتهى (الرياض)" },
  failure: REASON,
};

/** The page of withdrawals, by its columns. */
const pageOf = (columns: string): ReadPage => ({
  path: "/withdrawals",
  columns: names(columns),
  file: names(`id as withdrawal_id, created_at, completed_at, client_id, status, amount_sar, iban,
    client_reference, failure`),
  caption: { en: "Withdrawals", ar: "السحوبات" },
  nothing: { en: "No withdrawals like this.", ar: "لا سحوبات كهذه." },
});

/** Withdrawals to pay, oldest first, with the whole IBAN. */
export const WITHDRAWALS = paged({
  path: "/withdrawals",
  by: "all",
  act: "withdrawal.read",
  summary: "Withdrawals that are not finished, or of `status` (or all), oldest first",
  filters: {
    client_id: OF_PARTNER,
    status: state([...WITHDRAWAL_STATUSES, "all"]),
    limit: {
      isCount: true,
      flag: { name: "limit", brief: "At most this many (1000)", placeholder: "NUMBER" },
    },
  },
  form: WITHDRAWAL_TO_PAY,
  columns: WITHDRAWAL_COLUMNS,
  command: {
    noun: "withdrawal",
    verb: "list",
    brief: "List withdrawals that are not finished, with the IBAN to pay to",
    examples: ["withdrawal list", "withdrawal list --status all --partner bank-one"],
  },
  page: pageOf("created_at, client_id, amount_sar, iban, status, client_reference, id"),
  async find({ inEachCell, query: { limit, cursor }, filter }) {
    const { listWithdrawalsToPay } = await import("@sabika/service/bank");
    const clientId = filter["client_id"];
    const { found, away } = await inEachCell(clientId, ({ sql }) =>
      listWithdrawalsToPay(sql, {
        clientId,
        status: filter["status"] as WithdrawalStatus | "all" | undefined,
        after: uuidOf("wd", cursor),
        limit: limit + 1,
      }));
    const oldest = found.flat().sort((a, b) => a.createdAtMs - b.createdAtMs);
    return { ...firstPart(oldest, limit, ({ id }) => id), away };
  },
});

/** Withdrawals of a status, a partner or a period, newest first, for the page of withdrawals. */
export const PAST_WITHDRAWALS = paged({
  ...WITHDRAWALS,
  by: "period",
  page: pageOf(
    "created_at, client_id, amount_sar, iban, status, completed_at, client_reference, failure, id",
  ),
  find: newestOfCells("wd", async (database, filter, { filter: { status } }) => {
    const { listWithdrawalsOfAll } = await import("../oversight/list_withdrawals.ts");
    return await listWithdrawalsOfAll(database, {
      ...filter,
      status: status === "all" ? undefined : status as WithdrawalStatus | undefined,
    });
  }),
});

/** A withdrawal of any partner, with the whole IBAN. */
export const WITHDRAWAL_OF_ALL = single({
  path: "/withdrawals/{id}",
  act: "withdrawal.read",
  summary: "A withdrawal of any partner",
  form: WITHDRAWAL_TO_PAY,
  columns: WITHDRAWAL_COLUMNS,
  command: {
    noun: "withdrawal",
    verb: "show",
    brief: "Show a withdrawal of any partner, with the IBAN to pay to",
    examples: ["withdrawal show wd_01989f3e-7a41-7c55-9a3b-0c5f5f7d2b11"],
    argument: ["WITHDRAWAL", "Its id, wd_…"],
  },
  async find({ cells, path }) {
    const { findOwner } = await import("../oversight/find_owner.ts");
    const { listWithdrawalsToPay } = await import("@sabika/service/bank");
    return await cells.findFirst(async (database) => {
      const owner = await findOwner(database, "wd", path["id"]!);
      if (owner === undefined) return undefined;
      const { clientId, uuid: id } = owner;
      const query = { clientId, id, status: "all", limit: 1 } as const;
      return (await listWithdrawalsToPay(database.sql, query))[0];
    });
  },
});

/** Money that came in for any partner. */
export const FUNDING_OF_ALL = single({
  path: "/fundings/{id}",
  act: "trade.read",
  summary: "Money that came in for any partner",
  form: FUNDING_OF,
  columns: FUNDING_COLUMNS,
  command: {
    noun: "funding",
    verb: "show",
    brief: "Show money that came in for any partner",
    examples: ["funding show fund_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80"],
    argument: ["FUNDING", "Its id, fund_…"],
  },
  async find({ cells, path }) {
    const id = parseId("fund", path["id"]!);
    if (id === undefined) return undefined;
    const { listFundings } = await import("../oversight/list_fundings.ts");
    return await cells.findFirst(async (database) =>
      (await listFundings(database, { id, limit: 1 })).data[0]
    );
  },
});

/** Reads of the money that partners sent, and of the money that is paid to them. */
export const MONEY_READS: readonly Read[] = [
  FUNDINGS,
  FUNDING_OF_ALL,
  WITHDRAWALS,
  WITHDRAWAL_OF_ALL,
  pagesOfPartner("withdrawals", "listWithdrawals", {
    summary: "A partner's withdrawals",
    filters: { status: { values: WITHDRAWAL_STATUSES } },
    form: WITHDRAWAL,
  }),
];
