import { buildRouteMap } from "@stricli/core";
import { REFINER_LISTS } from "@sabika/terms";
import { acting } from "../command/acting.ts";
import { command, neededFlag } from "../command/command.ts";
import { text } from "../command/parsers.ts";
import { readCommands } from "../command/read_commands.ts";

const LIST = [
  "LIST",
  `${REFINER_LISTS.join(" or ")}: the London market's, or your own`,
  listOf,
] as const;
const REFINER = ["REFINER", "Its name or brand code, as bars have it"] as const;
type List = (typeof REFINER_LISTS)[number];

function listOf(text: string): List {
  const list = REFINER_LISTS.find((list) => list === text);
  if (list === undefined) throw new SyntaxError(`not ${REFINER_LISTS.join(" or ")}`);
  return list;
}

/** `sabika refiner …` */
export const refiner = buildRouteMap({
  docs: { brief: "The lists of refiners whose bars come in" },
  routes: {
    add: command<{ from: string; sha256: string }, [List, string]>({
      brief: "Put a refiner on a list from a day on",
      more: "Bars that come in say which list their refiner is on that day.",
      examples: [
        "refiner add good_delivery 'Refinery' --from 2026-01-01 --sha256 HASH",
      ],
      flags: {
        from: neededFlag(text, "The first day, in Riyadh", "DAY", { question: "From which day?" }),
        sha256: neededFlag(
          text,
          "The SHA-256 of the document about its responsible sourcing",
          "HEX",
          { question: "Which document, by its SHA-256?" },
        ),
      },
      args: [LIST, REFINER],
      async run(session, { from, sha256 }, list, refiner) {
        const input = { list, refiner, from_day: from, document_sha256: sha256 };
        await session.act("refiner.add", input);
        return { json: input, text: `${refiner} is on the list ${list} from ${from}\n` };
      },
    }),
    end: acting("refiner.end", {
      brief: "End a refiner's time on a list; bars that came in before say what they said",
      examples: ["refiner end good_delivery 'Refinery' 2026-12-31"],
      args: { list: LIST, refiner: REFINER, until_day: ["DAY", "The last day, in Riyadh"] },
      json: (input) => ({ ...input }),
      text: ({ list, refiner, until_day }) =>
        `${refiner} is on the list ${list} until ${until_day}`,
    }),
    unlisted: acting("refiner.unlisted", {
      brief: "Set whether bars come in whose refiner is on no list",
      more: "A sandbox takes them in and production refuses them, until it is set.",
      examples: ["refiner unlisted take_in", "refiner unlisted refuse"],
      args: { unlisted: ["WHAT", "take_in or refuse"] },
      json: ({ unlisted }) => ({ unlisted }),
      text: ({ unlisted }) => `bars of refiners on no list: ${unlisted}`,
    }),
    ...readCommands("refiner"),
  },
});
