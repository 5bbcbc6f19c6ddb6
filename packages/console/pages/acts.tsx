import { type ActArguments, isActName, mayDo } from "@sabika/core/admin";
import type { SignedByPasskey } from "@sabika/office";
import type { Call, Page, Shown } from "../call.ts";
import { Code, Moment } from "../layout/inline.tsx";
import type { OfferedAct } from "./act_form.tsx";
import { Given } from "./approvals.tsx";
import { PasskeyForm } from "./sign_in.tsx";

/** Where an act is shown as it will be signed, and the passkey is asked. Nothing is done by it. */
export const signAct: Page = {
  path: "/acts/sign",
  method: "POST",
  act: "partner.read",
  async show(call) {
    const { office, viewer, words } = call;
    const form = await readForm(call);
    const name = form["act"] ?? "";
    if (!isActName(name) || !(name in words.acts)) return undefined;
    if (!mayDo(viewer.roles, name)) return refused(call, form["back"], words.notices.notPermitted);
    const given: ActArguments = Object.fromEntries(
      Object.entries(form).flatMap(([field, value]) =>
        field.startsWith("given.") && value !== "" ? [[field.slice("given.".length), value]] : []
      ),
    );
    const { options, ...act } = await office.stageAct(viewer, name, given);
    const hidden = {
      ...{ id: act.id, name, arguments: act.arguments, signedAt: String(act.signedAt) },
      options: JSON.stringify(options),
      credential: "",
      back: pathOf(form["back"], call),
    };
    return {
      title: words.acts[name as OfferedAct],
      content: (
        <>
          <section class="card narrow">
            <p>
              <Code text={name} />
            </p>
            <Given given={given} />
          </section>
          <PasskeyForm
            words={words}
            ceremony="act"
            next={`/${call.language}/acts`}
            hidden={hidden}
          />
          <p>
            <a href={hidden.back}>{words.act.back}</a>
          </p>
        </>
      ),
    };
  },
};

/** Carries a signed act out, or has it wait for a second person. */
export const performAct: Page = {
  path: "/acts",
  method: "POST",
  act: "partner.read",
  async show(call) {
    const { context, office, viewer, words } = call;
    const { back, ...form } = await readForm(call);
    const { name = "" } = form;
    const signed = readSigned(form);
    if (signed === undefined) return refused(call, back, words.act.notStaged);
    const outcome = await office.performSigned(viewer, signed, context.get("from"))
      .catch(refusalOf);
    if (!outcome.ok) return refused(call, back, outcome.detail);
    const performed = outcome.value;
    const title = name in words.acts ? words.acts[name as OfferedAct] : name;
    return {
      title,
      content: (
        <section class="card narrow" role="status">
          {"waiting" in performed
            ? (
              <>
                <p>
                  {words.act.waits(performed.approvers.map((role) => words.roles[role]).join(", "))}
                </p>
                <p>
                  {words.approvals.expires}: <Moment ms={performed.untilMs} />
                </p>
              </>
            )
            : <p>{words.act.done}</p>}
          <p>
            <a href={pathOf(back, call)}>{words.act.back}</a>
          </p>
        </section>
      ),
    };
  },
};

function refused(call: Call, back: string | undefined, why: string): Shown {
  const { words } = call;
  return {
    title: words.act.refused,
    status: 400,
    content: (
      <section class="card narrow" role="alert">
        <p class="wrong">
          <bdi>{why}</bdi>
        </p>
        <p>
          <a href={pathOf(back, call)}>{words.act.back}</a>
        </p>
      </section>
    ),
  };
}

type Form = Readonly<Record<string, string | undefined>>;

async function readForm({ context }: Call): Promise<Form> {
  const fields = Object.entries(await context.req.parseBody());
  return Object.fromEntries(
    fields.filter((one): one is [string, string] => typeof one[1] === "string"),
  );
}

/** A page of this console, or its first one. */
function pathOf(back: string | undefined, { language }: Call): string {
  return back !== undefined && /^\/(?:en|ar)(?:[/?][\x21-\x7e]*)?$/.test(back)
    ? back
    : `/${language}`;
}

/** An act as it was staged, with what the passkey said; undefined when it is neither. */
function readSigned(form: Form): SignedByPasskey | undefined {
  const { id = "", name = "", arguments: text = "", signedAt = "", credential = "" } = form;
  if (!UUID.test(id) || !/^[0-9]{1,12}$/.test(signedAt)) return undefined;
  try {
    const said = JSON.parse(credential) as unknown;
    return { id, name, arguments: text, signedAt: Number(signedAt), credential: said };
  } catch {
    return undefined;
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A credential that cannot be read is refused by the office; all else is no refusal. */
function refusalOf(error: Error): { ok: false; detail: string } {
  if (error.name !== "Refused") throw error;
  return { ok: false, detail: error.message };
}
