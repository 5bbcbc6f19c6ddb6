import type { Value } from "./value.ts";

/** Who reads a setting: an instance of the service, the office, `sabika`, the load scripts. */
export type SettingReader = "server" | "office" | "operator" | "load";

/** One environment variable. */
export interface Setting {
  readonly readBy: readonly SettingReader[];
  /** What it sets. */
  readonly means: string;
  /** The form of its value, with the unit, and how it is read. */
  readonly value: Value<unknown>;
  /** What applies without it, if the value has no default; undefined where the setting is required. */
  readonly otherwise?: string;
  /** What it must not be. */
  readonly never?: string;
  /** Values that are refused in production. */
  readonly refused?: readonly string[];
  /** Whether the value is a secret, or the path of a file with a secret. */
  readonly secret?: "value" | "file";
}

/** What the file with a secret must not be, for `never`. */
export const OPEN_FILE = "a file that others can read, in production";
