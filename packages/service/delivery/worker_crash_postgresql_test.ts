import { test } from "node:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { openTestOutbox } from "../../../test/support/test_outbox.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { startTestReceiver } from "../../../test/support/webhook_receiver.ts";
import { RUNTIME_ARGUMENTS } from "../../../tools/programs/own_process.ts";

const MAIN = fileURLToPath(
  new URL("../../../test/support/webhook_worker_main.ts", import.meta.url),
);
const EVENTS = 200;
/** Longer than a lease. */
const LATER_MS = 6_000;

test("workers that are killed with SIGKILL lose no event, change no id and keep the sequence (F76)", async () => {
  const outbox = await openTestOutbox();
  const folder = temporaryFolder();
  const caFile = join(folder, "ca.crt");
  await writeFile(caFile, outbox.authority.certificatePem);
  const receiver = await startTestReceiver(await outbox.authority.issue({ ip: ["127.0.0.1"] }));
  const partnerId = await outbox.addPartner(`https://127.0.0.1:${receiver.port}/`);
  const [secret] = outbox.secrets.get(partnerId)!;
  // The worker processes use the real clock.
  outbox.clock.ms = Date.now() - 1_000;
  const written = await outbox.writePings(partnerId, EVENTS);
  const args = [...RUNTIME_ARGUMENTS, MAIN, outbox.test.urlAs("sabika_app"), secret!, caFile];

  const seen = new Set<string>();
  const firsts: string[] = [];
  let deliveries = 0;
  try {
    // Each worker is killed as soon as this many events have arrived.
    for (const [n, goal] of [1, 60, EVENTS].entries()) {
      const worker = spawn(process.execPath, [...args, String(n * LATER_MS)], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      await new Promise<void>((resolve, reject) => {
        worker.on("close", () => reject(new Error("the worker ended by itself")));
        receiver.behave = ({ headers }) => {
          const id = headers["webhook-id"]!;
          deliveries++;
          if (!seen.has(id)) firsts.push(id);
          seen.add(id);
          if (seen.size < goal) return { status: 204 };
          resolve();
          return goal === EVENTS ? { status: 204 } : () => {};
        };
      });
      worker.removeAllListeners("close");
      process.kill(worker.pid!, "SIGKILL");
      await once(worker, "close");
    }
    assertEquals(firsts, written);
    assert(deliveries > EVENTS, "what was not marked came twice");
  } finally {
    await receiver.close();
    await outbox.close();
  }
});
