import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { parse } from "yaml";
import { hurriedRules } from "./hurried_rules.ts";

test("hurriedRules() shortens what an alert waits for and looks back at, and nothing else", () => {
  const text = `
groups:
  - name: one
    rules:
      - alert: A
        expr: rate(a{code="5m"}[10m]) > 30 or (a unless a offset 10m) > 600
        for: 5m
        labels: { severity: page }
      - alert: B
        expr: increase(b[1m]) > 0
`;
  assertEquals(parse(hurriedRules(text, 60)).groups, [{
    name: "one",
    rules: [
      {
        alert: "A",
        expr: 'rate(a{code="5m"}[10s]) > 30 or (a unless a offset 10s) > 600',
        for: "5s",
        labels: { severity: "page" },
      },
      { alert: "B", expr: "increase(b[5s]) > 0" },
    ],
  }]);
});
