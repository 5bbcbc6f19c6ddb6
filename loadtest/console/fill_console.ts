import { admitPartners } from "../bench/world/partners.ts";
import { fill } from "../bench/world/fill.ts";
import { fillOffice } from "../bench/world/fill_office.ts";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { sumMargins } from "@sabika/service/orders";

/** 30 days but a few minutes, which fill up while it runs. */
const SECONDS = 2_591_900;

/**
 * Fills a deployment with partners of uneven size and what the console shows of them, as of 30 days that end now: of 200
 * partners one has a fifth of the orders, nine 4 % each, forty 0.8 %, and the others 0.08 %.
 */
export async function fillConsole(
  admin: PartnerAdminContext,
  size: { readonly partners: number; readonly orders: number },
  say: (line: string) => void,
): Promise<void> {
  const { database } = admin;
  const partners = await admitPartners(database, admin, size.partners);
  say(`${size.partners} partners`);
  const shareOf = (rank: number) => rank < 1 ? 20 : rank < 10 ? 4 : rank < 50 ? 0.8 : 0.08;
  const pasts = partners.map(({ partnerId }, rank) => ({
    partnerId,
    orders: Math.round(size.orders * shareOf(rank) / 100),
    // Nonces are kept for a day.
    perNonce: 30,
    seconds: SECONDS,
  }));
  await fill(database.sql, pasts, Math.floor(Date.now() / 1000), (done) => {
    if (done % 1_000_000 === 0) say(`${done} orders`);
  });
  say("orders");
  await sumMargins(database);
  await fillOffice(database.sql);
  say("all else");
}
