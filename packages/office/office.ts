import type { ActArguments } from "@sabika/identity/signatures";
import type { PriceSource } from "@sabika/service/prices";
import type { AdminOutcome, AdminRefusal } from "@sabika/terms";
import type { Dossier } from "./acts/dossier/line.ts";
import type { Performed } from "./acts/perform.ts";
import type { InCells } from "./oversight/in_cells.ts";
import type { PartnerAdminContext } from "./partners/partner_admin_context.ts";
import type { WriteMail } from "./notifications/mail.ts";
import type { Person } from "./people/person.ts";
import type { Hono } from "hono";
import type { ReadContext } from "./reads/read.ts";
import type { SingleSignOn } from "./single_sign_on.ts";

/** The findings of the listener's guard about a request, before any route sees it. */
export interface OfficeVariables {
  /** `req_…`, also in the answer's `x-request-id`. */
  readonly requestId: string;
  /** The caller's address, for the audit log. */
  readonly from: string;
  /** Undefined without a signature and without a valid session. */
  readonly person: Person | undefined;
}

/** The environment of every Hono application on the office's listener. */
export interface OfficeEnv {
  Variables: OfficeVariables;
}

/** An act as a browser shows it, and as its passkey is asked to sign it. */
export interface StagedAct {
  /** A UUID; an act is done once under it. */
  readonly id: string;
  readonly name: string;
  /** Canonical JSON, to be handed back as it is. */
  readonly arguments: string;
  /** Unix time in seconds; it is signed too, and valid for five minutes. */
  readonly signedAtSeconds: number;
  /** What it is about (Decision D96); its arguments have it too, so that it is signed. */
  readonly dossier: Dossier;
  /** SHA-256, lower-case hex, of what is signed. */
  readonly hash: string;
  /** For `PublicKeyCredential.parseRequestOptionsFromJSON`; its challenge is the act's hash. */
  readonly options: unknown;
}

/** A browser's answer: the act as it was staged, and the passkey's credential. */
export interface SignedByPasskey extends Omit<StagedAct, "dossier" | "hash" | "options"> {
  /** `credential.toJSON()` of `navigator.credentials.get`. */
  readonly credential: unknown;
  /** The hashes of all acts that were signed together, this one's too; none for an act signed alone. */
  readonly together?: readonly string[];
  /** What the arguments have only the hash of. */
  readonly attachment?: string | undefined;
}

/** The office, as routes and pages on its listener use it. */
export interface Office {
  /** `https://office.example`: the one address of the office, to which its passkeys are bound. */
  readonly origin: string;
  /**
   * The context for reading functions. Pages change nothing through it: they change something only by
   * {@linkcode Office.performSigned}.
   */
  readonly admin: PartnerAdminContext;
  /**
   * Reads partners' rows, whichever cell they are in.
   *
   * @throws {Refused} from each method, with `service_unavailable`, when it needs a cell that does not
   *   answer; `usable` and `readUsable` do without other cells than control's own
   */
  readonly cells: InCells;
  /** The context in which a person's reads are carried out; `from` is their address, for the audit log. */
  readContext(person: Person, from?: string): ReadContext;
  /** Signing in by the company's OpenID provider (Decision D84); undefined where there is none. */
  readonly singleSignOn: SingleSignOn | undefined;
  /**
   * Prepares an act to be signed by a passkey of this person, with its dossier. Nothing is kept or decided;
   * arguments are as in `office/acts/acts.ts`, amounts as decimal texts.
   *
   * @param id the UUID that it is done under; a new one when left out
   * @returns the act, or a refusal when it is about nothing that there is, or its arguments cannot be read
   */
  stageAct(
    person: Person,
    name: string,
    input: ActArguments,
    id?: string,
  ): Promise<AdminOutcome<StagedAct>>;
  /** Makes `options` by which a passkey of this person signs staged acts together (Decision D99). */
  optionsForAll(person: Person, acts: readonly Pick<StagedAct, "hash">[]): Promise<unknown>;
  /** Returns why an act would be refused now, if that can be told without doing it; nothing is changed. */
  tryAct(
    person: Person,
    name: string,
    input: ActArguments,
    from: string,
  ): Promise<AdminRefusal | undefined>;
  /**
   * Carries out an act that this person's passkey signed, or makes it wait for a second person.
   *
   * @param from the caller's address, for the audit log
   * @returns its result, or why it was refused: then nothing was done
   * @throws {Refused} for a credential that cannot be read; with `unbooked` when a cell has still to book it
   */
  performSigned(
    person: Person,
    signed: SignedByPasskey,
    from: string,
  ): Promise<AdminOutcome<Performed<unknown>>>;
}

/**
 * Pages of the office, mounted at `/` beside `/admin/v1`. The guard has run before them: requests
 * that change something are of the same origin, `context.get("person")` is the person who asks.
 */
export type Pages = (office: Office) => Hono<OfficeEnv>;

/** Pages, and how to close what they opened, once the listener has ended. */
export interface OpenedPages {
  readonly pages: Pages;
  /** The prices that they show. */
  readonly prices: Pick<PriceSource, "latest">;
  /** Writes mails as the pages say it. */
  readonly writeMail: WriteMail;
  close(): void;
}
