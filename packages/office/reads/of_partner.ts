import type { Listing, ListQuery } from "@sabika/service/lists";
import type { Reading } from "@sabika/service/trading";
import type { Form } from "@sabika/protocol";
import { wrongCursor } from "./merge.ts";
import { type ListRead, type OneRead, paged, type Part, single } from "./read.ts";

/** The path below which one partner's resources are. */
export const PARTNER_PATH = "/partners/{partner}";

type Lists = "listQuotes" | "listOrders" | "listWithdrawals" | "listLedgerEntries" | "listEvents";

/** Makes the read of one partner's list, as the partner itself reads it (Decision D19). */
export function pagesOfPartner<T>(
  name: string,
  list: Lists,
  read: Omit<ListRead<T>, "kind" | "by" | "path" | "act" | "find">,
): ListRead<T> {
  return paged({
    ...read,
    path: `${PARTNER_PATH}/${name}`,
    act: "trade.read",
    by: "key",
    async find({ home, query, filter }) {
      const partner = await home();
      if (partner === undefined) return undefined;
      const find = partner.reading[list] as unknown as (query: ListQuery) => Promise<Listing<T>>;
      const { partnerId } = partner;
      return partOf(await find({ ...query, status: filter["status"], partnerId }));
    },
  });
}

/** Returns a partner's page as a part of a list; throws {@linkcode Refused} for another list's cursor. */
export function partOf<T>(listing: Listing<T>): Part<T> {
  if (!listing.ok) throw wrongCursor();
  const { data, nextCursor } = listing.page;
  return { data, next: nextCursor ?? undefined };
}

/** Makes the read of one partner's resource, by its id. */
export function oneOfPartner<T>(
  name: string,
  summary: string,
  form: Form<T>,
  find: (reading: Reading, partnerId: number, id: string) => Promise<T | undefined> | undefined,
): OneRead<T> {
  return single({
    path: `${PARTNER_PATH}/${name}/{id}`,
    act: "trade.read",
    summary,
    form,
    async find({ home, path }) {
      const partner = await home();
      return partner && await find(partner.reading, partner.partnerId, path["id"]!);
    },
  });
}
