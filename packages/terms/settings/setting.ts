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
  /** What holds when it is left out, if the value does not say so; undefined where it must be given. */
  readonly otherwise?: string;
  /** What it must not be. */
  readonly never?: string;
  /** Values that are refused in production, with the setting's name or reason in the message. */
  readonly refused?: readonly string[];
  /** The value is a secret itself, or the path of a file with one. */
  readonly secret?: "value" | "file";
}

/** What the file of a secret must not be. */
export const OPEN_FILE = "a file that others can read, in production";
