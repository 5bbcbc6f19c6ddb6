/** Environment variables, such as `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The settings are wrong; the message is one line and says what to do. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/** What a setting's text may be, and what it stands for. */
export interface Value<T> {
  /** In words, with the unit; Markdown. */
  readonly form: string;
  /** What holds when it is left out, where the value itself says so. */
  readonly otherwise?: string;
  /** What is said where it is needed and left out; "is missing" by default. */
  readonly whenMissing?: string;
  /** @throws {SettingsError} with the setting's name when the text has another form */
  read(name: string, text: string | undefined): T;
}

/** Where something listens: a Unix socket, or a port (0 = any free one). */
export type Address =
  | { readonly path: string }
  | { readonly host: string; readonly port: number };

/** Any text; what is empty is left out. */
export function text(form = "text"): Value<string | undefined> {
  return { form, read: (_, found) => found || undefined };
}

export const PATH = text("path");

/** A text of this pattern. */
export function matching(form: string, pattern: RegExp, wanted: string): Value<string | undefined> {
  return {
    form,
    read(name, found) {
      if (found === undefined || pattern.test(found)) return found;
      throw new SettingsError(`${name} must be ${wanted}`);
    },
  };
}

/** One of these words. */
export function choice<const WORD extends string, OTHERWISE extends WORD | undefined = undefined>(
  words: readonly WORD[],
  otherwise?: OTHERWISE,
): Value<WORD | OTHERWISE> {
  const list = (quote: string) => {
    const quoted = words.map((word) => `${quote}${word}${quote}`);
    return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  };
  const wanted = `must be ${list("")}`;
  return {
    form: list("`"),
    whenMissing: wanted,
    ...(otherwise === undefined ? {} : { otherwise: `\`${otherwise}\`` }),
    read(name, found) {
      if (found === undefined) return otherwise as OTHERWISE;
      const word = words.find((known) => known === found);
      if (word !== undefined) return word;
      throw new SettingsError(`${name} ${wanted}`);
    },
  };
}

/** `true` or `false`, also as 1 or 0; false when it is left out. */
export const FLAG: Value<boolean> = {
  form: "`true` or `false`",
  otherwise: "`false`",
  read(name, found = "") {
    if (!["", "0", "1", "false", "true"].includes(found)) {
      throw new SettingsError(`${name} must be true or false`);
    }
    return found === "1" || found === "true";
  },
};

/** A whole number, `least` or more. */
export function wholeNumber<OTHERWISE extends number | undefined = undefined>(
  unit: string,
  { least = 0, most = Infinity, otherwise }: {
    least?: number;
    most?: number;
    otherwise?: OTHERWISE;
  } = {},
): Value<number | OTHERWISE> {
  return {
    form: `whole number, ${unit}`,
    ...(otherwise === undefined ? {} : { otherwise: `${otherwise}` }),
    read(name, found) {
      if (found === undefined || found === "") return otherwise as OTHERWISE;
      if (!/^(?:0|[1-9][0-9]{0,8})$/.test(found)) {
        throw new SettingsError(`${name} must be a whole number`);
      }
      if (Number(found) < least) throw new SettingsError(`${name} must be ${least} or more`);
      if (Number(found) > most) throw new SettingsError(`${name} must be ${most} or less`);
      return Number(found);
    },
  };
}

/** Texts that are no whole number. */
export const NOT_WHOLE = ["-1", "1.5", "many"];

/** `unix:/path`, `host:port` or `[::1]:port`. */
export const ADDRESS: Value<Address | undefined> = {
  form: "`unix:/path` or `host:port`",
  read(name, found) {
    if (found === undefined) return undefined;
    if (found.startsWith("unix:/")) return { path: found.slice("unix:".length) };
    const match = /^(?:\[([0-9a-fA-F:]+)\]|([A-Za-z0-9.-]+)):([0-9]{1,5})$/.exec(found);
    const port = Number(match?.[3]);
    if (match === null || port > 65_535) {
      throw new SettingsError(`${name} must be unix:/path or host:port`);
    }
    return { host: match[1] ?? match[2]!, port };
  },
};
