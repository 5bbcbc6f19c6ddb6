import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { asDossier, isDossier } from "./check_dossier.ts";
import type { Line } from "./line.ts";
import { writeLine } from "./write_line.ts";

const RIGHT = [
  { name: "amount", value: { sar: "1" }, was: { word: "none" } },
  { name: "paid_before", value: { times: 2, sar: "3" }, context: true },
  { name: "rate_read", value: { rate: { perSecond: 1, burst: 2 } }, changed: true },
];

/** A megabyte of digits would take minutes to be written. */
const LONG = [
  { sar: "1".repeat(100_000) },
  { times: 1, sar: "1".repeat(100_000) },
  { grams: "1e5" },
  { conditions: [`grams outside ${".".repeat(100_000)} `] },
];

test("a line of no known label, kind or member is no dossier that somebody could sign", () => {
  assertEquals(isDossier(RIGHT), true);
  const [line] = RIGHT;
  const wrong = [
    null,
    { ...line, name: "toString" },
    { ...line, was: null },
    { ...line, context: false },
    { ...line, changed: "yes" },
    { ...line, more: 1 },
    ...[
      null,
      5,
      [],
      {},
      { sar: 1 },
      { text: "a", sar: "1" },
      { toString: "a" },
      { times: "2" },
      {
        rate: { perSecond: 1 },
      },
      { roles: ["vault", 1] },
      ...LONG,
    ].map((value) => ({ name: "serial", value })),
  ];
  for (const line of wrong) assertEquals(isDossier([...RIGHT, line]), false, JSON.stringify(line));
  assertEquals(isDossier({}), false);
});

test("a kept line of a later release is shown, its value as JSON, and nothing breaks a page", () => {
  const names = { acts: {}, roles: {} };
  const shown = (line: unknown, language: "en" | "ar" = "en") =>
    writeLine(line as Line, language, names);
  for (const value of [null, 5, [], {}, { later: [1] }, { text: 5 }, ...LONG]) {
    const label = "Serial";
    assertEquals(shown({ name: "serial", value }), { label, value: JSON.stringify(value) });
  }
  assertEquals(shown({ name: "later", value: { text: "a" }, was: null }, "ar"), {
    label: "later",
    value: "a",
    was: "null",
  });
  for (
    const value of [{ act: "constructor" }, { roles: ["constructor"] }, { word: "constructor" }]
  ) {
    assertEquals(shown({ name: "act", value }).value, "constructor");
  }
  assertEquals(asDossier([{ name: "later", value: {} }])?.length, 1);
  for (const kept of [[null], [{ name: 1, value: 1 }], [{ name: "serial" }], {}, null]) {
    assertEquals(asDossier(kept), undefined);
  }
});
