import { sqlFile } from "@sabika/database";
import { at } from "../../../test/support/ledger/book.ts";
import {
  isFunding,
  isWithdrawal,
  ofFunding,
  ofOrder,
  ofWithdrawal,
  onOrder,
} from "../../../test/support/ledger/conditions.ts";
import { assertFound } from "../../../test/support/ledger/find_differences.ts";
import { SINCE } from "../../../test/support/ledger/names.ts";
import { openWrittenLedger } from "../../../test/support/ledger/written_ledger.ts";
import { after, test } from "node:test";

const { database, close } = await openWrittenLedger();
after(close);
const statement = await sqlFile("statements/ledger_differences.sql", import.meta.url)();

/** Lets balances be what they never are. */
const FREE = `alter table accounts drop constraint accounts_cash_balanced,
  drop constraint accounts_gold_balanced`;
const addToBalances = (table: string) =>
  `update ${table} set cash_halalas = cash_halalas + 1, house_cash_halalas = house_cash_halalas + 2,
    withdrawals_halalas = withdrawals_halalas + 3, bank_halalas = bank_halalas + 4,
    vat_halalas = vat_halalas + 5, gold_micrograms = gold_micrograms + 6,
    allocation_micrograms = allocation_micrograms + 7, vault_micrograms = vault_micrograms - 8
  where partner_id = 2`;
const lastClosing = "(select max(next_number) from day_closings where partner_id = 2)";
const firstNew = (partnerId: number) =>
  `(select first_transfer from recounts where partner_id = ${partnerId})`;

test("a written ledger has no differences", () =>
  assertFound(database, statement, [["nothing", [], []]]));

test("a balance that is not the sum of its transfers is found, and an asset's sum", () =>
  assertFound(database, statement, [
    ["each balance", [FREE, addToBalances("accounts")], [
      "balance 2 allocation 988000000 988000007; balance 2 bank -20008200 -20008196",
      "balance 2 cash 19468873 19468874; balance 2 gold 12000000 12000006",
      "balance 2 house_cash 513052 513054; balance 2 vat 24275 24280",
      "balance 2 vault -1000000000 -1000000008; balance 2 withdrawals 2000 2003; sum - SAR 0 15",
      "sum - XAU 0 5; withdrawals 2 held 2000 2003",
    ]],
    ["a sum below zero", [
      FREE,
      "update accounts set bank_halalas = bank_halalas - 1 where partner_id = 3",
    ], ["balance 3 bank -30012300 -30012301; sum - SAR 0 -1"]],
    ["a partner without transfers", [
      "update accounts set cash_halalas = 7, bank_halalas = -7 where partner_id = 4",
    ], ["balance 4 bank 0 -7; balance 4 cash 0 7"]],
    ["an account that is none", [
      `update transfers set debit_account = 'purse' where ${ofFunding("transfer")}`,
    ], ["balance 1 bank -10002800 -10004100; balance 1 purse -1300 0; fundings 1 transfer 1300 0"]],
    ["the balances that a recount kept", [addToBalances("recounts")], [
      "new: answers 2 cash after funding new 19637660 19637659",
      "new: answers 2 cash after funding transfer 19639260 19639259",
      "new: answers 2 cash after order first 19635260 19635259",
      "new: answers 2 cash after order taxed 19468874 19468873",
      "new: answers 2 cash after order untaxed 19555643 19555642",
      "new: answers 2 gold after order first 8000006 8000000",
      "new: answers 2 gold after order taxed 12000006 12000000",
      "new: answers 2 gold after order untaxed 10000006 10000000",
      "new: balance 2 allocation 988000007 988000000; balance 2 bank -20008196 -20008200",
      "new: balance 2 cash 19468874 19468873; balance 2 gold 12000006 12000000",
      "new: balance 2 house_cash 513054 513052; balance 2 vat 24280 24275",
      "new: balance 2 vault -1000000008 -1000000000; balance 2 withdrawals 2003 2000",
    ]],
  ]));

