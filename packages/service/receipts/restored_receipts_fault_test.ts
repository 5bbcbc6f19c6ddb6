/** A receipt that a partner kept is valid after a rotation of the key, and after a restore to before it (D103). */
import { test } from "node:test";
import { join } from "node:path";
import { assert, assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { readReceiptKeys } from "@sabika/identity/receipts";
import { parseId, verifyReceipt } from "@sabika/protocol";
import { createTrading } from "@sabika/service/trading";
import { actAs } from "../../../test/support/acts.ts";
import { dumpDatabase, restoreDump } from "../../../test/support/dump.ts";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { random } from "../../../test/support/random.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { trade } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { createReceiptFinder } from "./find_receipt.ts";
import { createReceiptSigner } from "./receipt_signer.ts";
import { recountReceipts } from "./recount_receipts.ts";

test("a kept receipt is valid after a rotation and a restore, and the lost key is found", async (t) => {
  const postgresql = await runPostgreSQL({ durable: false });
  const admin = await openTestAdmin("sandbox", { server: postgresql.url });
  const { database, secrets } = admin;
  const prices = await setFixedPrice(database, 4_000_000n);
  const trading = createTrading({ database, prices, random, now: Date.now });
  const bank = await admitTestPartner(database, { cashHalalas: 100_000_00n });
  let clock = 0;
  // A minute passes between two looks at the clock: keys are read again.
  const now = () => clock += 60_000;
  const ask = async (order: { id: string }, from = database) => {
    const signer = createReceiptSigner({ control: from, secrets, now });
    const find = createReceiptFinder({ reading: from, making: { database: from, signer } });
    const { partnerId } = bank;
    const found = await find({ partnerId, orderId: parseId("ord", order.id)! });
    assert(found?.state === "made");
    return found.jws;
  };
  const faults = async (jws: string, from = database) =>
    (await verifyReceipt({ jws, keys: await readReceiptKeys(from.sql) })).faults;
  t.after(async () => {
    await admin.close();
    await postgresql.stop();
  });
  const early = await trade(trading, bank);
  const kept = await ask(early);
  const backup = join(temporaryFolder(), "backup");
  await dumpDatabase(postgresql, admin.testDatabase.url, backup);
  assert((await actAs(admin, "receipt-key.rotate", {})).ok);
  const late = await trade(trading, bank);
  const lost = await ask(late);
  assert(kept.split(".")[0] !== lost.split(".")[0]);
  assertEquals([await faults(kept), await faults(lost)], [[], []]);

  const restored = openDatabase(await restoreDump(postgresql, "restored", backup));
  try {
    // The order and the key of after the backup are gone; what the partner kept of it says so.
    assertEquals(await ask(early, restored), kept);
    assertEquals([await faults(kept, restored), await faults(lost, restored)], [[], [
      "unknown_key",
    ]]);
    // As the page says, the key that came back is rotated before trading goes on.
    assert((await actAs({ ...admin, database: restored }, "receipt-key.rotate", {})).ok);
    assertEquals(await faults(kept, restored), []);
    const again = createTrading({ database: restored, prices, random, now: Date.now });
    const next = await trade(again, bank);
    assertEquals(await faults(await ask(next, restored), restored), []);
    assertEquals(await recountReceipts({ control: restored, cell: restored, whole: true }), []);
  } finally {
    await restored.close();
  }
});
