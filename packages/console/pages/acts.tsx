import type { SignedByPasskey } from "@sabika/office";
import type { Call, Page, Shown } from "../call.ts";
import { type Fields, readArguments } from "./act_arguments.ts";
import type { OfferedAct } from "./act_form.tsx";
import { Outcome } from "./outcome.tsx";
import { ShownOnce } from "./shown_once.tsx";
import { stageAct } from "./staged_act.tsx";

/** Shows an act as it will be signed, and asks for the passkey. Nothing is carried out yet. */
export const signAct: Page = {
  path: "/acts/sign",
  method: "POST",
  act: "partner.read",
  async show(call) {
    const fields = await readFields(call);
    const [name = ""] = fields["act"] ?? [];
    if (!isOffered(name, call)) return undefined;
    const back = pathOf(fields["back"]?.[0], call);
    const staged = await stageAct(call, { name, input: readArguments(name, fields), back });
    return staged.ok ? staged.value : refused(call, back, staged.detail);
  },
};

/** Carries out a signed act, or makes it wait for a second person. */
export const performAct: Page = {
  path: "/acts",
  method: "POST",
  act: "partner.read",
  async show(call) {
    const { context, office, viewer, words } = call;
    const fields = await readFields(call);
    const form = Object.fromEntries(Object.entries(fields).map(([name, [text]]) => [name, text]));
    const back = pathOf(form["back"], call);
    const { name = "" } = form;
    const signed = readSigned(form);
    if (signed === undefined) return refused(call, back, words.act.notStaged);
    const outcome = await office.performSigned(viewer, signed, context.get("from"))
      .catch(refusalOf);
    if (!outcome.ok) return refused(call, back, outcome.detail);
    const performed = outcome.value;
    return {
      title: isOffered(name, call) ? words.acts[name] : name,
      content: (
        <>
          <Outcome call={call} name={name} performed={performed} />
          {"done" in performed && <ShownOnce call={call} act={name} result={performed.done} />}
          <p>
            <a href={back}>{words.act.back}</a>
          </p>
        </>
      ),
    };
  },
};

function refused(call: Call, back: string, reason: string): Shown {
  const { words } = call;
  return {
    title: words.act.refused,
    status: 400,
    content: (
      <section class="card narrow" role="alert">
        <p class="wrong">
          <bdi>{reason}</bdi>
        </p>
        <p>
          <a href={back}>{words.act.back}</a>
        </p>
      </section>
    ),
  };
}

function isOffered(name: string, { words }: Call): name is OfferedAct {
  return Object.hasOwn(words.acts, name);
}

/** Reads the values of a form's fields, by their names; files are left out. */
export async function readFields({ context }: Call): Promise<Fields> {
  const body = await context.req.parseBody({ all: true });
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      [value].flat().filter((text) => typeof text === "string"),
    ]),
  );
}

/** Returns the path to go back to, if it is in this console; else the overview's path. */
function pathOf(back: string | undefined, { language }: Call): string {
  return back !== undefined && /^\/(?:en|ar)(?:[/?][\x21-\x7e]*)?$/.test(back)
    ? back
    : `/${language}`;
}

/** Reads an act as it was staged, with the passkey's answer; undefined for a form without a valid one. */
function readSigned(form: Readonly<Record<string, string | undefined>>) {
  const { id = "", name = "", arguments: text = "", signedAt = "", credential = "" } = form;
  if (!UUID.test(id) || !/^[0-9]{1,12}$/.test(signedAt)) return undefined;
  try {
    const answer = JSON.parse(credential) as unknown;
    return {
      id,
      name,
      arguments: text,
      signedAtSeconds: Number(signedAt),
      credential: answer,
    } satisfies SignedByPasskey;
  } catch {
    return undefined;
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns a refusal that the office threw, such as for an unreadable credential; throws other errors. */
function refusalOf(error: Error): { ok: false; detail: string } {
  if (error.name !== "Refused") throw error;
  return { ok: false, detail: error.message };
}
