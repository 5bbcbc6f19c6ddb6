import { previewReplacement } from "@sabika/office/acts";
import { csvLine } from "@sabika/terms";
import type { Call, Page, Shown } from "../call.ts";
import { grams } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { readQuantity } from "../forms/read_quantity.ts";
import { fieldsIn } from "./act_address.ts";
import { type Fields, linesOf } from "./act_arguments.ts";
import { Leaving, ListPreview } from "./bars_preview.tsx";
import { readFields } from "./form_fields.tsx";
import { isRight, leadToPreview, ListForm, listIn, SignForm } from "./intake.tsx";

const PATH = "/vault/replacement";
const ACT = "vault.bar.replace";
/** The fields of one new bar, where there is no list. */
const BAR = ["serial", "refiner", "fineness", "weight_grams", "place", "document"] as const;

/** Where bars are replaced by others: those that leave, and a list of those that come, or one bar. */
export const replacement: Page = {
  path: PATH,
  act: ACT,
  show: (call) => showReplacement(call, fieldsIn(call.context.req.url)),
};

/** Takes what is to be replaced, and leads to the address that says what is wrong with it. */
export const checkReplacement: Page = {
  path: PATH,
  method: "POST",
  act: ACT,
  async show(call) {
    const fields = await readFields(call);
    const list = listIn(fields) || oneBar(fields);
    const { serials = [] } = fields;
    return await leadToPreview(call, PATH, { serials, list: [list] }, showReplacement);
  },
};

/** Writes the one bar that was typed as a weight list; empty without one. */
function oneBar(fields: Fields): string {
  const [serial = "", refiner = "", fineness = "", typed = "", place = "", document = ""] = BAR.map(
    (name) => fields[name]?.[0]?.trim() ?? "",
  );
  if (serial === "" && typed === "") return "";
  const weight = readQuantity(typed, { unit: "g", decimals: 6 });
  const parts = readQuantity(fineness, { unit: "‰", decimals: 1 });
  return csvLine(["serial", "refiner", "fineness", "gross_grams", "place", "document"]) + csvLine([
    linesOf("serial", [serial])[0] ?? "",
    refiner,
    parts.ok ? parts.value : fineness,
    weight.ok ? weight.value : typed,
    place,
    document,
  ]);
}

async function showReplacement(call: Call, fields: Fields): Promise<Shown> {
  const { database: { sql }, language, words } = call;
  const list = listIn(fields);
  const serials = linesOf("serial", fields["serials"] ?? []);
  const preview = list === "" ? undefined : await previewReplacement(sql, serials, list);
  const canBeSigned = preview !== undefined && isRight(preview) &&
    preview.leaving.every(({ detail }) => detail === undefined);
  const { custody, intake } = words;
  return {
    title: custody.replacement,
    status: preview === undefined || canBeSigned ? 200 : 400,
    content: (
      <>
        {preview && (
          <>
            <Leaving
              call={call}
              leaving={preview.leaving}
              micrograms={preview.leavingMicrograms}
            />
            <ListPreview call={call} preview={preview} />
          </>
        )}
        {canBeSigned && (
          <>
            <p>
              {fill(intake.more, {
                fine: grams(preview.fineMicrograms - preview.leavingMicrograms),
              })}
            </p>
            <SignForm
              call={call}
              act={ACT}
              back={`/${language}/vault`}
              fixed={{}}
              fields={{ serials: serials.join("\n"), bars: list }}
            />
          </>
        )}
        <section class="card narrow" aria-labelledby="what">
          <h2 id="what">{preview === undefined ? intake.what : intake.again}</h2>
          <p>{intake.whatLead}</p>
          <ListForm call={call} path={PATH} list={list}>
            <label for="serials">{words.fields.serials}</label>
            <textarea
              id="serials"
              name="serials"
              rows={4}
              spellcheck={false}
              dir="ltr"
              required
              aria-describedby="serials-hint"
            >
              {serials.join("\n")}
            </textarea>
            <small id="serials-hint">{words.hints.unexpected}</small>
            <fieldset>
              <legend>{intake.one}</legend>
              {BAR.map((name) => (
                <>
                  <label for={`new-${name}`}>{words.fields[name]}</label>
                  <input id={`new-${name}`} name={name} dir="auto" />
                </>
              ))}
            </fieldset>
          </ListForm>
        </section>
      </>
    ),
  };
}
