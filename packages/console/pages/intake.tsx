import { type BarsPreview, previewBars } from "@sabika/office/acts";
import { listPools } from "@sabika/service/vault";
import type { Child } from "hono/jsx";
import type { Call, Page, Shown } from "../call.ts";
import { Select } from "../layout/filter.tsx";
import { fieldsIn, LONGEST_ADDRESS, queryOf } from "./act_address.ts";
import { fieldOf, type Fields } from "./act_arguments.ts";
import { ActForm } from "./act_form.tsx";
import { ListPreview } from "./bars_preview.tsx";
import { readFields } from "./form_fields.tsx";

const PATH = "/vault/intake";
const ACT = "vault.bars.add";

/** Where bars come in: asks for a weight list, and says what is wrong with it, line by line, before anybody signs. */
export const intake: Page = {
  path: PATH,
  act: ACT,
  show: (call) => showIntake(call, fieldsIn(call.context.req.url)),
};

/** Takes a weight list, and leads to the address that says what is wrong with it. */
export const checkIntake: Page = {
  path: PATH,
  method: "POST",
  act: ACT,
  show: async (call) => await leadToPreview(call, PATH, await readFields(call), showIntake),
};

/** Leads to the address that has the fields; shows the page at once if they are too long for one. */
export async function leadToPreview(
  call: Call,
  path: string,
  fields: Fields,
  show: (call: Call, fields: Fields) => Promise<Shown>,
): Promise<Shown | Response> {
  const named = { ...fields, list: [listIn(fields)] };
  const address = `/${call.language}${path}?${queryOf(named)}`;
  return address.length > LONGEST_ADDRESS
    ? await show(call, named)
    : call.context.redirect(address, 303);
}

/** The weight list of a form: the file, or else what was pasted. */
export const listIn = ({ list = [] }: Fields): string =>
  list.find((text) => text.trim() !== "") ?? "";

async function showIntake(call: Call, fields: Fields): Promise<Shown> {
  const { database: { sql }, words } = call;
  const [list, [pool = ""] = []] = [listIn(fields), fields["pool"]];
  const pools = (await listPools(sql)).map(({ poolId }) => poolId);
  const preview = list === "" ? undefined : await previewBars(sql, list);
  const into = pools.includes(pool) ? pool : pools[0] ?? "";
  const { intake } = words;
  return {
    title: words.custody.intake,
    status: preview === undefined || isRight(preview) ? 200 : 400,
    content: (
      <>
        {preview && <ListPreview call={call} preview={preview} />}
        {preview && isRight(preview) && (
          <SignForm
            call={call}
            act={ACT}
            back={`/${call.language}/vault`}
            fixed={{ pool: into }}
            fields={{ bars: list }}
          />
        )}
        <div class="columns">
          <section class="card" aria-labelledby="from-list">
            <h2 id="from-list">{preview === undefined ? intake.fromList : intake.again}</h2>
            <ListForm call={call} path={PATH} list={list}>
              <Select
                name="pool"
                label={words.fields.pool}
                options={pools.map((id) => [id, id] as const)}
                chosen={into}
              />
            </ListForm>
          </section>
          {preview === undefined && (
            <section class="card" aria-labelledby="one">
              <h2 id="one">{intake.one}</h2>
              <ActForm call={call} act="vault.bar.add" isTall back={`/${call.language}/vault`} />
            </section>
          )}
        </div>
      </>
    ),
  };
}

/** Whether nothing is wrong with a list. */
export const isRight = ({ detail, lines }: BarsPreview): boolean =>
  detail === undefined && lines.every((line) => line.detail === undefined);

/** The form of a weight list, by file or pasted, with other fields before it. */
export function ListForm({ call: { language, words }, path, list, children }: {
  call: Call;
  path: string;
  list: string;
  children?: Child;
}) {
  const { intake, weightList } = words;
  return (
    <form
      class="tall act"
      method="post"
      action={`/${language}${path}`}
      enctype="multipart/form-data"
    >
      {children}
      <label for="list-file">{intake.file}</label>
      <input id="list-file" type="file" name="list" accept=".csv,text/csv" />
      <label for="list-text">{intake.pasted}</label>
      <textarea
        id="list-text"
        name="list"
        rows={8}
        spellcheck={false}
        dir="ltr"
        aria-describedby="list-hint"
      >
        {list}
      </textarea>
      <small id="list-hint">{weightList.hint}</small>
      <button type="submit" class="plain">{intake.check}</button>
    </form>
  );
}

/** Leads on to the page where an act is signed, once nothing is wrong with what it is made of. */
export function SignForm({ call: { language, words }, act, back, fixed, fields }: {
  call: Call;
  act: "vault.bars.add" | "vault.bar.replace";
  back: string;
  /** Arguments that no form asks for again. */
  fixed: Readonly<Record<string, string>>;
  fields: Readonly<Record<string, string>>;
}) {
  return (
    <form
      class="act apart"
      method="post"
      action={`/${language}/acts/sign`}
      enctype="multipart/form-data"
    >
      <input type="hidden" name="act" value={act} />
      <input type="hidden" name="back" value={back} />
      {Object.keys(fixed).map((name) => <input type="hidden" name="fixed" value={name} />)}
      {Object.entries({ ...fixed, ...fields }).map(([name, value]) => (
        <textarea name={fieldOf(name)} hidden>{value}</textarea>
      ))}
      <button type="submit">{words.acts[act]}</button>
    </form>
  );
}
