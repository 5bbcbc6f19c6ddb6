import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import * as protocol from "./mod.ts";
import {
  alternative,
  BALANCES,
  decimalShape,
  GOLD,
  MONEY,
  ORDER,
  ORDER_REQUEST,
  orNull,
  parseJson,
  requestForm,
  type Shape,
} from "./mod.ts";

/** Every form that the package exports. */
const SHAPES = Object.values<unknown>(protocol).filter((value): value is { shape: Shape } =>
  typeof value === "object" && value !== null && "shape" in value
).map(({ shape }) => shape);

test("a record's shape has its constants, and does not require optional members", () => {
  const { properties, required } = ORDER.shape;
  assertEquals(properties?.currency?.const, "SAR");
  const optional = Object.keys(properties!).filter((name) => !required!.includes(name));
  assertEquals([optional[0], optional.at(-1)], ["gold_vat_rate", "balances"]);
  assertEquals(optional.length, 9);
});

test("a request's shape allows no further member, and null for optional members", () => {
  const { additionalProperties, required, properties } = ORDER_REQUEST.shape;
  assertEquals([additionalProperties, required], [false, ["quote_id"]]);
  assertEquals(properties?.client_reference?.type, ["string", "null"]);
});

test("a nullable shape keeps the shape's name and its enumeration", () => {
  assertEquals(orNull({ type: "string" }), { type: ["string", "null"] });
  for (const shape of [BALANCES.shape, { type: "string", enum: ["a"] }]) {
    assertEquals(orNull(shape), { anyOf: [shape, { type: "null" }] });
  }
});

test("exactly one of the alternatives must be present, in the shape and when reading", () => {
  const form = requestForm<{ gold?: bigint; money?: bigint }>("Either", {
    gold: alternative("gold_grams", GOLD, "Gold."),
    money: alternative("amount_sar", MONEY, "Money."),
  });
  assertEquals(form.shape.oneOf, [{ required: ["gold_grams"] }, { required: ["amount_sar"] }]);
  assertEquals(form.parse(parseJson('{"amount_sar":2}')), { ok: true, value: { money: 200n } });
  assertEquals(form.write({ gold: 1_000_000n }), '{"gold_grams":1}');
  const cases = [
    ["{}", "/gold_grams", "required"],
    ['{"gold_grams":1,"amount_sar":2}', "/amount_sar", "not_allowed"],
  ] as const;
  for (const [text, pointer, code] of cases) {
    const read = form.parse(parseJson(text));
    assert(!read.ok);
    assertEquals(read.errors.map((error) => [error.pointer, error.code]), [[pointer, code]]);
  }
});

test("an amount's shape names its unit and its decimals", () => {
  const { description, ...rest } = decimalShape(2, "SAR");
  assertEquals(rest, { type: "number", format: "decimal", "x-decimals": 2 });
  assert(description?.startsWith("In SAR, at most 2 decimals"));
});

test("every member of every shape except ids has a description", () => {
  const silent = SHAPES.flatMap((shape) =>
    Object.entries(shape.properties ?? {}).filter((
      [name, { description, const: constant, title }],
    ) => name !== "id" && [description, constant, title].every((text) => text === undefined)).map((
      [name],
    ) => `${shape.title}.${name}`)
  );
  assertEquals(silent, []);
});
