/** A bound for the ratio of two figures of one run, so that it means the same on any machine. */
export interface Goal {
  name: string;
  direction: "at least" | "at most";
  bound: number;
}

function atLeast(bound: number, name: string): Goal {
  return { name, direction: "at least", bound };
}

function atMost(bound: number, name: string): Goal {
  return { name, direction: "at most", bound };
}

/** The goals of all measures, by the name of their ratio. */
export const GOALS = {
  // Signed orders per second over 64 connections.
  hotOverPgbench: atLeast(1.5, "orders, one partner ÷ pgbench"),
  hundredOverPgbench: atLeast(1.4, "orders, 100 partners ÷ pgbench"),
  // Latency of an order at 32 connections.
  tailHot: atMost(4, "p99 ÷ p50, one partner"),
  tailHundred: atMost(4, "p99 ÷ p50, 100 partners"),
  // The latency of one partner while another one sends six times its rate limit.
  flood: atMost(2, "p99 beside a flood ÷ alone"),

  // Processor time of all databases, with 64 orders in flight in each cell.
  twoCellsCpu: atMost(1.15, "processor an order, 2 cells ÷ 1"),
  fourCellsCpu: atMost(1.15, "processor an order, 4 cells ÷ 1"),
  oneCell: atLeast(0.97, "one database by cells ÷ without"),

  // With a checkpoint during the run.
  giantOverEmpty: atLeast(0.95, "a partner with 10 million orders ÷ none"),
  hundredOverEmpty: atLeast(0.95, "100 partners, 12 million orders ÷ none"),

  // Events are delivered to the endpoints of 100 partners on the same cores.
  besideWebhooks: atLeast(0.85, "orders beside webhooks ÷ without"),
  besideWebhooksTail: atMost(2, "p99 beside webhooks ÷ without"),
  // Events from a backlog without other load; endpoints answer in 20 ms unless the name says otherwise.
  deliveredByMany: atLeast(1, "deliveries, 50 partners ÷ 1 000 a second"),
  deliveredBySlow: atLeast(1, "deliveries, one at 100 ms ÷ 150 a second"),
  deliveryCpu: atMost(1, "processor an event ÷ 0.3 ms"),
  deliveredBesideFailures: atLeast(0.9, "deliveries, one in 100 refused ÷ none"),
  // Events arrive at 80 % of the rate of the 50 partners; compares the last third with the second.
  deliveryLag: atMost(1.5, "waiting events, later ÷ before"),

  // From the first query to the commit.
  reserve: atMost(1, "a day's reserve, 10,000 partners and 5,000 bars ÷ 10 s"),
  // Processor time of the worker and the database, with 10,000 partners and 5,000 bars.
  receiptCpu: atMost(5, "processor a receipt ÷ a signature"),
  receiptTail: atMost(1, "p95 of GET …/receipt ÷ 50 ms"),
  receiptThen: atMost(4, "p95 of one made when asked for ÷ of GET /v1/balances"),
} as const satisfies Record<string, Goal>;
