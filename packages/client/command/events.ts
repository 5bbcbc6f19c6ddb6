import { parseArgs } from "node:util";
import { createClient } from "../client.ts";
import { describeEvent } from "./answer_delivery.ts";
import { KIT_OPTION, openKitOf } from "./files.ts";
import { type Command, UsageError } from "./io.ts";

/** `sabika-client events` */
export const events: Command = {
  summary: "print the events after a number, and follow new ones",
  help: `Prints events, oldest first: the number, the type and the id of the object.

  sabika-client events [--kit FOLDER] [--after N] [--follow] [--count N]

  --kit FOLDER  the partner kit; by default of SABIKA_KIT…, else this folder
  --after N     only events with a greater number; 0, which means all, by default
  --follow      then waits for new events, on a stream that stays open, until Ctrl-C
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
    const client = createClient(await openKitOf(values.kit, io));
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
