import type { ActArguments } from "@sabika/identity/signatures";
import { shapeOfAct } from "@sabika/office/acts";
import type { Shape } from "@sabika/protocol";
import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import type { Messages } from "../languages/languages.ts";
import { Select } from "../layout/filter.tsx";
import { fieldOf, shapeOfArgument } from "./act_arguments.ts";
import { labelsOf } from "./field_labels.ts";

/** An act that pages offer. */
export type OfferedAct = keyof Messages["acts"];

/** The values that can be chosen for an argument, each with its label. */
type Options = readonly (readonly [value: string, label: string])[];

/** The values, choices and hints that a page adds to the types of an act's arguments. */
interface FieldOptions {
  /** The initial values of fields, by argument. */
  readonly values?: Readonly<Record<string, string | undefined>>;
  /** The values to choose from, if not those of the argument's type. */
  readonly options?: Readonly<Record<string, Options>>;
  /** Hints that replace those of the catalogue. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Arguments that this form requires, though the act does not. */
  readonly required?: readonly string[];
}

/**
 * A button that leads to the page where an act is signed, with a field for each of its arguments that
 * has a name in the language; nothing for a viewer whose roles do not permit the act.
 *
 * @param fixed arguments that the page sets, without a field
 * @param isTall whether the fields stand below one another
 */
export function ActForm({ call, act, fixed = {}, isTall = false, ...fieldOptions }: FieldOptions & {
  call: Call;
  act: OfferedAct;
  fixed?: ActArguments;
  isTall?: boolean;
}) {
  const { context, language, viewer, words } = call;
  if (!mayDo(viewer.roles, act)) return null;
  // The page to return to when the act is done.
  const { pathname, search } = new URL(context.req.url);
  const labels = labelsOf(words);
  const names = Object.keys(shapeOfAct(act)?.properties ?? {})
    .filter((name) => !Object.hasOwn(fixed, name) && Object.hasOwn(labels, name));
  return (
    <form
      class={isTall ? "tall act" : "line act"}
      method="post"
      action={`/${language}/acts/sign`}
    >
      <input type="hidden" name="act" value={act} />
      <input type="hidden" name="back" value={pathname + search} />
      {Object.entries(fixed).map(([name, value]) => (
        <input type="hidden" name={fieldOf(name)} value={String(value)} />
      ))}
      <ActFields
        {...fieldOptions}
        words={words}
        act={act}
        names={names}
        idSuffix={[act, ...Object.values(fixed)].join("-")}
      />
      <button type="submit" class="plain">{words.acts[act]}</button>
    </form>
  );
}

/**
 * Fields for arguments of an act.
 *
 * @param idSuffix makes the ids of the fields unique on the page
 */
export function ActFields(
  { words, act, names, idSuffix, values = {}, options = {}, hints = {}, required = [] }:
    & FieldOptions
    & {
      words: Messages;
      act: OfferedAct;
      names: readonly string[];
      idSuffix: string;
    },
) {
  const labels = labelsOf(words);
  const isNeeded = (name: string) =>
    shapeOfAct(act)?.required?.includes(name) === true &&
    // An empty field for a list means an empty list, not a missing one.
    shapeOfArgument(act, name).type !== "array";
  return (
    <>
      {names.map((name) => (
        <Field
          id={`${name}-${idSuffix}`}
          name={name}
          label={labels[name] ?? name}
          hint={{ ...words.hints, ...hints }[name]}
          shape={shapeOfArgument(act, name)}
          value={values[name] ?? ""}
          options={options[name]}
          isRequired={required.includes(name) || isNeeded(name)}
          words={words}
        />
      ))}
    </>
  );
}

/** Arguments whose text may have several lines. */
const LONG_TEXTS = ["csr", "key", "signing_key"];

/** The field of one argument, by its type. */
function Field({ id, name, label, hint, shape, value, options, isRequired, words }: {
  id: string;
  name: string;
  label: string;
  hint: string | undefined;
  shape: Shape;
  value: string;
  options: Options | undefined;
  isRequired: boolean;
  words: Messages;
}) {
  const { type, items } = shape;
  const field = fieldOf(name);
  if (items?.enum !== undefined) {
    return <Choices name={field} label={label} options={optionsOf(items, words)} />;
  }
  if (type === "boolean") return <Checkbox name={field} label={label} />;
  const choice = options ?? (shape.enum && optionsOf(shape, words));
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const attributes = {
    id,
    name: field,
    required: isRequired,
    dir: "auto" as const,
    "aria-describedby": hintId,
  };
  return (
    <>
      {choice !== undefined
        ? <Select id={id} name={field} label={label} options={choice} chosen={value} />
        : (
          <>
            <label for={id}>{label}</label>
            {type === "array" || LONG_TEXTS.includes(name)
              ? <textarea {...attributes} rows={5} spellcheck={false}>{value}</textarea>
              : (
                <input
                  {...attributes}
                  value={value}
                  inputmode={type === "integer" ? "numeric" : undefined}
                />
              )}
          </>
        )}
      {hint && <small id={hintId}>{hint}</small>}
    </>
  );
}

/** Returns the choices of a closed list; roles have their words, other values are shown as they are. */
function optionsOf({ enum: values = [] }: Shape, { roles }: Messages): Options {
  const words = roles as Readonly<Record<string, string>>;
  return values.map(String).map((value) => [value, words[value] ?? value]);
}

/** A checkbox for each of several values. */
function Choices({ name, label, options }: { name: string; label: string; options: Options }) {
  return (
    <fieldset>
      <legend>{label}</legend>
      {options.map(([value, label]) => <Checkbox name={name} value={value} label={label} />)}
    </fieldset>
  );
}

function Checkbox({ name, value, label }: { name: string; value?: string; label: string }) {
  return (
    <label class="choice">
      <input type="checkbox" name={name} value={value} />
      {label}
    </label>
  );
}
