import { importPublicJwk, refuse } from "@sabika/protocol";
import {
  type ActArguments,
  argumentsText,
  isSignedBy,
  keyIdOf,
  type SignedAct,
  signedFrom,
} from "@sabika/identity/signatures";
import {
  type AdminContext,
  findSigner,
  type PersonsWarrant,
  readPeopleSince,
  type Signer,
  type Warrant,
} from "@sabika/service/audit";
import { type ActName, type AdminOutcome, isActName, mayDo } from "@sabika/terms";

/** An act as it is asked for: by name and arguments, or signed by a person. */
export type AskedAct =
  & (
    | { readonly name: string; readonly arguments: ActArguments; readonly breakGlass?: string }
    | { readonly signed: SignedAct }
  )
  & {
    /** What the arguments have only the hash of, as it may hold a secret: a feed's URL. */
    readonly attachment?: string | undefined;
  };

/** An act that the person or program that asks may do; while acts need no person, it has no warrant. */
export interface AuthorisedAct {
  readonly name: ActName;
  /** Canonical JSON. */
  readonly argumentsText: string;
  readonly warrant: Warrant | undefined;
  /** Who signed it; undefined without a signature. */
  readonly person: Signer | undefined;
}

type AuthorisingContext = Pick<AdminContext, "database" | "environment" | "now" | "passkeyOrigin">;

/** How far a signature's time may be from this machine's, as for requests (Decision D24). */
export const WINDOW_MS = 300_000;

/**
 * Decides whether an act may be done (Decision D50): its signature verifies with the person's key and is
 * recent, and one of their roles permits the act. Without a signature it may be done before there are
 * people, or with `breakGlass`, which the database allows only its owner and `sabika_break_glass`.
 */
export async function authorise(
  admin: AuthorisingContext,
  asked: AskedAct,
): Promise<AdminOutcome<AuthorisedAct>> {
  const name = "signed" in asked ? asked.signed.name : asked.name;
  if (!isActName(name)) return refuse("not_found", `there is no act "${name}"`);
  if ("signed" in asked) return await authorisePerson(admin, name, asked.signed);
  const { breakGlass } = asked;
  if (breakGlass === undefined && await readPeopleSince(admin.database.sql) !== null) {
    return refuse(
      "person_required",
      "here people act by name: sign with your key (--operator-key FILE, or " +
        "SABIKA_OPERATOR_KEY_FILE), or in an emergency --break-glass REASON",
    );
  }
  if (breakGlass !== undefined && !/^\S(?:.{1,254}\S)$/.test(breakGlass)) {
    return refuse("invalid_setting", "say in 3 to 256 characters why the glass is broken");
  }
  const warrant = breakGlass === undefined ? undefined : { breakGlass };
  const text = argumentsText(asked.arguments);
  return { ok: true, value: { name, argumentsText: text, warrant, person: undefined } };
}

async function authorisePerson(
  { database: { sql }, environment, now, passkeyOrigin }: AuthorisingContext,
  name: ActName,
  signed: SignedAct,
): Promise<AdminOutcome<AuthorisedAct>> {
  const keyId = keyIdOf(signed);
  const signer = keyId === undefined ? undefined : await findSigner(sql, { keyId });
  if (signer === undefined) {
    return refuse("signature_invalid", "nobody here has the key that signed this");
  }
  const { key } = signer;
  const imported = await importPublicJwk(key.publicJwk);
  const isTheirs = imported.ok &&
    await isSignedBy({ ...key, publicKey: imported.key }, environment, signed);
  if (!isTheirs) return refuse("signature_invalid", "the signature does not fit the act");
  if (key.rpId !== null && signedFrom(signed) !== passkeyOrigin) {
    return refuse("signature_invalid", "the passkey signed on a page that is not the office's");
  }
  if (Math.abs(signed.signedAtMs - now()) > WINDOW_MS) {
    return refuse("signature_invalid", "the signature is not recent: see that the clock is right");
  }
  if (!signer.enabled) return refuse("not_permitted", `"${signer.name}" is disabled`);
  if (key.validUntilMs !== null && key.validUntilMs <= now()) {
    return refuse("not_permitted", `this key of "${signer.name}" has ended`);
  }
  if (!mayDo(signer.roles, name)) {
    return refuse("not_permitted", `no role of "${signer.name}" opens ${name}`);
  }
  const warrant: PersonsWarrant = {
    signed,
    operatorId: signer.operatorId,
    keyId: key.keyId,
  };
  return {
    ok: true,
    value: { name, argumentsText: signed.argumentsText, warrant, person: signer },
  };
}

/** Returns the context in which an authorised act is done: with its warrant, in its person's name. */
export function asAuthorised<CONTEXT extends AdminContext>(
  admin: CONTEXT,
  { warrant, person }: AuthorisedAct,
): CONTEXT {
  const actor = person === undefined ? admin.actor : { ...admin.actor, who: person.name };
  return { ...admin, actor, warrant };
}

/** Runs `body`; turns violated constraints on acts into refusals, such as of an act done before. */
export async function refusingUnwarranted<T>(
  body: () => Promise<AdminOutcome<T>>,
): Promise<AdminOutcome<T>> {
  try {
    return await body();
  } catch (error) {
    const refusal = REFUSALS[(error as { constraint_name?: string }).constraint_name ?? ""];
    if (refusal === undefined) throw error;
    return refuse(...refusal);
  }
}

const REFUSALS: Readonly<Record<string, [code: "already_exists" | "not_permitted", string]>> = {
  acts_pk: ["already_exists", "this act was asked for before"],
  acts_signature: ["not_permitted", "the database finds that the signature does not fit the act"],
  cell_acts_pk: ["already_exists", "this act was asked for before"],
  audit_log_act_unique: ["already_exists", "this act was done before"],
  acts_signer: ["not_permitted", "the key that signed this is no enabled person's any more"],
  audit_log_person: [
    "not_permitted",
    "this database role does not break the glass: give the URL of a login in sabika_break_glass in " +
    "SABIKA_BREAK_GLASS_DATABASE_URL or a file that SABIKA_BREAK_GLASS_DATABASE_URL_FILE names",
  ],
  acts_second_person: ["not_permitted", "a rule asks for a second person meanwhile: ask again"],
  administrators_least: [
    "not_permitted",
    "fewer administrators would be left than the policy says: give somebody else the role and a key first",
  ],
  acts_right: ["not_permitted", "no role of who signed this opens it any more"],
};
