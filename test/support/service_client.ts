import { join } from "node:path";
import {
  type Client,
  type ClientOptions,
  createClient,
  type Exchange,
  openKit,
  openTransport,
} from "@sabika/client";
import { writeKit } from "@sabika/identity/keys";
import { testRecord } from "../secret_search/record.ts";
import { BASE_URL } from "./service_requests.ts";
import { temporaryFolder } from "./temporary_folder.ts";
import type { ServicePartner } from "./service_partner.ts";

/** The SDK with a partner's kit, calling a test's service. */
export interface ServiceClient {
  client: Client;
  exchanges: Exchange[];
  close(): Promise<void>;
}

/**
 * Opens the SDK for a partner. The host name of the test's service does not resolve: signatures contain
 * it, but connections go to `port` on the loopback.
 */
export async function openServiceClient(
  partner: ServicePartner,
  port: number,
  options: ClientOptions = {},
): Promise<ServiceClient> {
  const folder = temporaryFolder();
  await writeKit(join(folder, "kit"), BASE_URL, partner.kit);
  return await openKitClient(join(folder, "kit"), port, options);
}

/** Opens the SDK with the kit in a folder. */
export async function openKitClient(
  folder: string,
  port: number,
  options: ClientOptions = {},
): Promise<ServiceClient> {
  const kit = await openKit(folder);
  const transport = openTransport(kit);
  const exchanges: Exchange[] = [];
  const client = createClient(kit, {
    fetch: (url, init) => transport.fetch(url.replace(BASE_URL, `https://127.0.0.1:${port}`), init),
    observe(exchange) {
      exchanges.push(exchange);
      testRecord.secretsIn(exchange.headers["x-jws-signature"]);
    },
    ...options,
  });
  return {
    client,
    exchanges,
    async close() {
      await client.close();
      await transport.close();
    },
  };
}
