import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { besidePeers } from "./peers_table.ts";

test("besidePeers() has rates, times and promises beside one another", () => {
  const run = (perSecond: number) => ({ perSecond, p50Ms: 10.04, p99Ms: 20 });
  const ours = {
    ...{ name: "ours", hot: [run(100), run(300), run(200)], hundred: [run(80)], apart: [] },
    ...{ signed: "yes", durable: "yes", booked: "680 of 680", repeat: "201", beyondFunds: "422" },
  };
  const theirs = {
    ...{ name: "theirs", hot: [run(10)], hundred: [run(8)], apart: [run(9)] },
    ...{
      signed: "no",
      durable: "yes",
      booked: "27 of 27",
      repeat: "409 CONFLICT",
      beyondFunds: "400",
    },
  };
  assertEquals(
    besidePeers([ours, theirs]),
    [
      "                                                    ours        theirs",
      "orders a second, one pair of accounts      200 (100–300)    10 (10–10)",
      "  p50, p99 in ms                              10.0, 20.0    10.0, 20.0",
      "orders a second, 100 pairs                    80 (80–80)       8 (8–8)",
      "  p50, p99 in ms                              10.0, 20.0    10.0, 20.0",
      "orders a second, 100 pairs, a ledger each              –       9 (9–9)",
      "  p50, p99 in ms                                       –    10.0, 20.0",
      "signed requests                                      yes            no",
      "on the disk before the answer                        yes           yes",
      "answered, and in the books                    680 of 680      27 of 27",
      "the same order again                                 201  409 CONFLICT",
      "an order beyond the funds                            422           400",
      "",
    ].join("\n"),
  );
});