test("gaps between the numbers of transfers and events are found", () =>
  assertFound(database, statement, [
    ["other last numbers", [
      "update accounts set last_transfer = last_transfer + 1 where partner_id = 1",
      "update accounts set last_event = last_event - 1 where partner_id = 2",
      "update accounts set last_transfer = 1 where partner_id = 4",
    ], ["numbers 1 transfers 36 35; numbers 2 events 12 13; numbers 4 transfers 1 0"]],
    ["a gap before the last", [
      `update transfers t set number = number + 1 from accounts a
        where a.partner_id = t.partner_id and number = last_transfer and a.partner_id = 1`,
      `update events e set sequence = sequence + 1 from accounts a
        where a.partner_id = e.partner_id and sequence = last_event and a.partner_id = 2`,
    ], ["numbers 1 transfers 35 35; numbers 2 events 13 13"]],
    ["a lost event", ["delete from events where partner_id = 2 and type = 'withdrawal.failed'"], [
      "numbers 2 events 13 12",
    ]],
    ["lost events of orders", [
      `delete from events where ${onOrder("plain")} or ${onOrder("last", 2)}`,
      "delete from events where partner_id = 3 and type = 'order.executed'",
    ], [
      "events 3 order.executed 8 0; numbers 2 events 13 12; numbers 3 events 13 5",
      "whole: events 1 order.executed 8 7; events 2 order.executed 8 7; numbers 1 events 13 12",
    ]],
    ["nothing new since the recount that is kept", [
      "update accounts set last_transfer = 4, last_event = 2 where partner_id = 4",
      `insert into recounts (partner_id, since, first_transfer, first_event, first_generation,
        cash_halalas, house_cash_halalas, withdrawals_halalas, bank_halalas, gold_micrograms,
        allocation_micrograms, vault_micrograms)
        values (4, '${at(SINCE)}', 5, 3, 1, 0, 0, 0, 0, 0, 0, 0)`,
    ], ["whole: numbers 4 events 2 0; numbers 4 transfers 4 0"]],
    ["the first event that a recount kept", [
      "update recounts set first_event = first_event + 1 where partner_id = 1",
      "update recounts set first_event = first_event - 1 where partner_id = 2",
    ], []],
  ]));

test("a day's closing balances that do not follow from its transfers are found", () =>
  assertFound(database, statement, [
    ["each closing", [
      "update day_closings set cash_halalas = cash_halalas + 1 where partner_id = 1 and next_number = 3",
      `update day_closings set gold_micrograms = gold_micrograms - 1
        where partner_id = 2 and next_number = ${firstNew(2)}`,
      `update day_closings set cash_halalas = cash_halalas + 1
        where partner_id = 3 and next_number = ${lastClosing}`,
    ], [
      "closings 2 gold before 25 -2000000 -1999999; closings 3 cash before 25 128033 128034",
      "whole: closings 1 cash before 19 -223050 -223051; closings 1 cash before 3 10000000 10000001",
      "whole: closings 2 gold before 19 10000000 9999999",
    ]],
    ["another end", [
      `update day_closings set next_number = next_number + 1
        where partner_id = 1 and next_number = ${firstNew(1)}`,
      `update day_closings set next_number = next_number - 1
        where partner_id = 2 and next_number = ${lastClosing}`,
    ], [
      "closings 1 cash before 25 2000 42677; closings 2 cash before 24 82755 85355",
      "whole: closings 1 cash before 20 -182373 -223050",
    ]],
    ["a closing without transfers", ["insert into day_closings values (4, 3, 5, 0)"], [
      "closings 4 cash before 3 0 5",
    ]],
  ]));

test("a funding without its transfer, or with another one, is found", () =>
  assertFound(database, statement, [
    ["another amount", [
      `update fundings set amount_halalas = amount_halalas + 1
        where ${isFunding("keyed")} or ${isFunding("new", 2)}`,
    ], ["fundings 2 new 2401 2400", "whole: fundings 1 keyed 1101 1100"]],
    ["other accounts", [
      `update transfers set debit_account = 'house_cash' where ${ofFunding("transfer")}`,
      `update transfers set credit_account = 'withdrawals' where ${ofFunding("transfer", 2)}`,
    ], [
      "answers 2 cash after funding transfer 19636659 19639259",
      "answers 2 cash after order taxed 19466273 19468873",
      "answers 2 cash after order untaxed 19553042 19555642; balance 1 bank -10002800 -10004100",
      "balance 1 house_cash 255229 256529; balance 2 cash 19466273 19468873",
      "balance 2 withdrawals 4600 2000; closings 2 cash before 25 82755 85355",
      "fundings 1 transfer 1300 0; fundings 2 transfer 2600 0",
    ]],
    ["a second one, another kind, and none", [
      `insert into transfers select partner_id, number + 100, amount, posted_at, source_id, asset,
        'bank', 'house_cash', source_kind from transfers where ${ofFunding("transfer")}`,
      `update transfers set source_kind = 'withdrawal' where ${ofFunding("transfer", 2)}`,
      `update transfers set source_kind = 'release' where ${ofFunding("transfer", 3)}`,
    ], [
      "answers 1 cash after funding transfer 9734433 9819627; balance 1 bank -10005400 -10004100",
      "balance 1 house_cash 257829 256529; fundings 1 transfer 1300 1300",
      "fundings 2 transfer 2600 0; fundings 3 transfer 3900 0; numbers 1 transfers 35 36",
    ]],
    ["one of another kind beside it", [
      `update transfers set source_id = (select source_id from transfers where ${ofFunding("new")})
        where ${ofOrder("taxed")} and credit_account = 'vat'`,
    ], ["orders 1 taxed 43385 43385"]],
    ["an old one", [
      `update fundings set created_at = '${at(SINCE - 1)}', amount_halalas = 9 where ${
        isFunding("new")
      }`,
    ], ["whole: fundings 1 new 9 1200"]],
  ]));

