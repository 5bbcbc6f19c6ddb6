import { EXAMPLES } from "../examples.ts";
import { EVENT_EXAMPLE } from "../events.ts";

const idOf = (example: unknown) => (example as { id: string }).id;

const IDS: Readonly<Record<string, string>> = {
  quotes: idOf(EXAMPLES.quote),
  orders: idOf(EXAMPLES.order),
  withdrawals: idOf(EXAMPLES.withdrawal),
  events: idOf(EVENT_EXAMPLE),
  statements: "2026-11-20",
  reserves: "2026-11-20",
  versions: "1",
};

/** Returns an example of the id in a path such as `/v1/orders/{id}/receipt`; empty for a path without one. */
export function exampleId(path: string): string {
  return IDS[/([a-z]+)\/\{id\}/.exec(path)?.[1] ?? ""] ?? "";
}
