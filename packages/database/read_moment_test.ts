import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { readMoment } from "./read_moment.ts";

test("a moment of the database is read to the millisecond", () => {
  const moments: [string, string][] = [
    ["2026-11-20 09:00:00+00", "2026-11-20T09:00:00.000Z"],
    ["2026-11-20 09:07:08.1+00", "2026-11-20T09:07:08.100Z"],
    ["2024-02-29 23:59:59.02+00", "2024-02-29T23:59:59.020Z"],
    ["1969-12-31 23:59:59.999+00", "1969-12-31T23:59:59.999Z"],
    ["9999-12-31 23:59:59.999+00", "9999-12-31T23:59:59.999Z"],
    ["10000-01-02 00:00:00.5+00", "+010000-01-02T00:00:00.500Z"],
    ["2026-11-20 09:00:00.123456+00", "2026-11-20T09:00:00.123Z"],
  ];
  for (const [text, iso] of moments) assertEquals(new Date(readMoment(text)).toISOString(), iso);
});
