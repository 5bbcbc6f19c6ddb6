import { after, test } from "node:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { envAtDatabase, runOperator } from "../../test/support/run_operator.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";

const folder = temporaryFolder();
const path = join(folder, "weights.csv");
const admin = await openTestAdmin();
after(() => admin.close());

test("a weight list is read from a file, and written with the same weights", async () => {
  const env = envAtDatabase(admin, folder);
  const head = "serial,refiner,gross_ounces,fineness,fine_ounces";
  await writeFile(path, `${head}\nWL-1,XYZ,401.125,995.8,399.441\nWL-2,XYZ,401.125,995.8,398\n`);
  const refused = await runOperator(["vault", "bars", "add", path], env);
  assertStringIncludes(refused.stderr, `${path}: line 3 has other fine ounces than 399.440`);
  await writeFile(path, `${head}\nWL-1,XYZ,401.125,995.8,399.440\n`);
  const added = await runOperator(["vault", "bars", "add", path], env);
  assertEquals(added.code, 0, added.stderr);
  const { stdout, stderr } = await runOperator(["vault", "bars", "list"], env);
  assertStringIncludes(
    stdout + stderr,
    "WL-1,XYZ,401.125,12476.382131,995.8,399.440,12423.981326,,,,,,unlisted\r\n",
  );
});
