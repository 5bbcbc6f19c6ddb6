import { test } from "node:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { atTerminal, hasNoTerminal } from "../../../test/support/at_terminal.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { addPerson } from "../../../test/support/test_people.ts";
import { dossierLines } from "../connect/dossier_lines.ts";

test("whoever approves at a terminal is shown the very lines that they sign, and then asked", {
  skip: hasNoTerminal,
}, async () => {
  const admin = await openTestAdmin();
  const keyFile = join(temporaryFolder(), "badr.key");
  const env = {
    SABIKA_DATABASE_URL: admin.testDatabase.urlAs("sabika_operator"),
    SABIKA_MASTER_KEY: admin.masterKeyText,
    SABIKA_OPERATOR_KEY_FILE: keyFile,
  };
  try {
    const amal = await addPerson(admin, "amal", ["prices", "administrator"]);
    const badr = await addPerson(admin, "badr", ["prices", "administrator"]);
    await writeFile(keyFile, badr.privatePem, { mode: 0o600 });
    const asked = await amal.ask("price.set", { source: "fixed", mid_price_sar: "485.25" });
    assert(asked.ok && "waiting" in asked.value);
    const approve = ["approval", "approve", asked.value.waiting];
    const { code, output } = await atTerminal(env, approve, [["Approve it?", "y"]]);
    assertEquals(code, 0, output);
    assertStringIncludes(output, "is done");
    const [row] = await admin.database.sql<{ text: string }[]>`
      select arguments as text from acts where name = 'approval.approve'`;
    const lines = dossierLines(JSON.parse(row!.text).dossier);
    assertEquals(
      output.slice(0, output.indexOf("amal asks for")).split("\r\n").slice(0, lines.length),
      lines.map(([label, value]) => `${label}: ${value}`),
    );
  } finally {
    await admin.close();
  }
});
