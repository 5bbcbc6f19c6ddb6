import type { AnySql, Transaction } from "@sabika/database";
import { rowsOf, TABLES } from "./copy_rows.ts";

/**
 * Compares a partner's rows in two cells: counts them for each table, sums its transfers, and compares
 * the sums with its balances. Reads every row.
 *
 * @param of.accounts the partner's accounts row in the source, as text
 * @throws Error when they differ
 */
export async function compareRows(
  source: Transaction,
  target: AnySql,
  { partnerId, accounts }: { partnerId: number; accounts: string },
): Promise<void> {
  const [there, here] = await Promise.all([
    tallyRows(source, partnerId),
    tallyRows(target, partnerId),
    compareBalances(target, { partnerId, accounts }),
  ]);
  const different = Object.keys(there).filter((table) => there[table] !== here[table]);
  if (different.length > 0) throw differs(partnerId, different);
}

/** Counts a partner's rows, table by table, and sums up its transfers. */
async function tallyRows(
  sql: AnySql,
  partnerId: number,
): Promise<Readonly<Record<string, string>>> {
  const counts = TABLES.map((table) =>
    `(select count(*)::text from ${rowsOf(table)} where partner_id = ${partnerId}) as ${table}`
  );
  const [row] = await sql.unsafe<Record<string, string>[]>(`select ${counts.join(", ")},
    coalesce((select string_agg(concat_ws(' ', debit_account, credit_account, n, amount), ', '
      order by debit_account, credit_account) from (
        select debit_account, credit_account, count(*) as n, sum(amount) as amount
        from transfers where partner_id = ${partnerId} group by 1, 2) s), '') as sums`);
  return { ...row };
}

/**
 * Compares the balances of accounts with the transfers in the cell that a partner moves to.
 *
 * @param of.accounts the partner's accounts row in the source, as text
 * @param of.before that row when the cells were compared; transfers up to then are not summed again
 * @throws Error when they differ
 */
export async function compareBalances(
  target: AnySql,
  { partnerId, accounts, before = null }: {
    partnerId: number;
    accounts: string;
    before?: string | null;
  },
): Promise<void> {
  const [row] = await target<{ agree: boolean }[]>`
    with own as (select (${accounts}::text::accounts).*),
    compared as (select (${before}::text::accounts).*),
    moved as (
      select t.* from transfers t where t.partner_id = ${partnerId}::integer
        and t.number > coalesce((select last_transfer from compared), 0)
    ), total as (
      select account, sum(amount) as amount from (
        select credit_account as account, amount from moved
        union all select debit_account, -amount from moved
      ) s group by 1
    )
    select bool_and(own_balance = coalesce(compared_balance, 0) + coalesce(t.amount, 0)) as agree
    from own o left join compared c on true, lateral (values
      ('cash', o.cash_halalas, c.cash_halalas),
      ('house_cash', o.house_cash_halalas, c.house_cash_halalas),
      ('withdrawals', o.withdrawals_halalas, c.withdrawals_halalas),
      ('bank', o.bank_halalas, c.bank_halalas),
      ('vat', o.vat_halalas, c.vat_halalas),
      ('gold', o.gold_micrograms, c.gold_micrograms),
      ('allocation', o.allocation_micrograms, c.allocation_micrograms),
      ('vault', o.vault_micrograms, c.vault_micrograms)
    ) as b (account, own_balance, compared_balance)
    left join total t using (account)`;
  if (row?.agree !== true) throw differs(partnerId, ["balances"]);
}

function differs(partnerId: number, what: readonly string[]): Error {
  return new Error(`partner ${partnerId} differs between the cells: ${what.join(", ")}`);
}
