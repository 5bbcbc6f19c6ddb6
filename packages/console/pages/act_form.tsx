import type { ActArguments } from "@sabika/identity/signatures";
import { argumentsOfAct } from "@sabika/office/acts";
import type { Shape } from "@sabika/protocol";
import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import { fill } from "../languages/fill.ts";
import type { Messages } from "../languages/languages.ts";
import { Select } from "../layout/filter.tsx";
import {
  argumentOf,
  type FieldMistake,
  fieldOf,
  type Fields,
  isNeeded,
  linesOf,
  type Mistakes,
  wasOf,
} from "./act_arguments.ts";
import { type Offers, type Options, readOffers } from "./act_offers.ts";
import { hintsOf, labelsOf } from "./field_labels.ts";

/** An act that pages offer. */
export type OfferedAct = keyof Messages["acts"];

/** What was typed into a form before, and what is wrong with it. */
interface Answered {
  /** The fields as they were typed; empty in a new form. */
  readonly typed?: Fields;
  readonly mistakes?: Mistakes;
}

/** The arguments of an act that its form asks for: those that have a name in the language. */
export function askedIn(
  words: Messages,
  act: string,
  fixed: Readonly<Record<string, unknown>>,
): string[] {
  const labelled = Object.keys(labelsOf(words));
  return Object.keys(argumentsOfAct(act) ?? {})
    .filter((name) => !Object.hasOwn(fixed, name))
    .flatMap((name) => labelled.filter((label) => label === name || label.startsWith(`${name}.`)));
}

/** The arguments that a form requires. */
export const neededIn = (act: string, asked: readonly string[], { required = [] }: Offers) =>
  asked.filter((name) => required.includes(name) || isNeeded(act, name));

/**
 * A button that leads to the page where an act is signed, with a field for each of its arguments that
 * has a name in the language; nothing for a viewer whose roles do not permit the act.
 *
 * @param fixed arguments that the page sets, without a field
 * @param isTall whether the fields stand below one another
 * @param back the page to return to when the act is done; this one when left out
 */
export async function ActForm({ call, act, fixed = {}, isTall = false, back, ...answered }:
  & Answered
  & {
    call: Call;
    act: OfferedAct;
    fixed?: ActArguments;
    isTall?: boolean;
    back?: string;
  }) {
  const { context, language, viewer, words } = call;
  if (!mayDo(viewer.roles, act)) return null;
  const { pathname, search } = new URL(context.req.url);
  const asked = askedIn(words, act, fixed);
  return (
    <form
      class={isTall ? "tall act" : "line act"}
      method="post"
      action={`/${language}/acts/sign`}
      enctype={asked.some((name) => takesFile(act, name)) ? "multipart/form-data" : undefined}
      novalidate
    >
      <input type="hidden" name="act" value={act} />
      <input type="hidden" name="back" value={back ?? pathname + search} />
      {Object.entries(fixed).map(([name, value]) => (
        <>
          <input type="hidden" name="fixed" value={name} />
          <input type="hidden" name={fieldOf(name)} value={String(value)} />
        </>
      ))}
      <ActFields
        {...answered}
        words={words}
        act={act}
        names={asked}
        idSuffix={[act, ...Object.values(fixed)].join("-")}
        offers={await readOffers(call, act, fixed)}
      />
      <button type="submit" class="plain">{words.acts[act]}</button>
    </form>
  );
}

/**
 * Fields for arguments of an act. A field that was typed into has what was typed, another what is offered; the
 * first wrong one has the focus.
 *
 * @param idSuffix makes the ids of the fields unique on the page
 * @param hints hints that replace those of the catalogue
 */
export function ActFields(
  { words, act, names, idSuffix, offers, hints = {}, typed = {}, mistakes = {} }: Answered & {
    words: Messages;
    act: OfferedAct;
    names: readonly string[];
    idSuffix: string;
    offers: Offers;
    hints?: Readonly<Record<string, string>>;
  },
) {
  const labels = labelsOf(words);
  const { values = {}, options = {}, suggestions = {} } = offers;
  const needed = neededIn(act, names, offers);
  const firstWrong = names.find((name) => mistakes[name] !== undefined);
  const isNew = !names.some((name) => typed[fieldOf(name)] !== undefined);
  return (
    <>
      {names.map((name) => {
        const shown = values[name] ?? "";
        const before = typed[wasOf(name)]?.[0] ?? (isNew ? shown : "");
        return (
          <>
            {before !== "" && <input type="hidden" name={wasOf(name)} value={before} />}
            <Field
              id={`${name}-${idSuffix}`}
              name={name}
              label={takesList(act, name) ? words.weightList.label : labels[name] ?? name}
              hint={takesList(act, name)
                ? words.weightList.hint
                : { ...hintsOf(words, act), ...hints }[name]}
              shape={argumentOf(act, name).shape}
              values={isNew ? [shown] : typed[fieldOf(name)] ?? []}
              options={options[name]}
              suggestions={suggestions[name]}
              isRequired={needed.includes(name)}
              mistake={mistakes[name]}
              hasFocus={name === firstWrong}
              words={words}
            />
          </>
        );
      })}
    </>
  );
}

