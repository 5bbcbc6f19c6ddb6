import type { Snapshot } from "./snapshot.ts";

/** A contradiction to an invariant of `docs/faults.md`. */
export interface Finding {
  /** I1 … I14. */
  readonly invariant: string;
  /** The partner's id; 0 if the finding concerns no single partner. */
  readonly partner: number;
  readonly what: string;
  /** Ids, keys and nonces. The calls that name one of them are the history of the finding. */
  readonly about: readonly string[];
}

/** The tables, indexed by resource, and the findings about them. */
export class Books {
  readonly tables: Snapshot;
  readonly found: Finding[] = [];
  readonly transfers: ReadonlyMap<string, Snapshot["transfers"]>;
  readonly events: ReadonlyMap<string, Snapshot["events"]>;
  readonly keys: ReadonlyMap<string, Snapshot["keys"]>;
  /** The kind of each resource, by partner and id. */
  readonly kinds = new Map<string, string>();

  constructor(tables: Snapshot) {
    this.tables = tables;
    this.transfers = grouped(tables.transfers, ({ source_id }) => source_id);
    this.events = grouped(tables.events, ({ resource_id }) => resource_id);
    this.keys = grouped(tables.keys, ({ resource_id }) => resource_id);
    const { quotes, orders, fundings, withdrawals } = tables;
    const resources = { quote: quotes, order: orders, funding: fundings, withdrawal: withdrawals };
    for (const [kind, rows] of Object.entries(resources)) {
      for (const { partner, id } of rows) this.kinds.set(`${partner} ${id}`, kind);
    }
  }

  report(
    invariant: string,
    { partner }: { readonly partner: number },
    what: string,
    ...about: readonly string[]
  ): void {
    this.found.push({ invariant, partner, what, about });
  }
}

/** Groups rows by partner and a key. */
export function grouped<R extends { readonly partner: number }>(
  rows: readonly R[],
  by: (row: R) => string,
): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const name = `${row.partner} ${by(row)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}
