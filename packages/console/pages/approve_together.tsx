import { type Approval, listApprovals, listApprovalsFor } from "@sabika/office/acts";
import type { StagedAct } from "@sabika/office";
import { type Dossier, writeLine } from "@sabika/office/dossier";
import {
  formatHalalas,
  formatMicrograms,
  parseHalalas,
  parseMicrograms,
  uuidV7,
} from "@sabika/protocol";
import type { Call, Page, Shown } from "../call.ts";
import { sayRefusal } from "../languages/say_refusal.ts";
import { fill } from "../languages/fill.ts";
import { DossierLines } from "../layout/dossier.tsx";
import { Facts } from "../layout/table.tsx";
import { fieldsIn, isSealed, queryOf, seal } from "./act_address.ts";
import type { OfferedAct } from "./act_form.tsx";
import { Brief, outcomesAddress, PATH, readPairs } from "./approved_together.tsx";
import { BackLink, pathOf, readFields, refused } from "./form_fields.tsx";
import { findOutcome } from "./outcome.tsx";
import { PasskeyForm } from "./sign_in.tsx";

/** How many can be read within the five minutes for which a signature is good. */
const MOST = 20;
/** So that the form that is sent is not longer than the office takes, in characters. */
const MOST_CHARACTERS = 45_000;

/** Reads the requests that the viewer may approve, by act; of each act those that expire first are first. */
export async function readAlike(
  { database: { sql }, environment, viewer, now }: Call,
): Promise<Map<string, Approval[]>> {
  const requests = await listApprovalsFor(sql, environment, viewer, { nowMs: now() });
  const alike = new Map<string, Approval[]>();
  for (const request of requests.sort((a, b) => a.expiresAtMs - b.expiresAtMs)) {
    alike.set(request.act, [...alike.get(request.act) ?? [], request]);
  }
  return alike;
}

/** The id of the form that approves ticked requests of an act. */
export const formOf = (act: string) => `together-${act}`;

/** For each act that several requests ask for: the form that leads to all of them, or to those ticked. */
export async function TogetherForms({ call }: { call: Call }) {
  const { language, context, words: { acts, together } } = call;
  const { pathname, search } = new URL(context.req.url);
  const alike = [...await readAlike(call)].filter(([, requests]) => requests.length > 1);
  return (
    <>
      {alike.map(([act, { length }]) => (
        <form id={formOf(act)} class="line act" method="post" action={`/${language}${PATH}`}>
          <input type="hidden" name="act" value={act} />
          <input type="hidden" name="back" value={pathname + search} />
          <span>{acts[act as OfferedAct] ?? act}</span>
          <button type="submit">{together.ticked}</button>
          <button type="submit" class="plain" name="all" value="on">
            {fill(length > MOST ? together.first : together.all, { count: Math.min(length, MOST) })}
          </button>
        </form>
      ))}
    </>
  );
}

/** Takes the ticks, and leads to the sealed address that shows what was ticked. */
export const sendTogether: Page = {
  path: PATH,
  method: "POST",
  act: "approval.approve",
  returnTo: (_, language) => Promise.resolve(`/${language}/approvals`),
  async show(call) {
    const { language, context, words, office: { admin: { now, random } } } = call;
    const { act: [act = ""] = [], all, request = [], back: [from] = [] } = await readFields(call);
    const back = pathOf(from, call);
    const chosen = ((await readAlike(call)).get(act) ?? [])
      .filter(({ id }) => all !== undefined || request.includes(id));
    if (chosen.length === 0) return refused(call, back, words.together.noneTicked);
    const fields = await seal(call, {
      act: [act],
      // Each with the id of its approval, so that it is done once.
      of: chosen.slice(0, MOST).map(({ id }) => `${id}.${uuidV7(now(), random)}`),
      back: [back],
    });
    return context.redirect(`/${language}${PATH}?${queryOf(fields)}`, 303);
  },
};

/** One of the approvals: staged to be signed, or left out for a reason. */
type Candidate =
  & { readonly request: Approval }
  & ({ readonly staged: StagedAct } | { readonly why: string });

