import { assertEquals } from "@std/assert";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { mustRun } from "../../../tools/programs/run_program.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";

// The stack's PostgreSQL, whoever started it, root too.

const folder = temporaryFolder();
const data = join(folder, "postgresql");
let postgresql = await runPostgreSQL({ durable: false, folder: data });
after(() => postgresql.stop());

test("pg_basebackup copies it, and the copy has no file of the password", async () => {
  const { password } = new URL(postgresql.url);
  // As 1.0.0 left it in the data.
  await postgresql.stop();
  await writeFile(join(data, "sabika.password"), await readFile(`${data}.password`), {
    mode: 0o600,
  });
  postgresql = await runPostgreSQL({ durable: false, folder: data });
  assertEquals(new URL(postgresql.url).password, password);
  const { command } = await findProgram("pg_basebackup");
  const copy = join(folder, "copy");
  await mkdir(copy);
  const at = ["-h", postgresql.socketFolder, "-p", String(postgresql.port), "-U", "sabika"];
  await mustRun(command, [...at, "-D", copy, "-X", "stream", "--checkpoint=fast"]);
  const entries = await readdir(copy, { recursive: true, withFileTypes: true });
  const small = entries.filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of small) {
    if ((await stat(file)).size > 100_000) continue;
    assertEquals((await readFile(file, "latin1")).includes(password), false, file);
  }
});
