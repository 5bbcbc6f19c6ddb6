import type { Sql } from "@sabika/core/store";
import { type PgbenchTarget, runPgbench } from "./pgbench.ts";

/**
 * A ledger in plain PL/pgSQL, the way pgledger and its kin work: accounts with a balance and a
 * version, one function call for one transfer, each its own transaction. Ours alone, for the
 * comparison: what a batch brings is seen against this.
 */
const LEDGER = `
create schema plain_call;
create table plain_call.accounts (
  id bigint primary key,
  balance numeric not null default 0,
  version bigint not null default 0,
  updated_at timestamptz not null default now()
);
create table plain_call.transfers (
  id uuid primary key default gen_random_uuid(),
  from_account bigint not null references plain_call.accounts,
  to_account bigint not null references plain_call.accounts,
  amount numeric not null check (amount > 0),
  created_at timestamptz not null default now()
);
create table plain_call.entries (
  id uuid primary key default gen_random_uuid(),
  account bigint not null references plain_call.accounts,
  transfer uuid not null references plain_call.transfers,
  amount numeric not null,
  previous_balance numeric not null,
  current_balance numeric not null,
  version bigint not null,
  created_at timestamptz not null default now()
);
create index on plain_call.entries (account, version);
create index on plain_call.entries (transfer);

create function plain_call.transfer(sender bigint, receiver bigint, value numeric) returns uuid
language plpgsql as $$
declare
  made uuid;
  side record;
  now_balance numeric;
  now_version bigint;
begin
  -- Both rows in one order, or crossing transfers deadlock.
  perform 1 from plain_call.accounts where id in (sender, receiver) order by id for update;
  insert into plain_call.transfers (from_account, to_account, amount)
    values (sender, receiver, value) returning id into made;
  for side in select * from (values (sender, -value), (receiver, value)) as s (account, change) loop
    update plain_call.accounts
      set balance = balance + side.change, version = version + 1, updated_at = now()
      where id = side.account
      returning balance, version into now_balance, now_version;
    insert into plain_call.entries
        (account, transfer, amount, previous_balance, current_balance, version)
      values (side.account, made, side.change, now_balance - side.change, now_balance, now_version);
  end loop;
  return made;
end $$;

insert into plain_call.accounts (id) select generate_series(1, 200);
`;

const SCRIPTS = {
  hot: "select plain_call.transfer(1, 2, 1.00);\n",
  hundred:
    "\\set pair random(0, 99)\nselect plain_call.transfer(:pair * 2 + 1, :pair * 2 + 2, 1.00);\n",
};

export async function initialisePlainCall(sql: Sql): Promise<void> {
  await sql.unsafe(LEDGER);
}

/** Transfers a second from 8 clients: all between two accounts, or spread over a hundred pairs. */
export function runPlainCall(
  target: PgbenchTarget,
  spread: "hot" | "hundred",
  seconds: number,
): Promise<number> {
  return runPgbench(target, { clients: 8, seconds, script: SCRIPTS[spread] });
}
