import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { ERROR_CODES, SIMULATION_NAMES, SIMULATIONS } from "@sabika/protocol";

const page = readFileSync(new URL("../../../docs/simulate.md", import.meta.url), "utf8");

test("docs/simulate.md has every simulation, where it applies and what comes", () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.+?) \| (.+) \|$/gm)].map((row) => row.slice(1));
  assertEquals(
    rows,
    Object.entries(SIMULATIONS).map(([name, { on, comes }]) => [
      name,
      on === "every request" ? on : on.map((route) => `\`${route}\``).join(", "),
      comes,
    ]),
  );
});

test("each refusal of Decision D32 can be simulated, but for that of a wrong simulation", () => {
  const names: readonly string[] = SIMULATION_NAMES;
  assertEquals(ERROR_CODES.filter((code) => !names.includes(code)), ["simulation_invalid"]);
});
