import type { Value } from "./value.ts";

/** Who reads a setting: an instance of the service, the office, `sabika`, the load scripts. */
export type SettingReader = "server" | "office" | "operator" | "load";

/** One environment variable. */
export interface Setting {
  readonly readBy: readonly SettingReader[];
  /** What it sets: a sentence in Markdown, for docs/settings.md. */
  readonly means: string;
  /** The form of its value, with the unit, and how it is read. */
  readonly value: Value<unknown>;
  /**
   * What applies when it is left out, in Markdown, in place of the value's own `otherwise`; with neither, the
   * setting is required.
   */
  readonly otherwise?: string;
  /** What it must not be, in Markdown that continues "must not be"; undefined when only the form limits it. */
  readonly never?: string;
  /** Examples of values that a server refuses in production, wherever else it refuses them; a test tries each. */
  readonly refused?: readonly string[];
  /** What is secret: the value, or the content of the file that it names; undefined when neither is. */
  readonly secret?: "value" | "file";
}
