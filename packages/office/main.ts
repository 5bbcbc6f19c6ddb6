import { runProcess } from "@sabika/server";
import { readOfficeSettings } from "./settings.ts";
import { type RunningOffice, startOffice } from "./start_office.ts";

/** The office as a process: the one place here that names clock and randomness. */
runProcess(async ({ env, log }) => {
  const settings = await readOfficeSettings(env);
  let running: RunningOffice | undefined;
  return {
    async start() {
      running = await startOffice(settings, {
        now: Date.now,
        random: (length) => crypto.getRandomValues(new Uint8Array(length)),
        log,
      });
    },
    stop: async () => await running?.stop(),
  };
});
