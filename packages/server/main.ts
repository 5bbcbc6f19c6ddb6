import { lowerPriority } from "./lower_priority.ts";
import { pooledRandom } from "./pooled_random.ts";
import { runProcess } from "./run_process.ts";
import { createService } from "./service.ts";
import { readSettings } from "./settings.ts";

/** The service as a process; the only file here that names the wall clock and randomness. */
runProcess(async ({ env, log, lostLogLines }) => {
  const settings = await readSettings(env);
  const service = createService(settings, {
    now: Date.now,
    random: pooledRandom((bytes) => crypto.getRandomValues(bytes)),
    log,
    lostLogLines,
  });
  return {
    async start() {
      await service.start();
      if (settings.listen.kind === "nowhere") await lowerPriority();
    },
    stop: service.stop,
  };
});
