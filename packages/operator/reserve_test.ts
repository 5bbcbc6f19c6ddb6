import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { parseJson, PUBLISHED_RESERVE, RESERVE_OPENING, verifyReserve } from "@sabika/protocol";
import { makeReserves } from "@sabika/service/reserves";
import { random } from "../../test/support/random.ts";
import { operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";
import { admitTestPartner } from "../../test/support/test_partner.ts";

const HOUR_MS = 3_600_000;

test("the bank's balance is entered once, before the reserve; the auditor's file opens that", async () => {
  const admin = await openTestAdmin();
  const { database } = admin;
  const env = {
    SABIKA_DATABASE_URL: admin.testDatabase.urlAs("sabika_operator"),
    SABIKA_MASTER_KEY: admin.masterKeyText,
    SABIKA_DATA: temporaryFolder(),
  };
  const sabika = operatorOf(env);
  const day = new Date(Date.now() - 45 * HOUR_MS).toISOString().slice(0, 10);
  const set = ["reserve", "bank", "set", day];
  try {
    for (let n = 0; n < 3; n++) await admitTestPartner(database, { cashHalalas: 100_00n });
    assertEquals(await sabika(...set, "1250.5"), { day, amount_sar: 1250.5 });
    const twice = await runOperator([...set, "1250.6"], env);
    assertMatch(twice.stderr, new RegExp(`the balance of ${day} was entered`));
    await makeReserves(
      { control: database, cells: [database], random },
      Date.parse(day) + 23 * HOUR_MS,
    );
    const late = await runOperator(["reserve", "bank", "set", "2026-01-01", "1"], env);
    assertMatch(late.stderr, /the reserve of 2026-01-01 was made/);

    const shown = PUBLISHED_RESERVE.read(
      parseJson(JSON.stringify(await sabika("reserve", "show", day))),
    );
    const file = join(temporaryFolder(), "openings.jsonl");
    assertEquals(await sabika("reserve", "open", day, "--out", file), { file, openings: 3 });
    const openings = (await readFile(file, "utf8")).trim().split("\n")
      .map((line) => RESERVE_OPENING.read(parseJson(line)));
    const { text, hash } = shown;
    const { reserve, faults } = await verifyReserve({ text, hash, openings });
    assertEquals([faults, reserve!.cash.bankHalalas], [[], 1250_50n]);
    const none = await runOperator(["reserve", "show", "2026-01-01"], env);
    assertMatch(none.stderr, /there is no reserve of 2026-01-01/);
  } finally {
    await admin.close();
  }
});
