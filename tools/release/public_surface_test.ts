import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { isBefore, leastVersion, recordOf, unnamedChanges } from "./public_surface.ts";

const RELEASED = {
  version: "1.4.2",
  lines: ["code quote_expired: 409", "member Order.side: string", "route POST /v1/orders"],
};
const record = (...now: string[]) => recordOf(RELEASED, now);
const changelog = (text: string) => `## [Unreleased]\n\n${text}\n\n## [1.4.2] - 2026-11-20\n`;

test("recordOf() keeps the released surface, with the changes since", () => {
  assertEquals(
    record("code quote_expired: 410", ...RELEASED.lines.slice(1), "setting SABIKA_NEW"),
    {
      ...RELEASED,
      added: ["code quote_expired: 410", "setting SABIKA_NEW"],
      removed: ["code quote_expired: 409"],
    },
  );
});

test("leastVersion() requires a major version for a removal, and a minor one for an addition", () => {
  const { lines } = RELEASED;
  assertEquals(leastVersion(record(...lines)), "1.4.3");
  assertEquals(leastVersion(record(...lines, "member Order.note: string")), "1.5.0");
  assertEquals(leastVersion(record(...lines, "member OrderRequest.note: string must")), "2.0.0");
  assertEquals(leastVersion(record(...lines, "parameter POST /v1/orders X-Note: must")), "2.0.0");
  assertEquals(leastVersion(record(...lines.slice(1))), "2.0.0");
  const begun = recordOf({ ...RELEASED, nextAtLeast: "1.6.0" }, lines);
  assertEquals([begun.nextAtLeast, leastVersion(begun)], ["1.6.0", "1.6.0"]);
});

test("isBefore() compares versions as numbers, from the left", () => {
  const versions = ["1.9.9", "1.10.0", "2.0.0", "10.0.0"];
  for (const [index, version] of versions.entries()) {
    assertEquals(
      versions.map((other) => isBefore(version, other)),
      versions.map((_, at) => at > index),
    );
  }
});

test("unnamedChanges() finds removals and new groups that the change log does not name", () => {
  const { lines } = RELEASED;
  const changed = record(
    ...lines.slice(1),
    "command sabika vault melt",
    "export @sabika/client melt: function",
    "export @sabika/client Client.melt",
    "flag sabika vault melt --gently",
    "route GET /v1/ingots",
    "setting SABIKA_HEAT",
  );
  const all = unnamedChanges(changed, changelog("- Nothing."));
  assertEquals(all, [
    "code quote_expired: 409",
    "command sabika vault melt",
    "route GET /v1/ingots",
    "setting SABIKA_HEAT",
  ]);
  const named =
    "- `sabika vault melt`, `GET /v1/ingots`, `SABIKA_HEAT`; no `quote_expired` any more.";
  assertEquals(unnamedChanges(changed, changelog(named)), []);
  // Entries of earlier releases do not count.
  assertEquals(unnamedChanges(changed, changelog("") + named), all);
});
