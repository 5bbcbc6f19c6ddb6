import { encodeUtf8, refuse, sha256Hex } from "@sabika/protocol";
import {
  feedUrlForPeople,
  type PriceOrigin,
  readFeedSettings,
  setPriceOrigin,
} from "@sabika/service/prices";
import type { AdminOutcome } from "@sabika/terms";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";

/** Where prices can come from. */
export const PRICE_SOURCES = ["simulated", "fixed", "feed"] as const;

/** The arguments of `price.set`; those of a feed have its URL without the query, and the whole URL's hash. */
export interface PriceArguments {
  readonly source: (typeof PRICE_SOURCES)[number];
  readonly mid_price_sar: bigint | undefined;
  readonly seed: number | undefined;
  readonly base_price_sar: bigint | undefined;
  readonly feed: Readonly<Record<string, string | number>> | undefined;
  readonly url_sha256: string | undefined;
}

/** Sets where prices come from; a feed's whole URL is the act's attachment, as it may hold a key. */
export async function setPrices(
  admin: PartnerAdminContext,
  { source, mid_price_sar = 0n, seed, base_price_sar, feed = {}, url_sha256 }: PriceArguments,
): Promise<AdminOutcome<null>> {
  if (source === "fixed") {
    return await setPriceOrigin(admin, { source, midTenThousandths: mid_price_sar });
  }
  if (source === "simulated") {
    const origin = { source, seed, baseTenThousandths: base_price_sar } as PriceOrigin;
    return await setPriceOrigin(admin, origin);
  }
  const { attachment: url } = admin;
  const fits = url !== undefined && feed["url"] === feedUrlForPeople(url) &&
    await sha256Hex(encodeUtf8(url)) === url_sha256;
  if (!fits) {
    return refuse("invalid_setting", "the whole URL of the feed comes with the act, and fits it");
  }
  const settings = readFeedSettings({ ...feed, url });
  return typeof settings === "string"
    ? refuse("invalid_setting", settings)
    : await setPriceOrigin(admin, { source, feed: settings });
}
