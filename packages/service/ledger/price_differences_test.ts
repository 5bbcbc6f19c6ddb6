import { sqlFile } from "@sabika/database";
import { isQuote } from "../../../test/support/ledger/conditions.ts";
import { assertFound } from "../../../test/support/ledger/find_differences.ts";
import { IDS, PRICES } from "../../../test/support/ledger/names.ts";
import { openWrittenLedger } from "../../../test/support/ledger/written_ledger.ts";
import { after, test } from "node:test";

const { database, close } = await openWrittenLedger();
after(close);
const statement = await sqlFile("statements/ledger_differences.sql", import.meta.url)();

const raise = (table: string, column: string, where: string, by = 1) =>
  `update ${table} set ${column} = ${column} + ${by} where ${where}`;
/** Raises a term of a quote and of its order. */
const raiseBoth = (column: string, name: keyof typeof IDS.quotes, partnerId = 1) =>
  ["quotes", "orders"].map((table) => raise(table, column, isQuote(name, partnerId)));
const [earliest, newest] = [PRICES.earliest, PRICES.newest].map(([number]) =>
  `price_number = ${number}`
);
const addPrice = (number: number) =>
  `insert into prices values (${number}, 1, now(), now(), 'feed')`;
const arriveEarlier =
  `update prices set arrived_at = arrived_at - interval '1 ms' where ${earliest}`;
const applyStep = (moment: string) =>
  `update schema_steps set applied_at = '${moment}' where name = '0003_recorded_prices'`;
const [APRIL, MAY] = ["2023-04-01T00:00:00Z", "2023-05-01T00:00:00Z"].map((month) =>
  Date.parse(month) * 1_000
);

test("terms that do not follow from the price are found, although quote and order agree", () =>
  assertFound(database, statement, [
    ["another mid price", [
      raise("prices", "mid_ten_thousandths", newest!, 1_000),
      raise("prices", "mid_ten_thousandths", earliest!, -1_000),
    ], [
      "prices 1 first 40685 40677; prices 1 taxed 43397 43385; prices 1 untaxed 41320 41309",
      "prices 2 first 81373 81355; prices 2 taxed 86791 86769; prices 2 untaxed 82638 82617",
      "prices 3 first 122060 122033; prices 3 last 130185 130153; prices 3 plain 135527 135561",
      "prices 3 taxed 130185 130153; prices 3 untaxed 123956 123925",
      "whole: prices 1 last 43397 43385; prices 1 plain 45176 45187; prices 2 last 86791 86769",
      "whole: prices 2 plain 90351 90374",
    ]],
    ["its own mid price", [
      raise("quotes", "mid_ten_thousandths", isQuote("taxed")),
      raise("quotes", "mid_ten_thousandths", isQuote("gone", 2), 1_000),
    ], [
      "prices 1 taxed 43385 43385; terms 1 taxed 43385 43385",
      "whole: prices 2 gone 86791 86769; terms 2 gone 86769 86769",
    ]],
    ["each term", [
      ...raiseBoth("price_ten_thousandths", "untaxed"),
      ...raiseBoth("fee_halalas", "taxed"),
      ...raiseBoth("fee_vat_halalas", "taxed", 2),
      ...raiseBoth("vat_halalas", "taxed", 3),
      ...raiseBoth("total_halalas", "untaxed", 3),
    ], [
      "orders 3 taxed 130153 130153; orders 3 untaxed 123926 123925; prices 1 taxed 43385 43385",
      "prices 1 untaxed 41309 41309; prices 2 taxed 86769 86769; prices 3 taxed 130153 130153",
      "prices 3 untaxed 123925 123926",
    ]],
    ["each rate", [
      raise("quotes", "gold_vat_ppm", isQuote("taxed"), 10_000),
      raise("quotes", "vat_ppm", isQuote("plain", 2), 10_000),
      raise("quotes", "vat_ppm", isQuote("taxed", 3), 100_000),
    ], [
      "prices 1 taxed 43797 43385; prices 3 taxed 130184 130153; terms 1 taxed 43385 43385",
      "terms 3 taxed 130153 130153",
      "whole: prices 2 plain 91160 90374",
    ]],
  ]));

