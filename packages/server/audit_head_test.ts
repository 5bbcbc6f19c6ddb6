import { test } from "node:test";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { startTestService } from "../../test/support/test_service.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { logLine } from "./logging/log.ts";

test("a server publishes the audit log's head in its log and in the configured file", async () => {
  const service = await startTestService();
  const folder = temporaryFolder();
  const auditHeadsFile = join(folder, "heads.jsonl");
  try {
    let published = (_line: string) => {};
    const line = new Promise<string>((resolve) => published = resolve);
    const instance = service.createInstance((level, event, fields) => {
      if (event === "audit_head") published(logLine(0, level, event, { ...fields }));
    }, { auditHeadsFile });
    await instance.start();
    const logged = JSON.parse(await line);
    await instance.stop();
    const lines = (await readFile(auditHeadsFile, "utf8")).split("\n");
    assertEquals(lines.pop(), "");
    // A job of the start may have written to the log meanwhile; then there is a second line.
    const heads = lines.map((text) => JSON.parse(text));
    assertEquals([heads[0].sequence, heads[0].hash], [logged.sequence, logged.hash]);
    for (const { sequence, hash } of heads) {
      const [entry] = await service.test.database.sql<{ hash: string }[]>`
        select encode(hash, 'hex') as hash from audit_log where audit_id = ${sequence}::bigint`;
      assertEquals(hash, entry?.hash);
    }
    assertEquals((await stat(auditHeadsFile)).mode & 0o777, 0o600);
  } finally {
    await service.close();
  }
});
