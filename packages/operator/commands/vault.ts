import { buildRouteMap } from "@stricli/core";
import { THE_VAULT } from "@sabika/office/reads";
import { formatMicrograms, formatTime } from "@sabika/protocol";
import { acting } from "../command/acting.ts";
import { command } from "../command/command.ts";
import { amount } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { grams } from "../command/parsers.ts";
import { readCommands } from "../command/read_commands.ts";
import { list } from "../command/table.ts";
import { readOne } from "../reads/read.ts";
import { ID } from "./arguments.ts";
import { bar, bars } from "./vault_bar.ts";
import { count } from "./vault_count.ts";

function moving(verb: "allocate" | "release") {
  return acting(`vault.${verb}`, {
    brief: verb === "allocate"
      ? "Allocate gold of the vault to a partner, to sell"
      : "Give a partner's allocated gold back to the vault",
    examples: [`vault ${verb} bank-one 1000`],
    args: {
      partner: ID,
      grams: ["GRAMS", "At most 4 decimals", (input) => formatMicrograms(grams(input))],
    },
    json: ({ partner }, { allocationMicrograms }) => ({
      client_id: partner,
      allocation_grams: amount(formatMicrograms(allocationMicrograms)),
    }),
    text: ({ partner }, { allocationMicrograms }) =>
      `${partner} has ${formatMicrograms(allocationMicrograms)} g allocated`,
  });
}

const report = command<object, []>({
  brief: "The bars in the vault and what is allocated of them",
  examples: ["vault report", "vault report --json"],
  async run(session) {
    const found = await readOne(session, THE_VAULT);
    const grams = (micrograms: bigint) => amount(formatMicrograms(micrograms));
    const partners = listing(found.partners, [
      ["client_id", "PARTNER", (account) => account.clientId],
      ["gold_grams", "GOLD g", (account) => grams(account.goldMicrograms)],
      ["allocation_grams", "ALLOCATION g", (account) => grams(account.allocationMicrograms)],
    ]);
    const counts = listing(found.lastCounts, [
      ["pool", "POOL", (count) => count.poolId],
      ["counted_at", "LAST COUNTED", (count) => formatTime(count.countedAtMs)],
      ["counted_by", "BY", (count) => count.countedBy],
      ["inspected_by", "INSPECTED BY", (count) => count.inspectedBy],
    ]);
    return {
      json: {
        bars: found.bars,
        vault_grams: grams(found.barsMicrograms),
        promised_grams: grams(found.promisedMicrograms),
        free_grams: grams(found.freeMicrograms),
        partners: partners.json,
        last_counts: counts.json,
      },
      text: list([
        ["bars", found.bars],
        ["in the vault", `${formatMicrograms(found.barsMicrograms)} g`],
        ["promised", `${formatMicrograms(found.promisedMicrograms)} g`],
        ["free", `${formatMicrograms(found.freeMicrograms)} g`],
      ]) + "\n" + partners.text + (found.lastCounts.length === 0 ? "" : `\n${counts.text}`),
    };
  },
});

/** `sabika vault …` */
export const vault = buildRouteMap({
  docs: { brief: "The physical gold, and how much of it partners may sell" },
  routes: {
    bar,
    bars,
    count,
    allocate: moving("allocate"),
    release: moving("release"),
    report,
    ...readCommands("vault"),
  },
});