test("a withdrawal without the transfers of its status, or with others, is found", () =>
  assertFound(database, statement, [
    ["another amount", [
      `update withdrawals set amount_halalas = amount_halalas + 1
        where ${isWithdrawal("completed")} or ${isWithdrawal("failed", 2)}`,
    ], ["withdrawals 1 completed 501 500; withdrawals 2 failed 1001 1000"]],
    ["all completed", ["update withdrawals set status = 'completed' where partner_id = 1"], [
      "keys 1 withdrawal cancelled 1 2; withdrawals 1 cancelled 500 500",
      "withdrawals 1 failed 500 500; withdrawals 1 held 0 1000; withdrawals 1 processing 500 500",
      "whole: withdrawals 1 pending 500 500",
    ]],
    ["all failed", ["update withdrawals set status = 'failed' where partner_id = 1"], [
      "keys 1 withdrawal cancelled 1 2; withdrawals 1 completed 500 500; withdrawals 1 held 0 1000",
      "withdrawals 1 processing 500 500",
      "whole: withdrawals 1 pending 500 500",
    ]],
    ["all cancelled", ["update withdrawals set status = 'cancelled' where partner_id = 1"], [
      "withdrawals 1 completed 500 500; withdrawals 1 held 0 1000; withdrawals 1 processing 500 500",
      "whole: withdrawals 1 pending 500 500",
    ]],
    ["all pending", ["update withdrawals set status = 'pending' where partner_id = 1"], [
      "keys 1 withdrawal cancelled 1 2; withdrawals 1 cancelled 500 500",
      "withdrawals 1 completed 500 500; withdrawals 1 failed 500 500; withdrawals 1 held 2500 1000",
    ]],
    ["all processing", ["update withdrawals set status = 'processing' where partner_id = 1"], [
      "keys 1 withdrawal cancelled 1 2; withdrawals 1 cancelled 500 500",
      "withdrawals 1 completed 500 500; withdrawals 1 failed 500 500; withdrawals 1 held 2500 1000",
    ]],
    ["other accounts", [
      `update transfers set debit_account = 'bank'
        where source_kind = 'withdrawal' and ${ofWithdrawal("completed")}`,
      `update transfers set debit_account = 'vat'
        where source_kind = 'withdrawal_payout' and ${ofWithdrawal("completed", 2)}`,
      `update transfers set debit_account = 'vat'
        where source_kind = 'withdrawal_return' and ${ofWithdrawal("failed", 3)}`,
    ], [
      "answers 1 cash after order taxed 9734933 9734433",
      "answers 1 cash after order untaxed 9778318 9777818; balance 1 bank -10004600 -10004100",
      "balance 1 cash 9734933 9734433; balance 2 vat 23275 24275; balance 2 withdrawals 3000 2000",
      "balance 3 vat 34912 36412; balance 3 withdrawals 4500 3000; withdrawals 1 completed 500 0",
      "withdrawals 2 completed 1000 1000; withdrawals 3 failed 1500 1500",
    ]],
    ["other kinds", [
      `update transfers set source_kind = 'withdrawal'
        where source_kind = 'withdrawal_return' and ${ofWithdrawal("failed")}`,
      `update transfers set source_kind = 'withdrawal'
        where source_kind = 'withdrawal_payout' and ${ofWithdrawal("completed", 2)}`,
      `update transfers set source_kind = 'withdrawal_return'
        where source_kind = 'withdrawal' and ${ofWithdrawal("completed", 3)}`,
    ], [
      "withdrawals 1 failed 500 500; withdrawals 2 completed 1000 1000",
      "withdrawals 3 completed 1500 0",
    ]],
    ["none at all", [
      "update transfers set source_kind = 'release' where partner_id = 1 and source_kind like 'with%'",
    ], [
      "withdrawals 1 cancelled 500 0; withdrawals 1 completed 500 0; withdrawals 1 failed 500 0",
      "withdrawals 1 processing 500 0",
      "whole: withdrawals 1 pending 500 0",
    ]],
    ["an old one", [
      `update withdrawals set created_at = '${at(SINCE - 1)}', amount_halalas = 499
        where ${isWithdrawal("completed")}`,
    ], ["whole: withdrawals 1 completed 499 500"]],
    ["what is held for them", [
      `update accounts set withdrawals_halalas = withdrawals_halalas + 3,
        bank_halalas = bank_halalas - 3 where partner_id in (1, 4)`,
    ], [
      "balance 1 bank -10004100 -10004103; balance 1 withdrawals 1000 1003; balance 4 bank 0 -3",
      "balance 4 withdrawals 0 3; withdrawals 1 held 1000 1003; withdrawals 4 held 0 3",
    ]],
  ]));
