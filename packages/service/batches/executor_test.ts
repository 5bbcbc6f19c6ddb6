import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { type BatchWork, createExecutor } from "./executor.ts";

interface Item {
  name: string;
  partner?: number;
  tags?: string[];
}

/** Creates the work of a database that answers when the test says so. */
function stage() {
  const batches: { names: string; answer(error?: unknown): void }[] = [];
  let over = false;
  let arrived = () => {};
  const work: BatchWork<Item, string> = {
    partnerId: (item) => item.partner ?? 1,
    tags: (item) => item.tags ?? [],
    run: (items) =>
      new Promise((resolve, reject) => {
        batches.push({
          names: items.map((item) => item.name).join(" "),
          answer: (error) =>
            error === undefined ? resolve(items.map((item) => `${item.name}!`)) : reject(error),
        });
        if (over) batches.at(-1)!.answer();
        arrived();
      }),
  };
  /** Resolves to the n-th batch when it is sent. */
  async function batch(n: number) {
    while (batches.length < n) await new Promise<void>((resolve) => arrived = resolve);
    return batches[n - 1]!;
  }
  /** Answers the batches in flight and all later ones. */
  function end(): void {
    over = true;
    for (const batch of batches) batch.answer();
  }
  return { work, batch, batches, end };
}

const codeOf = (result: string | { code: string }) =>
  typeof result === "string" ? result : result.code;
const options = { now: () => 0, maxAttempts: 3, pause: () => Promise.resolve() };
const failure = (code: string) => Object.assign(new Error(code), { code });

test("items that arrive while a batch is in flight go together in the next one", async () => {
  const { work, batch } = stage();
  const executor = createExecutor(work, options);
  const results = [executor.execute({ name: "a" }), executor.execute({ name: "b" })];
  assertEquals((await batch(1)).names, "a b");
  results.push(executor.execute({ name: "c" }), executor.execute({ name: "d" }));
  assertEquals(executor.waiting(), 2);
  (await batch(1)).answer();
  assertEquals((await batch(2)).names, "c d");
  (await batch(2)).answer();
  assertEquals(await Promise.all(results), ["a!", "b!", "c!", "d!"]);
  assertEquals(executor.waiting(), 0);
});

test("items with a tag in common never share a batch, and keep their order", async () => {
  const { work, batch, end } = stage();
  const executor = createExecutor(work, options);
  for (
    const [name, tags] of [["a", ["k1"]], ["b", ["k1", "q"]], ["c", ["q"]], ["d", []]] as const
  ) void executor.execute({ name, tags: [...tags] });
  (await batch(1)).answer();
  (await batch(2)).answer();
  assertEquals([(await batch(1)).names, (await batch(2)).names, (await batch(3)).names], [
    "a d",
    "b",
    "c",
  ]);
  end();
});

test("an item that was passed over goes before those that came after it", async () => {
  const { work, batch, end } = stage();
  const executor = createExecutor(work, { ...options, maxBatch: 2 });
  for (const [name, tags] of [["a", ["k"]], ["b", ["k"]], ["c", []], ["d", ["k"]]] as const) {
    void executor.execute({ name, tags: [...tags] });
  }
  const names: string[] = [];
  for (const n of [1, 2, 3]) {
    names.push((await batch(n)).names);
    (await batch(n)).answer();
  }
  assertEquals(names, ["a c", "b", "d"]);
  end();
});

test("an item may have a tag twice, and another partner's", async () => {
  const { work, batch, end } = stage();
  const executor = createExecutor(work, options);
  void executor.execute({ name: "a", tags: ["k", "k"] });
  void executor.execute({ name: "b", tags: ["k"], partner: 2 });
  assertEquals((await batch(1)).names, "a b");
  end();
});

test("partners are served in turn, so a flood delays only the partner it comes from", async () => {
  const { work, batch, end } = stage();
  const executor = createExecutor(work, { ...options, maxBatch: 4 });
  void executor.execute({ name: "first" });
  await batch(1);
  for (let n = 0; n < 6; n++) void executor.execute({ name: `a${n}`, partner: 1 });
  void executor.execute({ name: "b", partner: 2 });
  (await batch(1)).answer();
  assertEquals((await batch(2)).names, "a0 b a1 a2");
  void executor.execute({ name: "c", partner: 3 });
  (await batch(2)).answer();
  assertEquals((await batch(3)).names, "a3 c a4 a5");
  end();
});

test("items are refused when too many wait, of one partner or of all", async () => {
  const { work, batch, end } = stage();
  const executor = createExecutor(work, { ...options, maxWaiting: 3, maxWaitingPerPartner: 2 });
  void executor.execute({ name: "away" });
  await batch(1);
  const items = [["a", 1], ["b", 1], ["c", 1], ["d", 2], ["e", 3]] as const;
  const done = items.map(([name, partner]) => executor.execute({ name, partner }));
  (await batch(1)).answer();
  await batch(2);
  end();
  assertEquals(await executor.execute({ name: "later" }), "later!");
  const refused = "service_unavailable";
  assertEquals((await Promise.all(done)).map(codeOf), ["a!", "b!", refused, "d!", refused]);
});

