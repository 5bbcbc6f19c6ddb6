import { test } from "node:test";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { startSandbox } from "@sabika/sandbox";
import { openKitFile } from "../../test/support/open_kit_file.ts";
import { operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { prepareDataFolder } from "../../test/support/sandbox/prepared_folder.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

test("the command works on the data folder with and without a sandbox, even concurrently", async () => {
  const folder = temporaryFolder();
  const data = join(folder, ".sabika");
  const start = () =>
    startSandbox({ dataFolder: data, port: 0, demo: false }, {
      now: Date.now,
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    });
  const sabika = operatorOf({ SABIKA_DATA: data });
  const create = (id: string, ...more: string[]) =>
    sabika<{ kit: string; files: string[]; passphrase?: string }>(
      ...commandLine`partner create --client-id ${id} --name ${id} --with-keys
        --iban SA0380000000608010167519 --webhook-url https://localhost:9443/`,
      ...more,
    );
  const ids = async () =>
    (await sabika<{ client_id: string }[]>("partner", "list")).map((partner) => partner.client_id);
  try {
    const before = await runOperator(["partner", "list"], { SABIKA_DATA: data });
    assertEquals(before.code, 1);
    assertStringIncludes(before.stderr, "npm start");

    await prepareDataFolder(data);
    let sandbox = await start();
    const { kit } = await create("bank-one");
    assertEquals(kit, join(data, "partners", "bank-one"));
    assertEquals((await stat(kit)).mode & 0o777, 0o700);
    for (const name of await readdir(kit)) {
      assertEquals((await stat(join(kit, name))).mode & 0o777, 0o600);
    }
    await sandbox.stop();

    // Each opens the folder itself; the second one waits for the first.
    const [, made] = await Promise.all([
      create("bank-two"),
      create("bank-three", "--encrypt-to", "passphrase"),
    ]);
    // An encrypted kit is one file, and the answer has its passphrase and no other secret.
    assert(!/sk_|whsec_/.test(JSON.stringify(made)));
    assertEquals(made.files, ["bank-three.tar.age"]);
    const file = await readFile(join(made.kit, made.files[0]!), "utf8");
    const files = await openKitFile(file, made.passphrase!);
    assertEquals(Object.keys(files).length, 8, Object.keys(files).join());

    sandbox = await start();
    try {
      assertEquals((await ids()).sort(), ["bank-one", "bank-three", "bank-two"]);
      // A kit made while nothing was running names the address that is served now.
      const partner = JSON.parse(
        await readFile(join(data, "partners/bank-two/partner.json"), "utf8"),
      );
      assertEquals(partner.base_url, sandbox.baseUrl);
    } finally {
      await sandbox.stop();
    }
  } finally {
    testRecord.dataFolder(folder);
  }
});
