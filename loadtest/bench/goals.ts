/**
 * The goals of the project's speed, each a ratio of two figures of one run, so that it means the
 * same on a laptop and on a server.
 */
export interface Goal {
  name: string;
  direction: "at least" | "at most";
  bound: number;
  /** One line for a reader who knows none of the parts. */
  says: string;
}

function atLeast(bound: number, name: string, says: string): Goal {
  return { name, direction: "at least", bound, says };
}

function atMost(bound: number, name: string, says: string): Goal {
  return { name, direction: "at most", bound, says };
}

export const GOALS = {
  hotOverPgbench: atLeast(
    1.5,
    "orders, one partner ÷ pgbench",
    "signed orders a second over 64 connections, all of one partner, against pgbench TPC-B on the same server",
  ),
  hundredOverPgbench: atLeast(
    1.4,
    "orders, 100 partners ÷ pgbench",
    "the same, spread over 100 partners",
  ),
  calmerHotOverPgbench: atLeast(
    1.2,
    "orders, one partner, 32 connections ÷ pgbench",
    "the same where a connection waits for half as long: 32 do not quite keep the service busy",
  ),
  calmerHundredOverPgbench: atLeast(
    1.2,
    "orders, 100 partners, 32 connections ÷ pgbench",
    "the same, spread over 100 partners",
  ),
  hotOverHundred: atLeast(
    0.95,
    "one partner ÷ 100 partners",
    "a partner with all the load against a hundred with a hundredth each",
  ),
  hotOverNaive: atLeast(
    6,
    "one partner ÷ naive service",
    "against the service as one would write it first (loadtest/naive)",
  ),
  hundredOverNaive: atLeast(
    5,
    "100 partners ÷ naive service",
    "the same, spread over 100 partners",
  ),
  hotOverPlainCall: atLeast(
    2,
    "one partner ÷ one call a transfer",
    "transfers of orders over HTTP (two an order) against bare ones by one PL/pgSQL call each, all between two accounts",
  ),
  hundredOverPlainCall: atLeast(
    1,
    "100 partners ÷ one call a transfer",
    "the same, spread over 100 pairs of accounts",
  ),
  hotOverFormance: atLeast(
    5,
    "one partner ÷ Formance Ledger",
    "signed orders a second against unsigned transactions of two postings, all between two accounts",
  ),
  hundredOverFormance: atLeast(
    5,
    "100 partners ÷ Formance Ledger",
    "the same, spread over 100 pairs of accounts of one ledger",
  ),
  hundredOverFormanceApart: atLeast(
    5,
    "100 partners ÷ Formance Ledger, a ledger each",
    "the same where each pair has a ledger of its own, which no lock is shared with",
  ),
  databaseHot: atLeast(
    1.2,
    "trading alone, one partner ÷ pgbench",
    "orders a second without HTTP and signatures: what those may cost is above the goals at the top",
  ),
  databaseHundred: atLeast(
    1.2,
    "trading alone, 100 partners ÷ pgbench",
    "the same, spread over 100 partners",
  ),
  verificationOverJose: atLeast(
    1.0,
    "verification ÷ jose",
    "detached signatures verified a second, ours against the jose library's",
  ),
  tailHot: atMost(
    4,
    "p99 ÷ p50, one partner",
    "time of an order at 32 connections: the slowest in a hundred against the one in the middle",
  ),
  tailHundred: atMost(4, "p99 ÷ p50, 100 partners", "the same, spread over 100 partners"),
  fairness: atMost(
    2,
    "p99 beside a flood ÷ alone",
    "a calm partner's time of an order while another sends six times its rate limit",
  ),
  fairnessThroughEnvoy: atMost(
    2,
    "p99 beside a flood ÷ alone, through Envoy",
    "the same where both come through the sidecar",
  ),
  besideWebhooks: atLeast(
    0.85,
    "orders beside webhooks ÷ without",
    "orders a second while their events go to the endpoints of 100 partners that answer in 20 ms, on the same cores",
  ),
  besideWebhooksTail: atMost(
    2,
    "p99 beside webhooks ÷ without",
    "time of an order at 32 connections meanwhile",
  ),
  deliveredByMany: atLeast(
    1,
    "deliveries, 50 partners ÷ 1 000 a second",
    "events a second out of a backlog, to endpoints that answer in 20 ms, with nothing beside",
  ),
  deliveredBySlow: atLeast(
    1,
    "deliveries, one at 100 ms ÷ 150 a second",
    "the same of one partner whose endpoint answers in 100 ms: 16 are under way at once",
  ),
  deliveryCpu: atMost(
    1,
    "processor an event ÷ 0.3 ms",
    "time that the delivering process is on a processor for each event to the 50",
  ),
  deliveredBesideFailures: atLeast(
    0.9,
    "deliveries, one in 100 refused ÷ none",
    "events a second that are taken by an endpoint that answers one in a hundred with 500",
  ),
  deliveryLag: atMost(
    1.5,
    "waiting events, later ÷ before",
    "events come at 80 % of the rate of the 50: those that wait in the last third of the time against the second",
  ),
  twoCellsCpu: atMost(
    1.15,
    "processor an order, 2 cells ÷ 1",
    "time that the databases are on a processor for each order, with 64 under way in each cell",
  ),
  fourCellsCpu: atMost(1.15, "processor an order, 4 cells ÷ 1", "the same of four"),
  oneCell: atLeast(
    0.97,
    "one database by cells ÷ without",
    "orders a second of one database, found by the partner's cell against handed in",
  ),
  cappedCells: atLeast(
    3.6,
    "4 cells ÷ 1, each a tenth of a core",
    "orders a second where each cell's PostgreSQL is held to a tenth of a core",
  ),
  fullOverEmpty: atLeast(
    0.9,
    "full database ÷ empty",
    "orders a second with 5 million orders and 5 million live nonces stored against none",
  ),
  giantOverEmpty: atLeast(
    0.95,
    "a partner with 10 million orders ÷ none",
    "its own orders a second with a checkpoint in the middle, against a partner's of an empty database",
  ),
  hundredOverEmpty: atLeast(
    0.95,
    "100 partners, 12 million orders ÷ none",
    "the same of all partners of the two databases",
  ),
  grownStart: atMost(
    1,
    "a server's start, 12 million orders ÷ 3 s",
    "time until it is healthy, of a database whose balances no server has compared yet",
  ),
  grownRecount: atMost(
    1.5,
    "reconcile of what is new, 12 million orders ÷ none",
    "time of a recount since the last whole one, after as many new orders in both databases",
  ),
  grownLists: atMost(
    1.5,
    "p99 of a page, 10 million orders ÷ few",
    "first pages of 100 of a partner's orders, quotes, events and ledger, read by turns",
  ),
  grownStatement: atMost(
    1.5,
    "a statement, 10 million orders ÷ few",
    "time of a day's statement for each kilobyte, of a partner with a month of such days against one with that day",
  ),
  neighbour: atLeast(
    0.9,
    "beside a full neighbour ÷ alone",
    "a partner without a past, beside one with 4 of the 5 million, against the same in an empty database",
  ),
  envoyShare: atMost(
    1.1,
    "our Envoy ÷ the smallest, processor time",
    "of Envoy for each order, against a configuration with mutual TLS that only forwards",
  ),
  deepOrders: atMost(
    3,
    "orders, page 50 000 ÷ page 1",
    "time of a page of 100 at the far end of a partner's 5 million orders against the newest",
  ),
  deepQuotes: atMost(3, "quotes, page 50 000 ÷ page 1", "the same of its quotes"),
  deepEvents: atMost(3, "events, page 50 000 ÷ page 1", "the same of its events"),
  deepLedger: atMost(3, "ledger, page 50 000 ÷ page 1", "the same of its 10 million transfers"),
  memory: atMost(
    1.2,
    "memory, 1 million orders ÷ 10 thousand",
    "resident memory of the server process",
  ),
  hotAgainst: atLeast(
    0.97,
    "orders, one partner ÷ the other checkout's",
    "signed orders a second over 64 connections of the server here and of the one that --against names, on one database",
  ),
  hundredAgainst: atLeast(
    0.97,
    "orders, 100 partners ÷ the other checkout's",
    "the same, spread over 100 partners",
  ),
  calmerHotAgainst: atLeast(
    0.97,
    "orders, one partner, 32 connections ÷ the other checkout's",
    "the same with half the connections",
  ),
  calmerHundredAgainst: atLeast(
    0.97,
    "orders, 100 partners, 32 connections ÷ the other checkout's",
    "the same, spread over 100 partners",
  ),
  tailAgainst: atMost(
    1.1,
    "p99, one partner ÷ the other checkout's",
    "time of an order of one partner at 32 connections, the same two servers",
  ),
  builtStart: atMost(
    1,
    "start, built ÷ source",
    "time until a server is ready, as npm run build makes it against the source through tsx",
  ),
  builtTail: atMost(
    1.1,
    "p99, built ÷ source",
    "time of an order of one partner at 32 connections, the same two",
  ),
  firstStart: atMost(
    1.4,
    "memory of npm start, first ÷ later",
    "resident memory of the sandbox with a new data folder, against the same folder's next start",
  ),
} as const satisfies Record<string, Goal>;

export type GoalName = keyof typeof GOALS;
