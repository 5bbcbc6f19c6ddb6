import { test } from "node:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { byForce } from "../../test/support/by_force.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { envAtDatabase, operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";

interface Head {
  sequence: number;
  hash: string;
}

test("audit verify compares the log with published heads, and says which entry was changed", async (t) => {
  const admin = await openTestAdmin();
  const folder = temporaryFolder();
  const env = envAtDatabase(admin, folder);
  const sabika = operatorOf(env);
  const heads = join(folder, "heads.txt");
  t.after(() => admin.close());
  await sabika("price", "pause");
  const first = await sabika<Head>("audit", "head");
  await sabika("price", "resume");
  const { stdout: second } = await runOperator(["audit", "head"], env);
  assertEquals(second, `2 ${(await sabika<Head>("audit", "head")).hash}\n`);
  // A server's log, and a line of audit head.
  const line = (event: string, more: object) =>
    JSON.stringify({ time: "2026-11-21T00:00:00.000Z", level: "info", event, ...more });
  const lines = [line("audit_head", first), line("request", { status: 200 }), second];
  await writeFile(heads, lines.join("\n"));
  const verified = await sabika<Record<string, unknown>>("audit", "verify", "--heads", heads);
  assertEquals([verified.ok, verified.entries, verified.heads_compared], [true, 2, 2]);
  const text = await runOperator(["audit", "verify", "--head", first.hash], env);
  assertStringIncludes(text.stdout, `head ${second.trim()}`);

  for (const wrong of [["--head", "5f3a"], ["--heads", join(folder, "none")]]) {
    const run = await runOperator(["audit", "verify", ...wrong], env);
    assertEquals(run.code === 0, false, run.stdout);
    assertEquals(run.stderr.includes("unexpected"), false, run.stderr);
  }
  await writeFile(join(folder, "empty"), "nothing\n");
  const empty = await runOperator(["audit", "verify", "--heads", join(folder, "empty")], env);
  assertEquals(empty.code, 2);

  await byForce(admin.database, "update audit_log set actor = 'nobody' where audit_id = 2");
  const changed = await runOperator(["audit", "verify", "--json"], env);
  assertEquals(changed.code, 1);
  const { findings } = JSON.parse(changed.stdout);
  assertEquals(
    findings.map((finding: { finding: string; id: number }) => [finding.finding, finding.id]),
    [
      ["changed", 2],
    ],
  );
  // The owner cuts off the end and rewrites the head: a published head reveals it, and what the act left.
  await byForce(
    admin.database,
    "delete from audit_log where audit_id = 2",
    "update audit_head set audit_id = 1, hash = (select hash from audit_log where audit_id = 1)",
  );
  const replayed = await runOperator(["audit", "verify"], env);
  assertEquals(replayed.code, 1);
  assertStringIncludes(replayed.stdout, "paused is false, and entry 1 left true");
  const cut = await runOperator(["audit", "verify", "--heads", heads], env);
  assertEquals(cut.code, 1);
  assertStringIncludes(cut.stdout, "was published for entry 2");
});
