import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { ERROR_CODES } from "./error_codes.ts";
import { SIMULATION_NAMES } from "./simulations.ts";

test("each refusal of Decision D32 can be simulated, except that of a wrong simulation", () => {
  const names: readonly string[] = SIMULATION_NAMES;
  assertEquals(ERROR_CODES.filter((code) => !names.includes(code)), ["simulation_invalid"]);
});
