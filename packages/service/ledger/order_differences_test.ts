import { sqlFile } from "@sabika/database";
import { at, idAt } from "../../../test/support/ledger/book.ts";
import { isFunding, isOrder, isQuote, ofOrder } from "../../../test/support/ledger/conditions.ts";
import { assertFound } from "../../../test/support/ledger/find_differences.ts";
import { IDS, MINUTE, ORDERS, SINCE } from "../../../test/support/ledger/names.ts";
import { openWrittenLedger } from "../../../test/support/ledger/written_ledger.ts";
import { after, test } from "node:test";

const { database, close } = await openWrittenLedger();
after(close);
const statement = await sqlFile("statements/ledger_differences.sql", import.meta.url)();

const swap = "update transfers set debit_account = credit_account, credit_account = debit_account";
const raise = (table: string, column: string, where: string, by = 1) =>
  `update ${table} set ${column} = ${column} + ${by} where ${where}`;
const ofTaxed = IDS.orders.taxed;

test("an order without its transfers, or with others, is found", () =>
  assertFound(database, statement, [
    ["money in the wrong direction", [
      `${swap} where 'cash' in (debit_account, credit_account)
        and (${ofOrder("taxed")} or ${ofOrder("first", 2)})`,
    ], [
      "answers 1 cash after order taxed 9821203 9734433",
      "answers 2 cash after funding new 19474949 19637659",
      "answers 2 cash after funding transfer 19476549 19639259",
      "answers 2 cash after order first 19472549 19635259",
      "answers 2 cash after order taxed 19306163 19468873",
      "answers 2 cash after order untaxed 19392932 19555642; balance 1 cash 9821203 9734433",
      "balance 1 house_cash 169759 256529; balance 2 cash 19306163 19468873",
      "balance 2 house_cash 675762 513052; closings 2 cash before 25 -77355 85355",
      "orders 1 taxed 43385 43385; orders 2 first 81355 81355",
    ]],
    ["gold in the wrong direction", [
      `${swap} where asset = 'XAU' and (${ofOrder("taxed")} or ${ofOrder("first", 2)})`,
    ], [
      "answers 1 gold after order taxed 4000000 6000000",
      "answers 2 gold after order first 12000000 8000000",
      "answers 2 gold after order taxed 16000000 12000000",
      "answers 2 gold after order untaxed 14000000 10000000",
      "balance 1 allocation 996000000 994000000; balance 1 gold 4000000 6000000",
      "balance 2 allocation 984000000 988000000; balance 2 gold 16000000 12000000",
      "closings 2 gold before 25 2000000 -2000000; orders 1 taxed 43385 43385",
      "orders 2 first 81355 81355",
    ]],
    [
      "VAT in the wrong direction",
      [`${swap} where credit_account = 'vat' and ${ofOrder("taxed")}`],
      ["balance 1 house_cash 260681 256529; balance 1 vat 7986 12138; orders 1 taxed 43385 43385"],
    ],
    ["other amounts", [
      raise("transfers", "amount", `debit_account = 'cash' and ${ofOrder("taxed")}`),
      raise("transfers", "amount", `debit_account = 'allocation' and ${ofOrder("taxed", 2)}`),
      raise("transfers", "amount", `credit_account = 'vat' and ${ofOrder("taxed", 3)}`),
      raise("transfers", "amount", `credit_account = 'vat' and ${ofOrder("plain", 2)}`),
    ], [
      "answers 1 cash after order taxed 9734432 9734433",
      "answers 2 gold after order taxed 12000001 12000000; balance 1 cash 9734432 9734433",
      "balance 1 house_cash 256530 256529; balance 2 allocation 987999999 988000000",
      "balance 2 gold 12000001 12000000; balance 3 house_cash 769574 769575",
      "balance 3 vat 36413 36412; orders 1 taxed 43385 43386; orders 2 taxed 86769 86769",
      "orders 3 taxed 130153 130153",
      "whole: balance 2 house_cash 513051 513052; balance 2 vat 24276 24275",
      "whole: orders 2 plain 90374 90374",
    ]],
    ["no VAT, which an order without parts may lack", [
      `delete from transfers where credit_account = 'vat' and (${ofOrder("taxed")} or ${
        ofOrder("plain")
      })`,
    ], [
      "orders 1 taxed 43385 43385",
      "whole: balance 1 house_cash 264499 256529; balance 1 vat 4168 12138",
      "whole: numbers 1 transfers 35 33",
      "new: balance 1 house_cash 258605 256529; balance 1 vat 10062 12138",
      "new: numbers 1 transfers 35 34",
    ]],
    ["VAT of an order without any", [
      `update transfers set source_id = '${IDS.orders.untaxed}'
        where credit_account = 'vat' and ${ofOrder("first")}`,
    ], ["orders 1 first 40677 40677; orders 1 untaxed 41309 41309"]],
    ["none that is an order's", [
      `update transfers set source_kind = 'allocation' where ${ofOrder("untaxed")}`,
    ], ["orders 1 untaxed 41309 0"]],
    ["one more", [
      `insert into transfers select partner_id, number + 100, amount, posted_at, source_id, asset,
        'bank', 'house_cash', source_kind from transfers
        where debit_account = 'cash' and ${ofOrder("taxed")}`,
    ], [
      "balance 1 bank -10047485 -10004100; balance 1 house_cash 299914 256529",
      "numbers 1 transfers 35 36; orders 1 taxed 43385 43385",
    ]],
    ["one of another kind beside them", [
      `update transfers set source_id = '${IDS.orders.lost}'
        where partner_id = 1 and source_kind = 'allocation'`,
    ], []],
    ["orders and quotes that are old by their id, or by their time", [
      `update orders set order_id = '${idAt(SINCE - 10 * MINUTE - 1)}' where ${isOrder("first")}`,
      `update orders set executed_at = '${at(SINCE - 1)}' where ${isOrder("first", 2)}`,
      `update quotes set quote_id = '${idAt(SINCE - 10 * MINUTE - 1)}' where ${
        isQuote("early", 2)
      }`,
    ], [
      "whole: keys 1 order unknown 1 0; keys 2 quote unknown 1 0; orders 1 unknown 40677 0",
      "new: events 1 order.executed 2 3; events 2 order.executed 2 3",
    ]],
  ]));

