import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { readListQuery } from "./list_query.ts";

const STATUSES = ["pending", "completed"];

test("readListQuery() takes the newest 20 items by default", () => {
  assertEquals(readListQuery("", STATUSES), { ok: true, value: { limit: 20 } });
});

test("readListQuery() reads every filter", () => {
  const query = "limit=100&cursor=abc&created_from=2026-11-20T00:00:00Z&" +
    "created_to=2026-11-21T00%3A00%3A00.000Z&status=pending&idempotency_key=a%26b";
  assertEquals(readListQuery(query, STATUSES), {
    ok: true,
    value: {
      limit: 100,
      cursor: "abc",
      createdFromMs: Date.UTC(2026, 10, 20),
      createdToMs: Date.UTC(2026, 10, 21),
      status: "pending",
      idempotencyKey: "a&b",
    },
  });
});

test("readListQuery() reads after_sequence where events are listed", () => {
  assertEquals(readListQuery("after_sequence=0&limit=3", STATUSES, "numbered"), {
    ok: true,
    value: { limit: 3, afterSequence: 0 },
  });
});

test("readListQuery() refuses what it does not know, and points to it", () => {
  const refusals = (query: string, ...rest: [string[]?, ("filtered" | "numbered")?]) => {
    const [statuses = STATUSES, kind = "filtered"] = rest;
    const read = readListQuery(query, statuses, kind);
    return read.ok ? [] : read.errors.map(({ pointer, code }) => `${pointer} ${code}`);
  };
  const cases = [
    ["limit=0", "/limit not_allowed"],
    ["limit=101", "/limit not_allowed"],
    ["limit=1e1", "/limit not_allowed"],
    ["limit=1&limit=2", "/limit wrong_form"],
    ["status=open", "/status not_allowed"],
    ["created_from=yesterday", "/created_from wrong_form"],
    ["cursor=%zz", "/cursor wrong_form"],
    ["after_sequence=1", "/ unknown_member"],
    ["Limit=1&x", "/ unknown_member", "/ unknown_member"],
  ] as const;
  for (const [query, ...expected] of cases) assertEquals(refusals(query), expected, query);
  assertEquals(refusals("status=pending", []), ["/ unknown_member"]);

  const inEvents = (query: string) => refusals(query, STATUSES, "numbered");
  for (const wrong of ["", "-1", "01", "1.5", "1e3", "9999999999999999", "1&after_sequence=1"]) {
    assertEquals(inEvents(`after_sequence=${wrong}`), ["/after_sequence wrong_form"], wrong);
  }
  const beside = "idempotency_key=a&created_to=2026-11-20T00:00:00Z";
  assertEquals(inEvents(`status=pending&after_sequence=1&${beside}`), [
    "/status not_allowed",
    "/idempotency_key not_allowed",
    "/created_to not_allowed",
  ]);
});
