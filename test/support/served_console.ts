import { createConsole } from "@sabika/console";
import { openDatabase } from "@sabika/database";
import { performAct } from "@sabika/office/acts";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { createFixedPrice } from "@sabika/service/prices";
import { ROLES } from "@sabika/terms";
import { tryPort } from "@sabika/deployment/folders";
import { listenOffice } from "@sabika/office";
import { encodeUtf8, sha256Hex } from "@sabika/protocol";
import { testRecord } from "../secret_search/record.ts";
import type { TestDatabase } from "./test_database.ts";

export type ServedConsole = Awaited<ReturnType<typeof openServedConsole>>;

/** The console as the office's listener serves it, on this machine, for a real browser. */
export async function openServedConsole(
  admin: PartnerAdminContext,
  testDatabase: Pick<TestDatabase, "urlAs">,
  prices = createFixedPrice({ midTenThousandths: 4_000_000n }),
) {
  const database = openDatabase(testDatabase.urlAs("sabika_operator"), { maxConnections: 4 });
  const port = (await tryPort(0))!;
  const origin = `http://localhost:${port}`;
  const errors: unknown[] = [];
  const pages = createConsole({ prices, onError: (error) => errors.push(error) });
  const listening = await listenOffice(
    { ...admin, database, now: Date.now },
    { listen: { host: "127.0.0.1", port }, origin, tls: undefined },
    { log: () => {}, pages },
  );
  return {
    origin,
    errors,
    /** Adds somebody with every role; what stands behind the # of their link. */
    async invite(operator: string): Promise<string> {
      const token = `link-${crypto.randomUUID()}`;
      testRecord.secret("link", token);
      for (
        const [name, input] of [
          ["operator.add", { operator, roles: [...ROLES] }],
          ["operator.link", { operator, link_sha256: await sha256Hex(encodeUtf8(token)) }],
        ] as const
      ) {
        const breakGlass = "a test's people";
        const done = await performAct(admin, { name, arguments: input, breakGlass });
        if (!done.ok) throw new Error(done.detail);
      }
      return token;
    },
    async close() {
      await listening.stop();
      await database.close();
    },
  };
}
