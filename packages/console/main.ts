import { readOfficeSettings, type RunningOffice, startOffice } from "@sabika/office";
import { runProcess } from "@sabika/server";
import { openPages } from "./open_pages.ts";

/**
 * The operator's office with its console, as a process: the one place here that names clock and randomness.
 */
runProcess(async ({ env, log }) => {
  const settings = await readOfficeSettings(env);
  let running: RunningOffice | undefined;
  return {
    async start() {
      running = await startOffice(settings, {
        now: Date.now,
        random: (length) => crypto.getRandomValues(new Uint8Array(length)),
        log,
        fetch,
        openPages: (admin) => openPages(admin, log, settings),
      });
    },
    stop: async () => await running?.stop(),
  };
});