/** Whether an argument is a list of bars, which a file has. */
const takesList = (act: string, name: string) =>
  argumentOf(act, name).shape.items?.type === "object";
/** Whether an argument is what a file has: a list of bars, or what somebody outside signed. */
const takesFile = (act: string, name: string) => takesList(act, name) || name === "signature";

/** A mistake in words, with what an act said about it. */
export function MistakeWords({ words, mistake }: { words: Messages; mistake: FieldMistake }) {
  const { code, detail, least = "", most = "", decimals = "", which = "" } = mistake;
  return (
    <>
      {fill(words.mistakes[code], { least, most, decimals, which })}
      {detail !== undefined && (
        <>
          {" "}
          <bdi>{detail}</bdi>
        </>
      )}
    </>
  );
}

/** Arguments whose text may have several lines. */
const LONG_TEXTS = ["csr", "key", "signature", "signing_key"];

interface FieldParts {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly shape: Shape;
  readonly values: readonly string[];
  readonly options: Options | undefined;
  readonly suggestions: readonly string[] | undefined;
  readonly isRequired: boolean;
  readonly mistake: FieldMistake | undefined;
  readonly hasFocus: boolean;
  readonly words: Messages;
}

/** The field of one argument, by its type, with its hint and what is wrong with it. */
function Field(parts: FieldParts) {
  const { id, name, label, hint, shape, values, isRequired, mistake, words } = parts;
  const { type, items } = shape;
  const [value = ""] = values;
  const field = fieldOf(name);
  const hintId = hint === undefined ? "" : `${id}-hint`;
  const mistakeId = mistake === undefined ? "" : `${id}-wrong`;
  const attributes = {
    id,
    name: field,
    required: isRequired,
    dir: "auto" as const,
    "aria-describedby": `${hintId} ${mistakeId}`.trim() || undefined,
    "aria-invalid": mistake === undefined ? undefined : "true" as const,
    autofocus: parts.hasFocus || undefined,
  };
  const options = parts.options ?? (shape.enum && optionsOf(shape, words));
  return (
    <>
      {items?.enum !== undefined
        ? <Choices name={field} label={label} options={optionsOf(items, words)} chosen={values} />
        : options !== undefined
        ? <Select id={id} name={field} label={label} options={options} chosen={value} />
        : type === "boolean"
        ? <Checkbox name={field} label={label} isChecked={value === "on"} />
        : (
          <>
            <label for={id}>{label}</label>
            {items?.type === "object" && (
              <input type="file" name={field} accept=".csv,text/csv" aria-label={label} />
            )}
            {name === "signature" && <input type="file" name={field} aria-label={label} />}
            {type === "array" || LONG_TEXTS.includes(name)
              ? (
                <textarea {...attributes} rows={5} spellcheck={false}>
                  {values.length > 1 ? linesOf(name, values).join("\n") : value}
                </textarea>
              )
              : <TextInput {...parts} attributes={attributes} value={value} />}
          </>
        )}
      {hint && <small id={hintId}>{hint}</small>}
      {mistake && (
        <small id={mistakeId} class="wrong">
          <MistakeWords words={words} mistake={mistake} />
        </small>
      )}
    </>
  );
}

function TextInput({ id, shape, suggestions, attributes, value }: FieldParts & {
  attributes: object;
  value: string;
}) {
  const listId = suggestions === undefined ? undefined : `${id}-list`;
  return (
    <>
      <input
        {...attributes}
        value={value}
        inputmode={shape.type === "integer" ? "numeric" : undefined}
        list={listId}
      />
      {suggestions && (
        <datalist id={listId}>{suggestions.map((name) => <option value={name} />)}</datalist>
      )}
    </>
  );
}

/** Returns the choices of a closed list; roles have their words, other values are shown as they are. */
function optionsOf({ enum: values = [] }: Shape, { roles }: Messages): Options {
  const words = roles as Readonly<Record<string, string>>;
  return values.map(String).map((value) => [value, words[value] ?? value]);
}

/** A checkbox for each of several values. */
function Choices({ name, label, options, chosen }: {
  name: string;
  label: string;
  options: Options;
  chosen: readonly string[];
}) {
  return (
    <fieldset>
      <legend>{label}</legend>
      {options.map(([value, label]) => (
        <Checkbox name={name} value={value} label={label} isChecked={chosen.includes(value)} />
      ))}
    </fieldset>
  );
}

function Checkbox({ name, value, label, isChecked }: {
  name: string;
  value?: string;
  label: string;
  isChecked: boolean;
}) {
  return (
    <label class="choice">
      <input type="checkbox" name={name} value={value} checked={isChecked} />
      {label}
    </label>
  );
}
