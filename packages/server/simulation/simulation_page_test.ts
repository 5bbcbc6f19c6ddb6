import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { ERROR_CODES, SIMULATION_NAMES, SIMULATIONS } from "@sabika/protocol";

const page = readFileSync(new URL("../../../docs/simulate.md", import.meta.url), "utf8");

/** The lists of routes that the page calls by a name. */
const GROUPS = new Map(
  [...page.matchAll(/^- \*(.+)\*: (.+)$/gm)].map(([, name, routes]) => [routes!, name!]),
);

function nameOf(routes: string): string {
  return GROUPS.get(routes) ?? routes;
}

test("docs/simulate.md has every simulation, where it applies and what comes", () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.+?) \| (.+) \|$/gm)].map((row) => row.slice(1));
  const refusals = [...page.matchAll(/^\| ([a-z ]+) \| (\d+ `.+`) \|$/gm)].flatMap(([, on, list]) =>
    list!.split(", ").map((refusal) => [
      /`(\w+)`/.exec(refusal)![1]!,
      on!,
      `${refusal}; nothing is carried out.`,
    ])
  );
  assertEquals(
    [...refusals, ...rows].toSorted(),
    Object.entries(SIMULATIONS).map(([name, { on, comes }]) => [
      name,
      on === "every request" ? on : nameOf(on.map((route) => `\`${route}\``).join(", ")),
      comes,
    ]).toSorted(),
  );
});

test("each refusal of Decision D32 can be simulated, but for that of a wrong simulation", () => {
  const names: readonly string[] = SIMULATION_NAMES;
  assertEquals(ERROR_CODES.filter((code) => !names.includes(code)), ["simulation_invalid"]);
});
