import type { Snapshot } from "./snapshot.ts";

/** What lies under each resource: transfers, events and keys. */
export class Made {
  readonly transfers: Map<string, Snapshot["transfers"]>;
  readonly events: Map<string, Snapshot["events"]>;
  readonly keys: Map<string, Snapshot["keys"]>;
  /** Kinds of resources by partner and id. */
  readonly kinds = new Map<string, string>();

  constructor(tables: Snapshot) {
    this.transfers = grouped(tables.transfers, ({ source_id }) => source_id);
    this.events = grouped(tables.events, ({ resource_id }) => resource_id);
    this.keys = grouped(tables.keys, ({ resource_id }) => resource_id);
    for (const { partner, id } of tables.quotes) this.kinds.set(`${partner} ${id}`, "quote");
    for (const { partner, id } of tables.orders) this.kinds.set(`${partner} ${id}`, "order");
    for (const { partner, id } of tables.fundings) this.kinds.set(`${partner} ${id}`, "funding");
    for (const { partner, id } of tables.withdrawals) {
      this.kinds.set(`${partner} ${id}`, "withdrawal");
    }
  }
}

/** Rows by partner and something of theirs. */
export function grouped<R extends { partner: number }>(rows: readonly R[], by: (row: R) => string) {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const name = `${row.partner} ${by(row)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}
