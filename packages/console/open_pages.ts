import { plainFetch } from "@sabika/network";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { createConfiguredPrices } from "@sabika/service/prices";
import type { OpenedPages } from "@sabika/office";
import { describeError, type Log } from "@sabika/server";
import { createConsole } from "./create_console.tsx";
import { writeMail } from "./write_mail.ts";

/**
 * Opens the console's pages on an open deployment, with the price source that is set there.
 *
 * @param settings.reserveLowMicrograms less free gold in the vault than this is little
 */
export async function openPages(
  admin: PartnerAdminContext,
  log: Log,
  { reserveLowMicrograms }: { readonly reserveLowMicrograms: bigint },
): Promise<OpenedPages> {
  const { database, environment, secrets, now } = admin;
  const onError = (error: unknown) => log("error", "page_failed", { error: describeError(error) });
  const prices = createConfiguredPrices({
    database,
    secrets,
    environment,
    now,
    onError,
    fetch: plainFetch,
  });
  await prices.refresh().catch(onError);
  const pages = createConsole({ prices, reserveLowMicrograms, onError });
  return { pages, prices, writeMail, close: prices.close };
}
