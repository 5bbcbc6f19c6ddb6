import type { Target } from "./connection.ts";
import type { LoadResult } from "./drive.ts";

/** One partner whose orders the loader sends. */
export interface Lane {
  accessToken: string;
  /** The private key in PKCS#8 PEM. */
  signingKey: string;
  signingKeyId: string;
  /** The sidecar's headers; none if the connection itself identifies the partner. */
  headers: Record<string, string>;
  /** Ids of open quotes (`qt_…`), each of which is ordered once. */
  quoteIds: string[];
}

/** The loader's task: one order for each quote, from the lanes in turn. */
export interface Job {
  target: Target;
  baseUrl: string;
  connections: number;
  /** The run ends after this time, or when the quotes are used up. */
  seconds: number;
  lanes: Lane[];
  /** Requests per second at fixed times, from which latencies count; by default as fast as answers come. */
  pace?: number;
  /** The statuses that answers may have, first the one that counts as success; only 201 by default. */
  expected?: number[];
}

/** Messages from the bench to the loader's process. */
export type ToLoader = { kind: "prepare"; job: Job } | { kind: "go" };
/** Messages from the loader's process to the bench. */
export type FromLoader =
  | { kind: "prepared" }
  | { kind: "done"; result: LoadResult }
  | { kind: "failed"; message: string };
