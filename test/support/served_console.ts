import { createConsole } from "@sabika/console";
import { ROLES } from "@sabika/core/admin";
import { performAct } from "@sabika/core/office";
import { openDatabase } from "@sabika/core/store";
import { createFixedPrice, createTrading } from "@sabika/core/trading";
import { tryPort } from "@sabika/deployment/folders";
import { listenOffice } from "@sabika/office";
import { encodeUtf8, parseId, sha256Hex } from "@sabika/protocol";
import { testRecord } from "../secret_search/record.ts";
import { openTestAdmin } from "./test_admin.ts";
import { admitTestPartner, random } from "./test_partner.ts";

/** The console as the office's listener serves it, on this machine, for a real browser. */
export async function openServedConsole() {
  const admin = await openTestAdmin();
  const { testDatabase } = admin;
  const database = openDatabase(testDatabase.urlAs("sabika_operator"), { maxConnections: 3 });
  const prices = createFixedPrice({ midTenThousandths: 4_823_500n });
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
        const [name, given] of [
          ["operator.add", { operator, roles: [...ROLES] }],
          ["operator.link", { operator, link_sha256: await sha256Hex(encodeUtf8(token)) }],
        ] as const
      ) {
        const breakGlass = "a test's people";
        const done = await performAct(admin, { name, arguments: given, breakGlass });
        if (!done.ok) throw new Error(done.detail);
      }
      return token;
    },
    /** Makes a withdrawal that waits to be paid; its id. */
    async withdrawal(): Promise<string> {
      const bank = await admitTestPartner(testDatabase.database, { cashHalalas: 1_000_00n });
      const trading = createTrading({
        ...{ database: testDatabase.app, prices, random, now: Date.now },
      });
      const made = await trading.withdraw(bank.withdraw(100_00n));
      if (!made.ok) throw new Error(made.code);
      return made.value.id;
    },
    async statusOf(withdrawal: string): Promise<string | undefined> {
      const [row] = await testDatabase.database.sql<{ status: string }[]>`
        select status from withdrawals where withdrawal_id = ${parseId("wd", withdrawal)!}::uuid`;
      return row?.status;
    },
    async close() {
      await listening.stop();
      await database.close();
      await admin.close();
    },
  };
}
