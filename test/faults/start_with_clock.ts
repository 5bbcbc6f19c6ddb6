import { readMasterKeys } from "@sabika/identity/secrets";
import { createService } from "@sabika/server";
import { BASE_URL } from "../support/service_requests.ts";
import { random } from "../support/random.ts";
import { makeServerTls } from "../support/test_admin.ts";
import type { World } from "./world.ts";

/**
 * Starts an instance in this process with a clock that is not compared with the database's.
 *
 * @param now epoch milliseconds
 */
export async function startWithClock({ admin, postgresql }: World, now: () => number) {
  const service = createService({
    environment: "sandbox",
    baseUrl: BASE_URL,
    databaseUrl: postgresql.url,
    masterKeys: readMasterKeys(admin.masterKeyText),
    listen: { kind: "tls", host: "127.0.0.1", port: 0, ...await makeServerTls(admin) },
    deliverWebhooks: false,
    clockOffsetLimitMs: Infinity,
  }, {
    now,
    random,
    log: () => {},
  });
  const { port } = await service.start();
  return { port: port!, stop: () => service.stop() };
}
