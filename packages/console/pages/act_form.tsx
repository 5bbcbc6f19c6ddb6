import type { ActArguments } from "@sabika/identity/signatures";
import { mayDo } from "@sabika/terms";
import type { Child } from "hono/jsx";
import type { Call } from "../call.ts";
import type { Messages } from "../languages/languages.ts";

/** An act that pages offer. */
export type OfferedAct = keyof Messages["acts"];

/**
 * A button that leads to the page where an act is signed; nothing for whom no role opens it.
 *
 * @param given what the act is about; what a person fills in stands inside, in fields that are named as
 * `readArguments` reads them
 * @param isTall whether its fields stand below one another
 */
export function ActForm({ call, act, given, children, isTall = false }: {
  call: Call;
  act: OfferedAct;
  given: ActArguments;
  children?: Child;
  isTall?: boolean;
}) {
  const { context, language, viewer, words } = call;
  if (!mayDo(viewer.roles, act)) return null;
  // What a form was answered with has no address of its own.
  const { pathname, search } = new URL(context.req.url);
  return (
    <form
      class={isTall ? "tall act" : "line act"}
      method="post"
      action={`/${language}/acts/sign`}
    >
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

interface FieldOf {
  /** The argument. */
  readonly name: string;
  readonly label: string;
  /** Tells the fields of one page apart. */
  readonly about: string;
  /** What becomes of it, as `readArguments` reads it; a text when left out. */
  readonly kind?: "given" | "number" | "lines";
  /** Several lines, as a key or a list has. */
  readonly isLong?: boolean;
  readonly isOptional?: boolean;
  readonly hint?: string | undefined;
  readonly value?: string | undefined;
}

/** What a person fills in for an act. */
export function Field(
  { name, label, about, kind = "given", isLong = false, isOptional = false, hint, value = "" }:
    FieldOf,
) {
  const id = `${name}-${about}`;
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const field = {
    ...{ id, name: `${kind}.${name}`, required: !isOptional, dir: "auto" as const },
    "aria-describedby": hintId,
  };
  return (
    <>
      <label for={id}>{label}</label>
      {isLong
        ? <textarea {...field} rows={5} spellcheck={false}>{value}</textarea>
        : <input {...field} value={value} inputmode={kind === "number" ? "numeric" : undefined} />}
      {hint && <small id={hintId}>{hint}</small>}
    </>
  );
}

/** One of several, for an act. */
export function Choice({ name, label, about, kind = "given", options, chosen }: {
  name: string;
  label: string;
  about: string;
  kind?: "given" | "number";
  options: readonly (readonly [value: string, label: string])[];
  chosen?: string;
}) {
  const id = `${name}-${about}`;
  return (
    <>
      <label for={id}>{label}</label>
      <select id={id} name={`${kind}.${name}`}>
        {options.map(([value, label]) => (
          <option value={value} selected={value === chosen}>{label}</option>
        ))}
      </select>
    </>
  );
}

/** Any of several, for an act. */
export function Choices({ name, label, options, chosen = [] }: {
  name: string;
  label: string;
  options: readonly (readonly [value: string, label: string])[];
  chosen?: readonly string[];
}) {
  return (
    <fieldset>
      <legend>{label}</legend>
      {options.map(([value, label]) => (
        <label class="choice">
          <input
            type="checkbox"
            name={`some.${name}`}
            value={value}
            checked={chosen.includes(value)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
