import { testRecord } from "../../secret_search/record.ts";
import type { Surroundings } from "@sabika/deployment/folders";

/** The real clock and random source; log lines are kept for the search for secrets. */
export const surroundings: Surroundings = {
  now: Date.now,
  log: (level, event, fields) =>
    testRecord.log("sandbox-service", `${level} ${event} ${JSON.stringify(fields ?? {})}`),
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
};
