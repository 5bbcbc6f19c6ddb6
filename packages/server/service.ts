import { type PlainFetch, plainFetch } from "@sabika/network";
import type { PriceSource } from "@sabika/service/prices";
import { type Log, silentLog } from "./logging/log.ts";
import { createOpened } from "./opened.ts";
import type { ServiceSettings } from "./settings.ts";
import { type Instance, startInstance } from "./start_instance.ts";

/** What a service takes from outside itself. */
export interface ServiceSurroundings {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  /** Nothing is logged by default. */
  readonly log?: Log;
  /** Log lines that could not be written; none by default. */
  readonly lostLogLines?: () => number;
  /** Asks a price feed, when the operator has set one; `plainFetch` by default. */
  readonly fetch?: PlainFetch;
  /** The source of prices; by default the one that the operator set in the database. */
  readonly prices?: PriceSource;
  /** Called with a request of a partner for a credential, before each answer to it (Decision D120). */
  readonly onCredentialRequest?: (requestId: string) => Promise<void>;
}

/** A service that is started once and stopped once. */
export interface Service {
  /**
   * Opens the database, which must have been migrated, listens, and begins to work.
   *
   * @throws {SettingsError | SchemaError | DeploymentError} with one line when it must not serve like this
   */
  start(): Promise<Pick<Instance, "baseUrl" | "port" | "watchPort">>;
  /** Refreshes the register of partners now instead of at the next poll. */
  refresh(): Promise<void>;
  /** Lets requests in flight finish, then closes everything. */
  stop(): Promise<void>;
}

/** Creates the service; nothing runs before `start`. */
export function createService(
  settings: ServiceSettings,
  {
    now,
    random,
    log = silentLog,
    lostLogLines = () => 0,
    fetch = plainFetch,
    prices,
    onCredentialRequest,
  }: ServiceSurroundings,
): Service {
  const opened = createOpened();
  let instance: Instance | undefined;

  return {
    async start() {
      try {
        const surroundings = {
          now,
          random,
          log,
          lostLogLines,
          fetch,
          prices,
          onCredentialRequest,
          opened,
        };
        return instance = await startInstance(settings, surroundings);
      } catch (error) {
        await opened.close();
        throw error;
      }
    },
    refresh: async () => await instance?.refresh(),
    async stop() {
      instance?.drain();
      if (!opened.isEmpty()) {
        log("info", "draining");
        const drainSeconds = settings.drainSeconds ?? (settings.listen.kind === "sidecar" ? 3 : 0);
        await new Promise((resolve) => setTimeout(resolve, drainSeconds * 1000));
      }
      await opened.close();
      log("info", "stopped");
    },
  };
}
