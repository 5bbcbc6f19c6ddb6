import { assert, assertEquals } from "@std/assert";
import { constants, getPriority } from "node:os";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { reconcile } from "@sabika/service/ledger";
import { readStats } from "@sabika/sidecar";
import { openRaw, type RawConnection } from "../../../test/support/raw_https.ts";
import { startOrderLoad } from "../../../test/support/stack/order_load.ts";
import { sized } from "../../../test/support/sized.ts";
import { until } from "../../../test/support/until.ts";
import {
  openTestStack,
  rawCallerOf,
  type TestStack,
} from "../../../test/support/stack/stack_for_tests.ts";

const RESTARTS = sized(5, 20);

describe("the stack over long stretches", () => {
  let test: TestStack;
  /** A second stack, which is idle during the pauses while the first is under load. */
  let quiet: TestStack;
  let pauses: Promise<void>;
  before(async () => {
    test = await openTestStack();
    quiet = await openTestStack();
    pauses = askAfterPauses(quiet, [6, 61, 76]);
    pauses.catch(() => {}); // the last test awaits it
  });
  after(async () => {
    await test?.close();
    await quiet?.close();
  });

  it("loses no request in rolling restarts of two instances under load (F21)", async () => {
    const load = await startOrderLoad(test.stack.kits[0]!);
    await until(() => load.orders.length > 10);
    for (let round = 0; round < RESTARTS; round++) {
      const before = test.stack.instances().map(({ pid }) => pid);
      await test.stack.rollingRestart();
      assertEquals(load.failures.slice(0, 5), [], `round ${round}`);
      const after = test.stack.instances().map(({ pid }) => pid);
      assertEquals(after.length, 2);
      assertEquals(after.filter((pid) => before.includes(pid)), []);
    }
    const count = load.orders.length;
    await until(() => load.orders.length > count + 10);
    await load.stop();
    assertEquals(load.failures.slice(0, 5), []);
    assert(load.orders.length > RESTARTS * 10, `${load.orders.length} orders`);
    assertEquals(await reconcile(test.admin.database), []);
  });

  it("delivers webhooks in a process of lower priority, which is restarted when it dies", async () => {
    const { pid } = test.stack.delivery()!;
    assertEquals(getPriority(pid), constants.priority.PRIORITY_BELOW_NORMAL);
    process.kill(pid, "SIGKILL");
    await until(() => (test.stack.delivery()?.pid ?? pid) !== pid);
  });

  it("changes the edge secret 3 times under load without a failed request", async () => {
    const load = await startOrderLoad(test.stack.kits[1]!);
    await until(() => load.orders.length > 10);
    for (let round = 0; round < 3; round++) await test.stack.rotateEdgeSecret();
    await load.stop();
    assertEquals(load.failures.slice(0, 5), []);
  });

  it("gives no 503 after pauses of 6, 61 and 76 s on 200 kept connections (F23)", () => pauses);
});

/** Asks after real pauses: nothing else shows which side closes a kept connection first. */
async function askAfterPauses({ stack }: TestStack, pausesSeconds: number[]): Promise<void> {
  const caller = await rawCallerOf(stack, 0);
  const connections: RawConnection[] = [];
  for (let n = 0; n < 200; n++) connections.push(await openRaw(caller));
  const ask = async () => {
    const statuses = await Promise.all(
      connections.map(async (connection) =>
        (await connection.send({
          method: "GET",
          target: "/health",
          headers: [["Host", "localhost"]],
        })).status
      ),
    );
    assertEquals(statuses.filter((status) => status !== 200), []);
  };
  await ask();
  for (const seconds of pausesSeconds) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    await ask();
  }
  for (const connection of connections) connection.close();
  const stats = await readStats(stack.sidecar().adminSocket, "destroy_remote_with_active_rq");
  assertEquals(stats.get("cluster.service.upstream_cx_destroy_remote_with_active_rq"), 0);
}
