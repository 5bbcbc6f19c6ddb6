import type { PlainFetch } from "@sabika/network";
import type { CommandContext, StricliProcess } from "@stricli/core";

/** Everything a command gets from outside. `now` returns epoch milliseconds, `random` that many bytes. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  /** True when both input and output are a terminal. */
  isTerminal: boolean;
  now: () => number;
  random: (length: number) => Uint8Array;
  /** Asks a price feed, as the service does. */
  fetch: PlainFetch;
  /** All addresses of a host name. */
  resolve: (hostname: string) => Promise<{ address: string; family: 4 | 6 }[]>;
  /** The person who runs the command, and the machine, for the audit log. */
  user: { who: string; from: string };
}

/** The context of every command. */
export interface Context extends CommandContext {
  readonly process: StricliProcess;
  readonly surroundings: Surroundings;
}
