import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { openWorld } from "./world.ts";
import { findBreaches } from "./invariants.ts";
import { idOf } from "./caller.ts";
import { History } from "./history.ts";

test("the harness", async () => {
  const t0 = Date.now();
  const world = await openWorld();
  console.log("open", Date.now() - t0);
  try {
    const bank = await world.admit();
    console.log("admit", Date.now() - t0);
    const history = new History();
    await history.call(bank, "fund", '{"amount_sar":10000}');
    const q = await history.call(bank, "quote", '{"side":"buy","gold_grams":1}');
    const o = await history.call(bank, "order", `{"quote_id":"${idOf(q)}"}`, { instance: 1 });
    console.log(o);
    await history.call(bank, "withdrawal", '{"amount_sar":1}');
    console.log(history.counts());
    assertEquals(await findBreaches(world.database), []);
    assertEquals(await history.contradictions(world.database.sql), []);
    const t = Date.now();
    await world.instances[0]!.kill();
    await world.instances[0]!.start();
    console.log("restart", Date.now() - t);
  } finally {
    await world.close();
  }
});
