import { type ActArguments, mayDo } from "@sabika/core/admin";
import type { Child } from "hono/jsx";
import type { Call } from "../call.ts";
import type { Messages } from "../languages/languages.ts";

/** An act that pages offer. */
export type OfferedAct = keyof Messages["acts"];

/**
 * A button that leads to the page where an act is signed; nothing for whom no role opens it.
 *
 * @param given what the act is about; what a person fills in stands inside, in fields that are named
 * `given.` and the argument
 */
export function ActForm({ call, act, given, children }: {
  call: Call;
  act: OfferedAct;
  given: ActArguments;
  children?: Child;
}) {
  const { context, language, viewer, words } = call;
  if (!mayDo(viewer.roles, act)) return null;
  const { pathname, search } = new URL(context.req.url);
  return (
    <form class="line act" method="post" action={`/${language}/acts/sign`}>
      <input type="hidden" name="act" value={act} />
      <input type="hidden" name="back" value={pathname + search} />
      {Object.entries(given).map(([name, value]) => (
        <input type="hidden" name={`given.${name}`} value={String(value)} />
      ))}
      {children}
      <button type="submit" class="plain">{words.acts[act]}</button>
    </form>
  );
}

/** What a person fills in for an act. */
export function Field({ name, label, about }: {
  /** The argument. */
  name: string;
  label: string;
  /** Tells the fields of one page apart. */
  about: string;
}) {
  const id = `${name}-${about}`;
  return (
    <>
      <label for={id}>{label}</label>
      <input id={id} name={`given.${name}`} required />
    </>
  );
}
