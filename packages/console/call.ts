import type { Database } from "@sabika/database";
import type { InCells, TradedHours } from "@sabika/office/oversight";
import type { PriceSource } from "@sabika/service/prices";
import type { ActName } from "@sabika/terms";
import type { Office, OfficeEnv, Person } from "@sabika/office";
import type { PageTitle } from "@sabika/office/reads";
import type { Environment } from "@sabika/protocol";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { Outcomes } from "./act_outcomes.ts";
import type { AuditVerifications } from "./audit_verifications.ts";
import type { Language, Messages } from "./languages/languages.ts";

/** The parts that pages need besides the office. */
export interface ConsoleParts {
  readonly prices: Pick<PriceSource, "latest">;
  /** Less free gold in the vault than this needs a look; none is too little when left out. */
  readonly reserveLowMicrograms?: bigint;
  /** Called with the error when a page could not be made. */
  readonly onError: (error: unknown) => void;
}

/** One request for a page, by a person who may read it. */
export interface Call extends ConsoleParts {
  readonly office: Office;
  readonly context: Context<OfficeEnv>;
  readonly viewer: Person;
  readonly language: Language;
  readonly words: Messages;
  /** Control's database, as the operator's role, which reads every table. */
  readonly database: Database;
  /** Reads partners' rows, whichever cell they are in. */
  readonly cells: InCells;
  readonly environment: Environment;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly tradedHours: TradedHours;
  readonly outcomes: Outcomes;
  readonly reserveLowMicrograms: bigint;
  readonly verifications: AuditVerifications;
}

/** A page as it was made, for the frame around it; `status` is 200 when left out. */
export interface Shown {
  readonly title: string;
  readonly content: Child;
  readonly status?: 200 | 400 | 403 | 404 | 500 | 503;
}

/** A page: its path, the act whose roles may read it, and the function that makes it. */
export interface Page {
  /** The path after the language; a parameter as Hono writes it. */
  readonly path: string;
  /** `POST` for the target of a form; `GET` when left out. */
  readonly method?: "POST";
  /** The act whose roles may see it. */
  readonly act: ActName;
  /** Of a form's target: where a browser without a session is led to after signing in, if not to the same path. */
  readonly returnTo?: (context: Context<OfficeEnv>, language: Language) => Promise<string>;
  /** Its entry of the navigation, if it has one. */
  readonly entry?: keyof Messages["pages"] | PageTitle;
  /** Makes the page; undefined when the resource in its address does not exist. */
  show(call: Call): Promise<Shown | Response | undefined>;
}