test("an order with other terms than its quote is found", () =>
  assertFound(database, statement, [
    ["each term", [
      raise("orders", "gold_micrograms", isOrder("lost")),
      raise("orders", "price_ten_thousandths", isOrder("gone")),
      raise("orders", "fee_halalas", isOrder("unpriced")),
      raise("orders", "vat_halalas", isOrder("plain")),
      `update orders set side = 'sell' where ${isOrder("plain", 2)}`,
      raise("orders", "total_halalas", isOrder("plain", 3), -1),
    ], [
      "orders 3 plain 135560 135561; terms 3 plain 135561 135560",
      "whole: orders 1 lost 45187 45187; orders 1 plain 45187 45187; orders 2 plain 90374 90374",
      "whole: terms 1 gone 43385 43385; terms 1 lost 45187 45187; terms 1 plain 45187 45187",
      "whole: terms 1 unpriced 47506 47506; terms 2 plain 90374 90374",
    ]],
    ["each part", [
      raise("orders", "price_number", isOrder("gone")),
      raise("orders", "mid_ten_thousandths", isOrder("last")),
      raise("orders", "spread_ppm", isOrder("first")),
      raise("orders", "fee_ppm", isOrder("gone", 2)),
      raise("orders", "gold_vat_ppm", isOrder("last", 2)),
      raise("orders", "fee_vat_ppm", isOrder("first", 2)),
      raise("orders", "fee_vat_halalas", isOrder("gone", 3)),
      `update orders set price_as_of = price_as_of + interval '1 ms' where ${isOrder("taxed")}`,
      `update orders set price_source = 'fixed' where ${isOrder("taxed", 2)}`,
      `update orders set discloses_spread = false where ${isOrder("taxed", 3)}`,
    ], [
      "terms 1 first 40677 40677; terms 1 taxed 43385 43385; terms 2 first 81355 81355",
      "terms 2 taxed 86769 86769; terms 3 gone 130153 130153; terms 3 taxed 130153 130153",
      "whole: terms 1 gone 43385 43385; terms 1 last 43385 43385; terms 2 gone 86769 86769",
      "whole: terms 2 last 86769 86769",
    ]],
    ["parts where its quote has none", [
      `update orders set price_number = 5 where ${isOrder("plain")}`,
      `update orders set fee_vat_ppm = 5 where ${isOrder("plain", 2)}`,
    ], ["whole: terms 2 plain 90374 90374"]],
    ["no quote", [`delete from quotes where ${isQuote("taxed")}`], ["terms 1 taxed 0 43385"]],
    ["a quote that had ended then", [
      `update quotes set expires_at = '${ORDERS.taxed.at}' where ${isQuote("taxed")}`,
      `update quotes set expires_at = '${ORDERS.taxed.at}'::timestamptz + interval '1 ms'
        where ${isQuote("taxed", 2)}`,
    ], ["times 1 taxed 1718449200000 1718449200000"]],
  ]));

