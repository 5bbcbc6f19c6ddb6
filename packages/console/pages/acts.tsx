import { type SignedByPasskey } from "@sabika/office";
import type { Child } from "hono/jsx";
import type { Call, Page, Shown } from "../call.ts";
import { sayRefusal } from "../languages/say_refusal.ts";
import type { KeptOutcome } from "../act_outcomes.ts";
import { BackLink, isOffered, pathOf, readFields, refused, UUID } from "./form_fields.tsx";
import { findOutcome, findRecorded, Found, Outcome } from "./outcome.tsx";
import { ShownOnce } from "./shown_once.tsx";

/** Carries out a signed act, or makes it wait for a second person; leads to the page that says what came of it. */
export const performAct: Page = {
  path: "/acts",
  method: "POST",
  act: "office.read",
  returnTo: async (context, language) =>
    pathOf((await readFields({ context }))["again"]?.[0], { language }),
  async show(call) {
    const { context, words, language } = call;
    const fields = await readFields(call);
    const form = Object.fromEntries(Object.entries(fields).map(([name, [text]]) => [name, text]));
    const back = pathOf(form["back"], call);
    const signed = readSigned(form);
    if (signed === undefined) return refused(call, back, words.act.notStaged);
    await performOnce(call, signed, pathOf(form["again"], call));
    return context.redirect(`/${language}/acts/${signed.id}?${new URLSearchParams({ back })}`, 303);
  },
};

/**
 * Carries out a signed act, and keeps what came of it. An act that was sent twice is not done again.
 *
 * @param again the address that shows it again
 * @returns what came of it; undefined when it was sent before
 */
export async function performOnce(
  call: Call,
  signed: SignedByPasskey,
  again: string,
): Promise<KeptOutcome["outcome"] | undefined> {
  const { context, office, viewer, outcomes } = call;
  const { id, name } = signed;
  if (await findRecorded(call, id) !== undefined) return undefined;
  const outcome = await office.performSigned(viewer, signed, context.get("from"))
    .catch(refusalOf);
  const isRefused = "ok" in outcome && !outcome.ok;
  const found = isRefused ? await findRecorded(call, id) : undefined;
  // What was sent at the same time, and was done there, is not refused.
  if (found !== undefined && found.state !== "refused") return undefined;
  outcomes.keep(id, { operatorId: viewer.operatorId, name, outcome, again });
  return outcome;
}

/** Says what came of an act: what is kept of it here, or what the database has. */
export const actOutcome: Page = {
  path: "/acts/:id{[0-9a-f-]{36}}",
  act: "office.read",
  async show(call) {
    const { context, words } = call;
    const id = context.req.param("id") ?? "";
    if (!UUID.test(id)) return undefined;
    const back = pathOf(context.req.query("back"), call);
    const came = await findOutcome(call, id);
    if (came !== undefined && "outcome" in came) return showKept(call, id, came, back);
    if (came === undefined) {
      return outcomePage(
        call,
        { title: words.act.nothing, back },
        (
          <p>{words.act.nothingBecause}</p>
        ),
      );
    }
    return outcomePage(
      call,
      { title: titleOf(call, came.name), back },
      <Found call={call} found={came} />,
    );
  },
};

const titleOf = (call: Call, name: string) => isOffered(name, call) ? call.words.acts[name] : name;

function showKept(
  call: Call,
  id: string,
  { name, outcome, again }: KeptOutcome,
  back: string,
): Shown {
  const { words } = call;
  const title = titleOf(call, name);
  if ("unbooked" in outcome) {
    return outcomePage(
      call,
      { title, back },
      (
        <>
          <p>{words.act.unbooked}</p>
          <p>
            <bdi>{sayRefusal(call.language, outcome.unbooked)}</bdi>
          </p>
        </>
      ),
    );
  }
  if (!outcome.ok) {
    return outcomePage(
      call,
      { title: words.act.refused, back, status: 400 },
      (
        <>
          <p class="wrong">
            <bdi>{sayRefusal(call.language, outcome.detail)}</bdi>
          </p>
          <p>
            <a href={again}>{words.act.toForm}</a>
          </p>
        </>
      ),
    );
  }
  const performed = outcome.value;
  return {
    title,
    content: (
      <>
        <Outcome call={call} name={name} performed={performed} />
        {"done" in performed && (
          <ShownOnce
            call={call}
            id={id}
            act={name}
            result={performed.done}
          />
        )}
        <BackLink call={call} back={back} />
      </>
    ),
  };
}

function outcomePage(
  call: Call,
  { title, back, status = 200 }: { title: string; back: string; status?: 200 | 400 },
  says: Child,
): Shown {
  return {
    title,
    status,
    content: (
      <>
        <section class="card narrow" role={status === 400 ? "alert" : "status"}>{says}</section>
        <BackLink call={call} back={back} />
      </>
    ),
  };
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

/** Returns a refusal that the office threw, such as for an unreadable credential; throws other errors. */
function refusalOf(
  error: Error & { code?: string },
): { ok: false; detail: string } | { unbooked: string } {
  if (error.name !== "Refused") throw error;
  return error.code === "unbooked"
    ? { unbooked: error.message }
    : { ok: false, detail: error.message };
}