test("a batch that fails as a whole is retried item by item", async () => {
  const { work, batch } = stage();
  const executor = createExecutor(work, options);
  const results = [executor.execute({ name: "a" }), executor.execute({ name: "b" })];
  (await batch(1)).answer(failure("23514"));
  (await batch(2)).answer();
  (await batch(3)).answer(failure("23514"));
  assertEquals(await results[0], "a!");
  await assertRejects(() => results[1]!, Error, "23514");
});

test("a deadlock is retried a limited number of times (F11)", async () => {
  const { work, batch, batches } = stage();
  const executor = createExecutor(work, options);
  const done = Promise.all([executor.execute({ name: "a" }), executor.execute({ name: "b" })]);
  (await batch(1)).answer(failure("40P01"));
  (await batch(2)).answer(failure("40001"));
  (await batch(3)).answer();
  assertEquals(await done, ["a!", "b!"]);
  const never = executor.execute({ name: "c" });
  for (let n = 4; n <= 6; n++) (await batch(n)).answer(failure("40001"));
  assertEquals(codeOf(await never), "service_unavailable");
  assertEquals(batches.length, 6);
});

test("a commit without its standby has an unknown outcome at once, and is not retried", async () => {
  const { work, batch, batches } = stage();
  const executor = createExecutor(work, options);
  const done = executor.execute({ name: "a" });
  (await batch(1)).answer(failure("NOT_REPLICATED"));
  assertEquals(codeOf(await done), "outcome_unknown");
  assertEquals(batches.length, 1);
});

test("an outcome that one attempt left unknown stays so, whatever the attempts after it meet", async () => {
  const { work, batch } = stage();
  const executor = createExecutor(work, options);
  const done = executor.execute({ name: "a" });
  (await batch(1)).answer(failure("57P01"));
  for (const n of [2, 3]) (await batch(n)).answer(failure("57P03"));
  assertEquals(codeOf(await done), "outcome_unknown");
});

test("while a batch hangs, its items have an unknown outcome and later ones are not executed (F08)", async () => {
  const { work, batch, batches } = stage();
  let nowMs = 0;
  const executor = createExecutor(work, { ...options, now: () => nowMs, timeoutMs: 20 });
  const away = executor.execute({ name: "a" });
  await batch(1);
  const behind = executor.execute({ name: "b" });
  nowMs = 20;
  const late = executor.execute({ name: "c" });
  const codes = (await Promise.all([away, behind])).map(codeOf);
  assertEquals(codes, ["outcome_unknown", "service_unavailable"]);
  assertEquals(executor.waiting(), 1);
  batches[0]!.answer();
  (await batch(2)).answer();
  assertEquals(await late, "c!");
  assertEquals(executor.waiting(), 0);
});

test("an item is overdue by its own time, also when the clock was set back", async () => {
  const { work, batch, batches } = stage();
  let nowMs = 1_000;
  const executor = createExecutor(work, { ...options, now: () => nowMs, timeoutMs: 20 });
  const outcomes = [executor.execute({ name: "a" })];
  await batch(1);
  outcomes.push(executor.execute({ name: "b" }));
  nowMs = 500;
  const late = executor.execute({ name: "c" });
  nowMs = 520;
  assertEquals(codeOf(await late), "service_unavailable");
  batches[0]!.answer();
  (await batch(2)).answer();
  assertEquals(await Promise.all(outcomes), ["a!", "b!"]);
});

test("a partner whose accounts are locked is retried separately, and the others continue", async () => {
  const { work, batch, batches, end } = stage();
  const executor = createExecutor(work, options);
  const held = executor.execute({ name: "a", partner: 1 });
  const first = executor.execute({ name: "b", partner: 2 });
  assertEquals((await batch(1)).names, "a b");
  const behind = executor.execute({ name: "c", partner: 1 });
  const next = executor.execute({ name: "d", partner: 3 });
  (await batch(1)).answer(failure("55P03"));
  // Each partner is retried separately, and the item of partner 3 is sent at once.
  await batch(4);
  assertEquals(batches.map(({ names }) => names), ["a b", "a", "b", "d"]);
  (await batch(4)).answer();
  (await batch(3)).answer();
  assertEquals([await first, await next], ["b!", "d!"]);
  const later = executor.execute({ name: "e", partner: 2 });
  assertEquals((await batch(5)).names, "e");
  (await batch(5)).answer();
  assertEquals(await later, "e!");
  // The item behind the held one is sent after it.
  (await batch(2)).answer(failure("55P03"));
  assertEquals((await batch(6)).names, "a");
  (await batch(6)).answer();
  assertEquals((await batch(7)).names, "c");
  end();
  assertEquals([await held, await behind], ["a!", "c!"]);
});