test("a price that is missing is found, unless it is gone with its month", () =>
  assertFound(database, statement, [
    ["365 days after the month", ["set local sabika.now = '2024-04-30T00:00:00Z'"], [
      "keys 3 funding keyless 1 0; keys 3 quote keyless 1 0; prices 3 gone 0 130153",
      "whole: keys 1 funding keyless 1 0; keys 1 quote keyless 1 0; keys 2 funding keyless 1 0",
      "whole: keys 2 quote keyless 1 0; prices 1 gone 0 43385; prices 2 gone 0 86769",
    ]],
    ["a millisecond later", ["set local sabika.now = '2024-04-30T00:00:00.001Z'"], [
      "keys 3 funding keyless 1 0; keys 3 quote keyless 1 0",
      "whole: keys 1 funding keyless 1 0; keys 1 quote keyless 1 0; keys 2 funding keyless 1 0",
      "whole: keys 2 quote keyless 1 0",
    ]],
    ["the month has another price, its first", [addPrice(APRIL!)], [
      "prices 3 gone 0 130153",
      "whole: prices 1 gone 0 43385; prices 2 gone 0 86769",
    ]],
    ["the month has another price, its last", [addPrice(MAY! - 1)], [
      "prices 3 gone 0 130153",
      "whole: prices 1 gone 0 43385; prices 2 gone 0 86769",
    ]],
    ["the next month has a price", [addPrice(MAY!)], []],
    ["the month before has a price", [addPrice(APRIL! - 1)], [
      "prices 3 lost 0 135561; unpriced 3 orders 0 1",
      "whole: prices 1 lost 0 45187; prices 2 lost 0 90374; unpriced 1 orders 0 1",
      "whole: unpriced 2 orders 0 1",
    ]],
  ]));

test("an order without a price is counted if its quote is from before prices were recorded", () =>
  assertFound(database, statement, [
    ["a quote that came later", [
      `update quotes set created_at = created_at + interval '1 ms' where ${isQuote("unpriced")}`,
    ], ["whole: prices 1 unpriced 0 47506; unpriced 1 orders 0 1"]],
    ["a first price that came earlier", [arriveEarlier], [
      "prices 3 unpriced 0 142514; unpriced 3 orders 0 1",
      "whole: prices 1 unpriced 0 47506; prices 2 unpriced 0 95010; unpriced 1 orders 0 1",
      "whole: unpriced 2 orders 0 1",
    ]],
    ["a schema that came earlier", [applyStep("2024-01-09T00:00:59.999Z")], [
      "prices 3 unpriced 0 142514; unpriced 3 orders 0 1",
      "whole: prices 1 unpriced 0 47506; prices 2 unpriced 0 95010; unpriced 1 orders 0 1",
      "whole: unpriced 2 orders 0 1",
    ]],
    ["a schema that came then", [applyStep("2024-01-09T00:01:00Z")], []],
    ["neither price nor schema", ["delete from prices", "delete from schema_steps"], [
      "prices 1 first 0 40677; prices 1 taxed 0 43385; prices 1 untaxed 0 41309",
      "prices 2 first 0 81355; prices 2 taxed 0 86769; prices 2 untaxed 0 82617",
      "prices 3 first 0 122033; prices 3 last 0 130153; prices 3 plain 0 135561",
      "prices 3 taxed 0 130153; prices 3 untaxed 0 123925",
      "whole: prices 1 last 0 43385; prices 1 plain 0 45187; prices 2 last 0 86769",
      "whole: prices 2 plain 0 90374",
    ]],
    ["a partner that came from another cell, or left for one", [
      arriveEarlier,
      `insert into move_ends (move_id, partner_id, side, at) values
        (gen_random_uuid(), 1, 'entered', '2023-01-01'),
        (gen_random_uuid(), 1, 'entered', '2024-01-10T00:01:00Z'),
        (gen_random_uuid(), 2, 'left', '2024-02-01'),
        (gen_random_uuid(), 3, 'entered', '2024-01-10T00:00:59.999Z')`,
    ], [
      "prices 3 unpriced 0 142514; unpriced 3 orders 0 1",
      "whole: prices 2 unpriced 0 95010; unpriced 2 orders 0 1",
    ]],
    ["the database of the cell whose price is there", [
      "insert into deployment (environment, data_version, cell_id) values ('sandbox', 1, 'b')",
      "insert into cells (cell_id) values ('b')",
    ], [
      "prices 3 unpriced 0 142514; unpriced 3 orders 0 1",
      "whole: prices 1 unpriced 0 47506; prices 2 unpriced 0 95010; unpriced 1 orders 0 1",
      "whole: unpriced 2 orders 0 1",
    ]],
  ]));