test("an order with the title of a version that was not in force is found", () =>
  assertFound(database, statement, [
    ["no version", [`update orders set pool_version_id = 9 where ${isOrder("taxed")}`], [
      "titles 1 taxed 0 9",
    ]],
    ["one that came later", [
      "update pool_versions set made_at = made_at + interval '1 ms' where version_id = 3",
    ], ["titles 1 untaxed 3 3; titles 2 untaxed 3 3; titles 3 untaxed 3 3"]],
    ["one that another had followed", [
      "update pool_versions set made_at = made_at - interval '1 ms' where version_id = 2",
    ], ["titles 3 last 1 1", "whole: titles 1 last 1 1; titles 2 last 1 1"]],
  ]));

test("an order or a funding that shows another balance is found", () =>
  assertFound(database, statement, [
    ["each of them", [
      raise("orders", "cash_after_halalas", isOrder("taxed")),
      raise("orders", "gold_after_micrograms", isOrder("last", 2), -1),
      raise("fundings", "cash_after_halalas", `${isFunding("keyed")} or ${isFunding("new", 3)}`),
    ], [
      "answers 1 cash after order taxed 9734433 9734434",
      "answers 3 cash after funding new 29456491 29456492",
      "whole: answers 1 cash after funding keyed 9820835 9820836",
      "whole: answers 2 gold after order last 10000000 9999999",
    ]],
    ["the first gold, which went elsewhere", [
      `update transfers set credit_account = 'vault' where asset = 'XAU' and ${ofOrder("lost")}`,
    ], [
      "whole: answers 1 gold after order first 3000000 4000000",
      "whole: answers 1 gold after order gone 1000000 2000000",
      "whole: answers 1 gold after order last 4000000 5000000",
      "whole: answers 1 gold after order lost 0 1000000",
      "whole: answers 1 gold after order plain 3000000 4000000",
      "whole: answers 1 gold after order taxed 5000000 6000000",
      "whole: answers 1 gold after order unpriced 2000000 3000000",
      "whole: answers 1 gold after order untaxed 4000000 5000000; balance 1 gold 5000000 6000000",
      "whole: balance 1 vault -999000000 -1000000000; closings 1 gold before 19 4000000 5000000",
      "whole: orders 1 lost 45187 45187",
    ]],
    ["the first new money, which went elsewhere", [
      `update transfers set credit_account = 'vat' where debit_account = 'house_cash'
        and credit_account = 'cash' and ${ofOrder("first", 2)}`,
    ], [
      "answers 2 cash after funding new 19556304 19637659",
      "answers 2 cash after funding transfer 19557904 19639259",
      "answers 2 cash after order first 19553904 19635259",
      "answers 2 cash after order taxed 19387518 19468873",
      "answers 2 cash after order untaxed 19474287 19555642; balance 2 cash 19387518 19468873",
      "balance 2 vat 105630 24275; closings 2 cash before 25 4000 85355; orders 2 first 81355 0",
    ]],
    ["a funding with the id of an order", [
      `update transfers set source_id = '${ofTaxed}' where partner_id = 1 and source_id = '${IDS.fundings.new}'`,
      `update fundings set funding_id = '${ofTaxed}' where ${isFunding("new")}`,
    ], ["keys 1 funding taxed 1 0"]],
  ]));
