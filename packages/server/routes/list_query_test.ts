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

test("readListQuery() refuses what it does not know, and points to it", () => {
  const pointers = (query: string, statuses: readonly string[] = STATUSES) => {
    const read = readListQuery(query, statuses);
    return read.ok ? [] : read.errors.map(({ pointer, code }) => `${pointer} ${code}`);
  };
  assertEquals(pointers("limit=0"), ["/limit not_allowed"]);
  assertEquals(pointers("limit=101"), ["/limit not_allowed"]);
  assertEquals(pointers("limit=1e1"), ["/limit not_allowed"]);
  assertEquals(pointers("limit=1&limit=2"), ["/limit wrong_form"]);
  assertEquals(pointers("status=open"), ["/status not_allowed"]);
  assertEquals(pointers("status=pending", []), ["/ unknown_member"]);
  assertEquals(pointers("created_from=yesterday"), ["/created_from wrong_form"]);
  assertEquals(pointers("cursor=%zz"), ["/cursor wrong_form"]);
  assertEquals(pointers("Limit=1&x"), ["/ unknown_member", "/ unknown_member"]);
});

test("readListQuery() reads after_sequence where events are listed, beside limit and cursor alone", () => {
  assertEquals(readListQuery("after_sequence=0&limit=3", STATUSES, "numbered"), {
    ok: true,
    value: { limit: 3, afterSequence: 0 },
  });
  const pointers = (query: string, isNumbered = true) => {
    const read = readListQuery(query, STATUSES, isNumbered ? "numbered" : "filtered");
    return read.ok ? [] : read.errors.map(({ pointer, code }) => `${pointer} ${code}`);
  };
  assertEquals(pointers("after_sequence=1", false), ["/ unknown_member"]);
  for (const wrong of ["", "-1", "01", "1.5", "1e3", "9999999999999999"]) {
    assertEquals(pointers(`after_sequence=${wrong}`), ["/after_sequence wrong_form"]);
  }
  assertEquals(pointers("after_sequence=1&after_sequence=1"), ["/after_sequence wrong_form"]);
  const filters =
    "status=pending&after_sequence=1&idempotency_key=a&created_to=2026-11-20T00:00:00Z";
  assertEquals(pointers(filters), [
    "/status not_allowed",
    "/idempotency_key not_allowed",
    "/created_to not_allowed",
  ]);
});
