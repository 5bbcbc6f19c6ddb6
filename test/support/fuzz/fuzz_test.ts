import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { runFuzz } from "./fuzz.ts";

const text = (input: Uint8Array) => new TextDecoder().decode(input);

test("runFuzz() finds what a reader takes by mistake, past two checks, and shortens it", async () => {
  const target = {
    samples: ["amount=100&side=buy"],
    words: ["amount=", "-", "&"],
    judge(input: Uint8Array) {
      const [, amount] = /amount=(-?[0-9]+)/.exec(text(input)) ?? [];
      if (amount === undefined) return "no amount";
      if (!text(input).includes("side=")) return "no side";
      assert(Number(amount) >= 0, "below zero");
      return "accepted";
    },
  };
  const error = await assertRejects(() => runFuzz(target, 1, 20_000), Error);
  const [, shortest] = /read wrongly: "([^"]*)"/.exec(error.message) ?? [];
  assert(shortest !== undefined && shortest.length <= "amount=-1&side=".length + 1, error.message);
  assertEquals((error.cause as Error).message, "below zero");
});

test("runFuzz() gives the same from the same seed, and another from another", async () => {
  const seen = async (seed: number) => {
    const inputs: string[] = [];
    await runFuzz(
      { samples: ["abc"], judge: (input) => (inputs.push(text(input)), "accepted") },
      seed,
      50,
    );
    return inputs;
  };
  assertEquals(await seen(7), await seen(7));
  assert((await seen(7)).join() !== (await seen(8)).join());
});

test("runFuzz() refuses a target none of whose samples is accepted", async () => {
  await assertRejects(
    () => runFuzz({ samples: ["a"], judge: () => "refused" }, 1, 1),
    Error,
    "no sample",
  );
});
