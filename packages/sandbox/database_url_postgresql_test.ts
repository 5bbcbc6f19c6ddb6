import { createClient, grams, openKit, riyals } from "@sabika/client";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { testRecord } from "../../test/secret_search/record.ts";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { StartError, startSandbox } from "./mod.ts";
import { surroundings } from "../../test/support/sandbox/surroundings.ts";

const folder = temporaryFolder();
const testDatabase = await openTestDatabase();
after(async () => {
  await testDatabase.close();
  testRecord.dataFolder(folder);
});

test("a sandbox trades on an external PostgreSQL, and uses it again at the next start", async () => {
  const dataFolder = join(folder, "data");
  const first = await startSandbox(
    { dataFolder, port: 0, databaseUrl: testDatabase.url },
    surroundings,
  );
  const client = createClient(await openKit(first.demo!.kitFolder));
  await client.fund({ amountHalalas: riyals("1000") });
  const quote = await client.quote({ side: "buy", goldMicrograms: grams("1") });
  await client.order({ quoteId: quote.id });
  const balances = await client.balances();
  await client.close();
  await first.stop();
  assert(!existsSync(join(dataFolder, "database")), "no embedded database was made");
  const urlFile = join(dataFolder, "database.url");
  assertEquals(readFileSync(urlFile, "utf8"), `${testDatabase.url}\n`);
  assertEquals(statSync(urlFile).mode & 0o777, 0o600);

  const second = await startSandbox({ dataFolder, port: 0 }, surroundings);
  const again = createClient(await openKit(second.demo!.kitFolder));
  assertEquals(await again.balances(), balances);
  await again.close();
  await second.stop();
});

test("a database that belongs to another sandbox, or does not answer, is refused with one line", async () => {
  const start = (databaseUrl: string) =>
    startSandbox(
      { dataFolder: join(folder, crypto.randomUUID()), port: 0, databaseUrl },
      surroundings,
    );
  const foreign = await assertRejects(() => start(testDatabase.url), StartError);
  assert(foreign.message.includes("master.key"), foreign.message);
  const away = await assertRejects(() => start("postgres://nobody@127.0.0.1:1/none"), StartError);
  assert(away.message.includes("--database-url"), away.message);
});
