import type { Target } from "./connection.ts";
import type { LoadResult } from "./drive.ts";

/** One partner whose orders the loader sends. */
export interface Lane {
  accessToken: string;
  /** PKCS#8, PEM. */
  signingKey: string;
  signingKeyId: string;
  /** Header lines of the sidecar, or none where the connection itself identifies the caller. */
  headers: Record<string, string>;
  /** `qt_…` of open quotes, each ordered once. */
  quoteIds: string[];
}

/** What the loader is to do: one order for each quote, the lanes in turn. */
export interface Job {
  target: Target;
  baseUrl: string;
  connections: number;
  /** The run ends after this time, or when the quotes are used up. */
  seconds: number;
  lanes: Lane[];
  /** Requests a second by the clock, in place of as fast as answers come. */
  pace?: number;
  /** The statuses that may come; 201 alone when left out. */
  expected?: number[];
}

/** What goes between the bench and the loader's process. */
export type ToLoader = { kind: "prepare"; job: Job } | { kind: "go" };
export type FromLoader =
  | { kind: "prepared" }
  | { kind: "done"; result: LoadResult }
  | { kind: "failed"; message: string };
