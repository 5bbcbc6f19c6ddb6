import type { Secrets } from "@sabika/identity/secrets";
import {
  createPushedRevocations,
  createRegister,
  openStoredRegister,
  type PushedRevocations,
  type Register,
} from "@sabika/service/partners";
import { withinPatience } from "./door/fresh_register.ts";
import { startJobs } from "./jobs.ts";
import { describeAway } from "./listeners/answer_ready.ts";
import type { Log } from "./logging/log.ts";
import type { ServiceDatabases } from "./open_databases.ts";
import type { Opened } from "./opened.ts";
import type { ServiceSettings } from "./settings.ts";
import type { Snapshot } from "./snapshot.ts";
import { revocationsWatch } from "./watch_revocations.ts";

/** What the register is read with. */
interface RegisterContext {
  readonly settings: Pick<ServiceSettings, "controlAwaySeconds" | "revocationsFolder">;
  /** Control's. */
  readonly databases: Pick<ServiceDatabases, "trading">;
  readonly secrets: Secrets;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  readonly opened: Opened;
  readonly onError: (name: string, error: unknown) => void;
  /** While control is away. */
  readonly snapshot: Snapshot | undefined;
}

/** Five minutes (Decision D116). */
const CONTROL_AWAY_SECONDS = 300;

/** How long partners of other cells are let in without control. */
export const awayMsOf = (settings: Pick<ServiceSettings, "controlAwaySeconds">): number =>
  (settings.controlAwaySeconds ?? CONTROL_AWAY_SECONDS) * 1_000;

/** Opens the register of partners, and reads it once; with a snapshot it begins with that. */
export async function openRegister(context: RegisterContext): Promise<Register> {
  const { settings, databases, secrets, now, log, opened, onError, snapshot } = context;
  const register = createRegister({
    database: databases.trading,
    secrets,
    now,
    pushed: await openRevocations(context),
    awayMs: awayMsOf(settings),
    initial: snapshot && await openStoredRegister(snapshot.register, secrets),
    onAway(away) {
      if (away === undefined) log("info", "control_back");
      else log("warning", "control_away", { reason: describeAway(away) });
    },
    onError: (error) => onError("register", error),
  });
  opened.add(() => register.close());
  // Known to be away a moment later.
  if (snapshot !== undefined) await withinPatience(register.refresh);
  else await register.refresh();
  return register;
}

/** Reads what was revoked by the second way, and goes on reading it; undefined where there is none. */
async function openRevocations(
  { settings: { revocationsFolder: folder }, secrets: keys, log, opened, onError }: RegisterContext,
): Promise<PushedRevocations | undefined> {
  if (folder === undefined) return undefined;
  const pushed = createPushedRevocations();
  const monotonic = () => performance.now();
  const job = revocationsWatch({ folder, keys, pushed, monotonic, log });
  await job.run().catch((error: unknown) => onError(job.name, error));
  opened.add(startJobs([job], onError));
  return pushed;
}
