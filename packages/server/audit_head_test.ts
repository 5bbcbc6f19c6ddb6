import { test } from "node:test";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { readAuditHead } from "@sabika/service/audit";
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
    const { auditId, hash } = await readAuditHead(service.test.database.sql);
    assertEquals([logged.sequence, logged.hash], [Number(auditId), hash]);
    const [first, end] = (await readFile(auditHeadsFile, "utf8")).split("\n");
    assertEquals([JSON.parse(first!).sequence, JSON.parse(first!).hash], [Number(auditId), hash]);
    assertEquals(end, "");
    assertEquals((await stat(auditHeadsFile)).mode & 0o777, 0o600);
  } finally {
    await service.close();
  }
});
