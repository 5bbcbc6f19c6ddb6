import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { renderWhole } from "./render.ts";
import { completeSettings } from "./settings.ts";

const SETTINGS = { folder: "/sidecar", serverNames: ["api.bank.example"] };

test("every name in the template has a value, with and without traces", () => {
  for (const traces of [{}, { traces: "127.0.0.1:4318" }]) {
    const whole = renderWhole(completeSettings({ ...SETTINGS, ...traces }), undefined);
    assertEquals([whole.includes("${"), whole.includes("$if")], [false, false]);
  }
});