/** Shows the dossiers of all that was ticked, and asks for the passkey once (Decision D99). */
export const showTogether: Page = {
  path: PATH,
  act: "approval.approve",
  async show(call) {
    const { context, language, words, office, viewer } = call;
    const fields = fieldsIn(context.req.url);
    // What another session sealed, or nobody, was not ticked here.
    if (!await isSealed(call, fields)) {
      return {
        title: words.pages.approvals,
        content: (
          <section class="card narrow">
            <p>{words.together.noneTicked}</p>
            <a href={`/${language}/approvals`}>{words.act.back}</a>
          </section>
        ),
      };
    }
    const pairs = readPairs(fields["of"]);
    const back = pathOf(fields["back"]?.[0], call);
    for (const { id } of pairs) {
      if (await findOutcome(call, id) !== undefined) {
        return context.redirect(outcomesAddress(call, pairs, back), 303);
      }
    }
    const [act = ""] = fields["act"] ?? [];
    const waiting = (await readAlike(call)).get(act) ?? [];
    const candidates: Candidate[] = [];
    let characters = 0;
    for (const pair of pairs) {
      const candidate = await stage(call, pair, waiting);
      if (candidate === undefined) continue;
      if ("staged" in candidate) characters += candidate.staged.arguments.length;
      candidates.push(
        characters > MOST_CHARACTERS
          ? { request: candidate.request, why: words.together.afterThese }
          : candidate,
      );
    }
    const staged = candidates.flatMap((found) => "staged" in found ? [found] : []);
    const options = await office.optionsForAll(viewer, staged.map(({ staged }) => staged));
    const hidden = {
      acts: JSON.stringify(staged.map(({ request, staged }) => ({
        request: request.id,
        id: staged.id,
        signedAtSeconds: staged.signedAtSeconds,
        arguments: staged.arguments,
        hash: staged.hash,
      }))),
      options: JSON.stringify(options),
      credential: "",
      back,
      again: `/${language}${PATH}?${queryOf(fields)}`,
    };
    const { together } = words;
    const count = staged.length;
    return {
      title: `${words.acts["approval.approve"]}: ${words.acts[act as OfferedAct] ?? act}`,
      content: (
        <>
          <Total call={call} staged={staged} more={waiting.length - count} />
          {staged.map(({ request, staged: { dossier } }, n) => (
            <section class="card narrow" aria-labelledby={request.id}>
              <h2 id={request.id}>
                {fill(together.nth, { n: n + 1, count })} <Brief call={call} request={request} />
              </h2>
              <DossierLines call={call} dossier={dossier} />
            </section>
          ))}
          <LeftOut call={call} candidates={candidates} />
          {count > 0 && (
            <PasskeyForm
              words={words}
              ceremony="act"
              lead={fill(together.lead, { count })}
              next={`/${language}${PATH}/sign`}
              hidden={hidden}
            />
          )}
          <BackLink call={call} back={back} />
        </>
      ),
    } satisfies Shown;
  },
};

async function stage(
  { office, viewer, words, language, database: { sql }, environment, now }: Call,
  pair: { request: string; id: string },
  waiting: readonly Approval[],
): Promise<Candidate | undefined> {
  const request = waiting.find(({ id }) => id === pair.request);
  if (request === undefined) {
    const [other] = await listApprovals(sql, environment, { nowMs: now(), id: pair.request });
    if (other === undefined) return undefined;
    const { state } = other;
    const why = state === "waiting" ? words.notices.notPermitted : words.approvals.states[state];
    return { request: other, why };
  }
  const input = { request: request.id, sha256: request.sha256 };
  const staged = await office.stageAct(viewer, "approval.approve", input, pair.id);
  return staged.ok
    ? { request, staged: staged.value }
    : { request, why: sayRefusal(language, staged.detail) };
}

/** How many there are, what their amounts add up to, and how many more wait. */
function Total({ call: { language, words: { together } }, staged, more }: {
  call: Call;
  staged: readonly { readonly staged: StagedAct }[];
  more: number;
}) {
  const lines = staged.flatMap(({ staged: { dossier } }) => dossier)
    .filter(({ name, context }) => context !== true && (name === "amount" || name === "gold"));
  let [halalas, micrograms] = [0n, 0n];
  for (const { value } of lines) {
    const sar = "sar" in value ? parseHalalas(value.sar!) : undefined;
    const grams = "grams" in value ? parseMicrograms(value.grams) : undefined;
    if (sar?.ok) halalas += sar.value;
    if (grams?.ok) micrograms += grams.value;
  }
  const sums: Dossier = [
    ...halalas > 0n ? [{ name: "amount", value: { sar: formatHalalas(halalas) } } as const] : [],
    ...micrograms > 0n
      ? [{ name: "gold", value: { grams: formatMicrograms(micrograms) } } as const]
      : [],
  ];
  return (
    <section class="card narrow">
      <Facts
        facts={[
          [together.howMany, staged.length],
          ...sums.map((line) => {
            const { label, value } = writeLine(line, language);
            return [fill(together.sum, { label }), <bdi>{value}</bdi>] as const;
          }),
        ]}
      />
      {more > 0 && <p class="soft">{fill(together.more, { count: more })}</p>}
    </section>
  );
}

function LeftOut({ call, candidates }: { call: Call; candidates: readonly Candidate[] }) {
  const left = candidates.flatMap((found) => "why" in found ? [found] : []);
  if (left.length === 0) return null;
  return (
    <section class="card narrow" role="status">
      <h2>{call.words.together.leftOut}</h2>
      <ul>
        {left.map(({ request, why }) => (
          <li>
            <Brief call={call} request={request} />: <bdi>{why}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}
