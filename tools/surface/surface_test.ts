import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { commandLines, type CommandTree, helpLines } from "./command_lines.ts";
import { linesOf } from "./exported_lines.ts";
import { openApiLines } from "./open_api_lines.ts";

test("an endpoint's parameters, answers and forms are part of the surface", () => {
  const form = (name: string) => ({
    content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const text = { type: "string" };
  assertEquals(
    openApiLines({
      paths: {
        "/v1/orders": {
          summary: "Orders",
          post: {
            parameters: [{ name: "X-Nonce", required: true }, { name: "limit" }],
            requestBody: form("OrderRequest"),
            responses: { 201: form("Order") },
          },
        },
      },
      webhooks: { "order.executed": { post: { responses: {} } } },
      components: {
        schemas: {
          OrderRequest: { properties: { quote_id: text, note: text }, required: ["quote_id"] },
          Order: {
            properties: {
              side: { type: "string", enum: ["buy", "sell"] },
              bars: { type: "array", items: { properties: { serial: text } } },
              balances: { $ref: "#/components/schemas/Balances" },
            },
            required: ["side"],
          },
        },
      },
    }),
    [
      "route POST /v1/orders",
      "parameter POST /v1/orders X-Nonce: must",
      "parameter POST /v1/orders limit",
      "answer POST /v1/orders 201",
      "body POST /v1/orders OrderRequest",
      "route webhook order.executed",
      "member OrderRequest.quote_id: string must",
      "member OrderRequest.note: string",
      "member Order.side: string",
      "value Order.side buy",
      "value Order.side sell",
      "member Order.bars: array",
      "member Order.bars[].serial: string",
      "member Order.balances: Balances",
    ],
  );
});

test("a tree of commands is part of the surface, a flag of all of them once", () => {
  const leaf = (flags: string[], ...optional: boolean[]): CommandTree => ({
    parameters: {
      flags: Object.fromEntries(flags.map((flag) => [flag, {}])),
      positional: { parameters: optional.map((one) => ({ optional: one })) },
    },
  });
  const map = (routes: Record<string, CommandTree>): CommandTree => ({
    getAllEntries: () =>
      Object.entries(routes).map(([original, target]) => ({ name: { original }, target })),
  });
  const tree = map({
    masterKey: map({ rotate: leaf(["json"]), reseal: leaf(["dryRun", "json"], false, true) }),
  });
  assertEquals(commandLines("sabika", tree), [
    "flag sabika --json",
    "command sabika master-key rotate",
    "arguments sabika master-key rotate: 0 to 0",
    "command sabika master-key reseal",
    "arguments sabika master-key reseal: 1 to 2",
    "flag sabika master-key reseal --dry-run",
  ]);
  assertEquals(helpLines("sabika-client keys", "  --out FOLDER  or --out; a--b"), [
    "command sabika-client keys",
    "flag sabika-client keys --out",
  ]);
});

test("what a package exports is part of the surface, with the members of interfaces and classes", () => {
  const members = {
    properties: [{ name: "code" }, { name: "hint", optional: true }],
    methods: [{ name: "say" }, { name: "keep", accessibility: "private" }],
  };
  const lines = linesOf("@sabika/client", [
    { name: "grams", declarations: [{ kind: "function", def: {} }] },
    { name: "Problem", declarations: [{ kind: "class", def: members }] },
  ]);
  assertEquals(lines, [
    "export @sabika/client grams: function",
    "export @sabika/client Problem: class",
    "export @sabika/client Problem.code",
    "export @sabika/client Problem.hint: optional",
    "export @sabika/client Problem.say",
  ]);
});
