import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AccessTokenHolder } from "./access_token.ts";
import { grams, riyals } from "./amounts.ts";
import { backoffMs, DEFAULT_RETRY, readRetryAfter, wait } from "./backoff.ts";
import { listQuery } from "./list_query.ts";
import { pagesOf } from "./pages.ts";

test("AccessTokenHolder fetches once for however many callers wait", async () => {
  let fetched = 0;
  let give: (token: { accessToken: string; expiresInSeconds: number }) => void = () => {};
  const holder = new AccessTokenHolder(() => {
    fetched++;
    return new Promise((resolve) => give = resolve);
  }, () => 0);
  const waiting = Array.from({ length: 100 }, () => holder.get());
  give({ accessToken: "one", expiresInSeconds: 600 });
  assertEquals(new Set(await Promise.all(waiting)), new Set(["one"]));
  assertEquals([await holder.get(), fetched], ["one", 1]);
});

test("AccessTokenHolder renews a token early without delaying callers, and never returns one about to expire", async () => {
  let nowMs = 0;
  let fetched = 0;
  const holder = new AccessTokenHolder(
    () => Promise.resolve({ accessToken: `t${++fetched}`, expiresInSeconds: 600 }),
    () => nowMs,
  );
  assertEquals(await holder.get(), "t1");
  nowMs = 539_000;
  assertEquals([await holder.get(), fetched], ["t1", 1]);
  nowMs = 541_000;
  assertEquals([await holder.get(), fetched], ["t1", 2]);
  await Promise.resolve();
  assertEquals(await holder.get(), "t2");
  nowMs += 596_000;
  assertEquals(await holder.get(), "t3");
});

test("AccessTokenHolder counts a token's time from its request, however long the answer takes", async () => {
  let nowMs = 0;
  let fetched = 0;
  const holder = new AccessTokenHolder(() => {
    nowMs += 10_000;
    return Promise.resolve({ accessToken: `t${++fetched}`, expiresInSeconds: 600 });
  }, () => nowMs);
  assertEquals(await holder.get(), "t1");
  nowMs = 595_000;
  assertEquals(await holder.get(), "t2");
});

test("AccessTokenHolder hides a failed early renewal, and fetches again after a failure", async () => {
  let nowMs = 0;
  let fails = false;
  const holder = new AccessTokenHolder(
    () =>
      fails
        ? Promise.reject(new Error("away"))
        : Promise.resolve({ accessToken: "t", expiresInSeconds: 600 }),
    () => nowMs,
  );
  await holder.get();
  fails = true;
  nowMs = 580_000;
  assertEquals(await holder.get(), "t");
  nowMs = 600_000;
  await assertRejects(() => holder.get(), Error, "away");
  fails = false;
  assertEquals(await holder.get(), "t");
});

test("AccessTokenHolder drops the token that was refused, and not a newer one", async () => {
  let fetched = 0;
  const holder = new AccessTokenHolder(
    () => Promise.resolve({ accessToken: `t${++fetched}`, expiresInSeconds: 600 }),
    () => 0,
  );
  const first = await holder.get();
  holder.drop(first);
  const second = await holder.get();
  holder.drop(first);
  assertEquals([second, await holder.get()], ["t2", "t2"]);
});

test("backoffMs() doubles up to its cap, and half of it is random", () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7].map((attempt) =>
    backoffMs(DEFAULT_RETRY, attempt, 0, undefined)
  );
  assertEquals(pauses, [100, 200, 400, 800, 1_600, 2_500, 2_500]);
  assertEquals(backoffMs(DEFAULT_RETRY, 1, 0.5, undefined), 150);
});

test("backoffMs() honours Retry-After up to the longest pause", () => {
  assertEquals(backoffMs(DEFAULT_RETRY, 1, 0, 3), 3_000);
  assertEquals(backoffMs(DEFAULT_RETRY, 1, 0, 6), undefined);
});

test("readRetryAfter() reads seconds and dates", () => {
  assertEquals(readRetryAfter("12", 0), 12);
  for (const nowMs of [10_000, 10_001, 10_999]) {
    assertEquals(readRetryAfter("Thu, 01 Jan 1970 00:00:30 GMT", nowMs), 20);
  }
  for (const header of [null, "", "soon", "-1", "1.5"]) {
    assertEquals(readRetryAfter(header, 0), undefined);
  }
});

test("wait() ends with the signal's reason", async () => {
  const stopping = new AbortController();
  const waiting = wait(60_000, stopping.signal);
  stopping.abort(new Error("enough"));
  await assertRejects(() => waiting, Error, "enough");
  await assertRejects(() => wait(0, stopping.signal), Error, "enough");
});

test("listQuery() writes the filters that are set and nothing else", () => {
  assertEquals(listQuery(), "");
  assertEquals(listQuery({ cursor: null }), "");
  assertEquals(
    listQuery({
      limit: 5,
      cursor: "a=b",
      createdFromMs: 0,
      status: "executed",
      idempotencyKey: "k&1",
    }),
    "?limit=5&cursor=a%3Db&created_from=1970-01-01T00%3A00%3A00.000Z&status=executed&idempotency_key=k%261",
  );
});

test("a list is its first page when awaited, and all items when iterated", async () => {
  const requested: (string | null)[] = [];
  const list = pagesOf((cursor) => {
    requested.push(cursor);
    return Promise.resolve(
      cursor === "b" ? { data: [3], nextCursor: null } : { data: [1, 2], nextCursor: "b" },
    );
  });
  assertEquals((await list).data, [1, 2]);
  assertEquals(requested, [null]);
  for (const round of [1, 2]) {
    const seen: number[] = [];
    for await (const item of list) seen.push(item);
    assertEquals(seen, [1, 2, 3], `round ${round}`);
  }
  assertEquals(requested, [null, "b", "b"]);
});

test("a list that fails is rejected when awaited and when iterated", async () => {
  const list = pagesOf<number>(() => Promise.reject(new RangeError("no such cursor")));
  await assertRejects(() => list, RangeError);
  await assertRejects(async () => {
    for await (const _ of list);
  }, RangeError);
});

test("grams() and riyals() read decimals exactly and refuse other texts", () => {
  assertEquals([grams("1.5"), grams("0.0001"), riyals("1000"), riyals("0.05")], [
    1_500_000n,
    100n,
    100_000n,
    5n,
  ]);
  for (const text of ["", "1e3", "1,5", "0.00001", "NaN", " 1"]) {
    assertThrows(() => grams(text), RangeError);
  }
  assertThrows(() => riyals("1.005"), RangeError, "at most 2 decimals");
});
