import { parseArgs } from "node:util";
import { createClient } from "../client.ts";
import { openKit } from "../kit.ts";
import { describeEvent } from "./answer_delivery.ts";
import { KIT_OPTION } from "./files.ts";
import { type Command, UsageError } from "./io.ts";

/** `sabika-client events` */
export const events: Command = {
  summary: "print the events behind a number, and follow them as they come",
  help: `Prints events, oldest first: number, type and what it is about.

  sabika-client events [--kit FOLDER] [--after N] [--follow] [--count N]

  --kit FOLDER  the partner kit; here unless given
  --after N     only those with a greater number; 0, all of them, unless given
  --follow      then waits for further ones, on a stream that stays open, until Ctrl-C
  --count N     end after N events`,
  async run(args, io) {
    const { values } = parseArgs({
      args,
      options: {
        ...KIT_OPTION,
        after: { type: "string", default: "0" },
        follow: { type: "boolean", default: false },
        count: { type: "string" },
      },
    });
    const afterSequence = wholeNumber("--after", values.after);
    let left = values.count === undefined ? Infinity : wholeNumber("--count", values.count);
    const client = createClient(await openKit(values.kit));
    const signal = io.interrupted;
    const found = values.follow
      ? client.streamEvents({ afterSequence }, { signal })
      : client.events({ afterSequence, limit: 100 }, { signal });
    try {
      for await (const event of found) {
        if (left-- <= 0) break;
        io.print(describeEvent(event));
        if (left === 0) break;
      }
      return 0;
    } finally {
      await client.close();
    }
  },
};

function wholeNumber(option: string, text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${option} is a whole number`);
}
