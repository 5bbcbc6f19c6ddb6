import { type SignedByPasskey } from "@sabika/office";
import { type ActOutcome, findActOutcome } from "@sabika/office/acts";
import type { Child } from "hono/jsx";
import type { Call, Page, Shown } from "../call.ts";
import { Moment } from "../layout/inline.tsx";
import type { KeptOutcome } from "../act_outcomes.ts";
import { isOffered, pathOf, readFields, refused, UUID } from "./form_fields.tsx";
import { Outcome } from "./outcome.tsx";
import { ShownOnce } from "./shown_once.tsx";

/** Carries out a signed act, or makes it wait for a second person; leads to the page that says what came of it. */
export const performAct: Page = {
  path: "/acts",
  method: "POST",
  act: "partner.read",
  returnTo: async (context, language) =>
    pathOf((await readFields({ context }))["again"]?.[0], { language }),
  async show(call) {
    const { context, office, viewer, words, language, outcomes } = call;
    const { operatorId } = viewer;
    const fields = await readFields(call);
    const form = Object.fromEntries(Object.entries(fields).map(([name, [text]]) => [name, text]));
    const back = pathOf(form["back"], call);
    const signed = readSigned(form);
    if (signed === undefined) return refused(call, back, words.act.notStaged);
    const { id, name } = signed;
    // An act that was sent twice is answered with what came of it.
    if (await find(call, id) === undefined) {
      const outcome = await office.performSigned(viewer, signed, context.get("from"))
        .catch(refusalOf);
      const isRefused = "ok" in outcome && !outcome.ok;
      const found = isRefused ? await find(call, id) : undefined;
      // What was sent at the same time, and was done there, is not refused.
      if (found === undefined || found.state === "refused") {
        outcomes.keep(id, { operatorId, name, outcome, again: pathOf(form["again"], call) });
      }
    }
    return context.redirect(`/${language}/acts/${id}?${new URLSearchParams({ back })}`, 303);
  },
};

/** Says what came of an act: what is kept of it here, or what the database has. */
export const actOutcome: Page = {
  path: "/acts/:id{[0-9a-f-]{36}}",
  act: "partner.read",
  async show(call) {
    const { context, viewer, words, outcomes } = call;
    const id = context.req.param("id") ?? "";
    if (!UUID.test(id)) return undefined;
    const back = pathOf(context.req.query("back"), call);
    const kept = outcomes.find(id, viewer.operatorId);
    if (kept !== undefined) return showKept(call, id, kept, back);
    const found = await find(call, id);
    if (found === undefined) {
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
      { title: titleOf(call, found.name), back },
      <Found call={call} found={found} />,
    );
  },
};

function find({ database: { sql }, environment, viewer, now }: Call, id: string) {
  const { operatorId } = viewer;
  return findActOutcome(sql, environment, { id, operatorId, nowMs: now() });
}

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
            <bdi>{outcome.unbooked}</bdi>
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
            <bdi>{outcome.detail}</bdi>
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

const BackLink = ({ call, back }: { call: Call; back: string }) => (
  <p>
    <a href={back}>{call.words.act.back}</a>
  </p>
);

/** What the database has of an act, whichever instance of the office carried it out. */
function Found({ call, found: { state, reason, untilMs } }: { call: Call; found: ActOutcome }) {
  const { words } = call;
  if (state === "waiting" && untilMs !== null) {
    return (
      <>
        <p>{words.act.waitsStill}</p>
        <p>
          {words.approvals.expires}: <Moment ms={untilMs} />
        </p>
      </>
    );
  }
  if (state === "done") {
    return (
      <>
        <p>{words.act.done}</p>
        <p class="soft">{words.act.notShownAgain}</p>
      </>
    );
  }
  return (
    <p>
      {state === "unbooked"
        ? words.act.unbooked
        : state === "refused"
        ? words.act.refusedByCell
        : words.approvals.states[state]}
      {reason !== null && (
        <>
          : <bdi>{reason}</bdi>
        </>
      )}
    </p>
  );
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
