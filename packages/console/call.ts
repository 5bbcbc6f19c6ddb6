import type { ActName, Role } from "@sabika/core/admin";
import type { createTradedHours } from "@sabika/core/oversight";
import type { Database } from "@sabika/core/store";
import type { PriceSource } from "@sabika/core/trading";
import type { Environment } from "@sabika/protocol";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { Language, Messages } from "./languages/languages.ts";

/** Somebody who is signed in. */
export interface Viewer {
  readonly name: string;
  readonly roles: readonly Role[];
}

/** The listener in front has found out who asks; undefined for nobody. */
export interface ConsoleEnv {
  Variables: { person: Viewer | undefined };
}

/** What the pages are made from. */
export interface ConsoleParts {
  /** As the operator's role: it reads every table. */
  readonly database: Database;
  readonly environment: Environment;
  readonly prices: Pick<PriceSource, "latest">;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called with what went wrong behind a page that could not be made. */
  readonly onError: (error: unknown) => void;
}

/** One request for a page, by somebody who may read it. */
export interface Call extends ConsoleParts {
  readonly context: Context<ConsoleEnv>;
  readonly viewer: Viewer;
  readonly language: Language;
  readonly words: Messages;
  readonly tradedHours: ReturnType<typeof createTradedHours>;
}

/** What a page says of itself, for the frame around it. */
export interface Shown {
  readonly title: string;
  readonly content: Child;
  readonly status?: 200 | 400 | 403 | 404 | 500;
}

/** A page: where it is, who may read it, how it is made. */
export interface Page {
  /** Behind the language; a parameter as Hono writes it. */
  readonly path: string;
  /** The act whose roles open it. */
  readonly act: ActName;
  /** Its entry of the navigation, if it has one. */
  readonly entry?: keyof Messages["pages"];
  /** Undefined when what the address names does not exist. */
  show(call: Call): Promise<Shown | Response | undefined>;
}
