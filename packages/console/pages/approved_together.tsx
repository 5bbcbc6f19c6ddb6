import { type Approval, type Decided, listApprovals } from "@sabika/office/acts";
import { writeLine } from "@sabika/office/dossier";
import type { Call, Page } from "../call.ts";
import { sayRefusal } from "../languages/say_refusal.ts";
import { State } from "../layout/inline.tsx";
import { performOnce } from "./acts.tsx";
import { fieldsIn, queryOf } from "./act_address.ts";
import { BackLink, pathOf, readFields, refused, UUID } from "./form_fields.tsx";
import { type Came, findOutcome, Found, Outcome, Told } from "./outcome.tsx";

/** Where several requests are approved together. */
export const PATH = "/approvals/together";

/** A request, and the act that approves it: two UUIDs. */
interface Pair {
  readonly request: string;
  readonly id: string;
}

/** Reads the pairs of an address; others are left out. */
export function readPairs(texts: readonly string[] = []): Pair[] {
  return texts.flatMap((text) => {
    const [request = "", id = ""] = text.split(".");
    return UUID.test(request) && UUID.test(id) ? [{ request, id }] : [];
  });
}

/** Returns the address of the page that says what came of approvals. */
export function outcomesAddress(
  { language }: Pick<Call, "language">,
  pairs: readonly Pair[],
  back: string,
): string {
  const of = pairs.map(({ request, id }) => `${request}.${id}`);
  return `/${language}${PATH}/outcomes?${queryOf({ of, back: [back] })}`;
}

/** Carries out approvals that were signed together, one after another, until one cannot be finished now. */
export const performTogether: Page = {
  path: `${PATH}/sign`,
  method: "POST",
  act: "approval.approve",
  returnTo: async (context, language) =>
    pathOf((await readFields({ context }))["again"]?.[0], { language }),
  async show(call) {
    const { context, words } = call;
    const fields = await readFields(call);
    const [back, again] = [fields["back"], fields["again"]].map((text) => pathOf(text?.[0], call));
    const acts = readActs(fields["acts"]?.[0]);
    if (acts === undefined) return refused(call, back!, words.act.notStaged);
    const together = acts.map(({ hash }) => hash);
    const credential = parse(fields["credential"]?.[0]);
    for (const { id, signedAtSeconds, arguments: text } of acts) {
      const signed = { id, name: "approval.approve", arguments: text, signedAtSeconds };
      try {
        const outcome = await performOnce(call, { ...signed, credential, together }, again!);
        // The cell does not answer: the others wait as before.
        if (outcome !== undefined && "unbooked" in outcome) break;
      } catch (error) {
        // What was done until then is told.
        call.onError(error);
        break;
      }
    }
    return context.redirect(outcomesAddress(call, acts, back!), 303);
  },
};

/** Says what came of each. */
export const togetherOutcomes: Page = {
  path: `${PATH}/outcomes`,
  act: "approval.approve",
  async show(call) {
    const { context, words, database: { sql }, environment, now } = call;
    const fields = fieldsIn(context.req.url);
    const back = pathOf(fields["back"]?.[0], call);
    const found: { request: Approval; came: Came | undefined }[] = [];
    for (const pair of readPairs(fields["of"])) {
      const [request] = await listApprovals(sql, environment, { nowMs: now(), id: pair.request });
      if (request !== undefined) found.push({ request, came: await findOutcome(call, pair.id) });
    }
    const counts = new Map<CameState, number>();
    for (const { came } of found) {
      counts.set(stateOf(came), (counts.get(stateOf(came)) ?? 0) + 1);
    }
    return {
      title: words.together.outcomes,
      content: (
        <>
          {found.length === 0 && <p>{words.act.nothingBecause}</p>}
          <div role="status">
            <ul class="states">
              {[...counts].map(([state, count]) => (
                <li>
                  <State word={`${count} · ${words.together.states[state]}`} mood={MOODS[state]} />
                </li>
              ))}
            </ul>
          </div>
          {found.map(({ request, came }) => (
            <>
              <h2>
                <Brief call={call} request={request} />
              </h2>
              <OneOutcome call={call} came={came} />
            </>
          ))}
          <BackLink call={call} back={back} />
        </>
      ),
    };
  },
};

const MOODS = {
  done: "good",
  approved: "waiting",
  unbooked: "waiting",
  void: "bad",
  refused: "bad",
  nothing: "bad",
} as const;
type CameState = keyof typeof MOODS;

function stateOf(came: Came | undefined): CameState {
  if (came === undefined) return "nothing";
  if ("state" in came) return came.state in MOODS ? came.state as CameState : "nothing";
  const { outcome } = came;
  if ("unbooked" in outcome) return "unbooked";
  if (!outcome.ok || !("done" in outcome.value)) return "refused";
  const { state } = outcome.value.done as Decided;
  return state === "rejected" ? "nothing" : state;
}

function OneOutcome({ call, came }: { call: Call; came: Came | undefined }) {
  const { act, together } = call.words;
  if (came === undefined) {
    return (
      <Told mood="bad" says={act.nothing}>
        <p>{together.stillWaits}</p>
      </Told>
    );
  }
  if ("state" in came) {
    return (
      <section class="card narrow">
        <Found call={call} found={came} />
      </section>
    );
  }
  const { name, outcome } = came;
  if (!("unbooked" in outcome) && outcome.ok) {
    return <Outcome call={call} name={name} performed={outcome.value} />;
  }
  const isUnbooked = "unbooked" in outcome;
  return (
    <Told mood={isUnbooked ? "waiting" : "bad"} says={isUnbooked ? act.unbooked : act.refused}>
      <p>
        <bdi>{sayRefusal(call.language, isUnbooked ? outcome.unbooked : outcome.detail)}</bdi>
      </p>
    </Told>
  );
}

/** The lines by which requests of one act are told apart. */
const BRIEF = ["partner", "person", "amount", "gold", "serial", "reference"];

/** A request in a few words, each in its own direction: whose, how much. */
export function Brief({ call: { language }, request: { dossier, id } }: {
  call: Call;
  request: Approval;
}) {
  const values = (dossier ?? []).filter(({ name }) => BRIEF.includes(name))
    .map((line) => writeLine(line, language).value);
  return (
    <>
      {(values.length > 0 ? values : [id]).map((value, n) => (
        <>
          {n > 0 && " · "}
          <bdi>{value}</bdi>
        </>
      ))}
    </>
  );
}

interface SentAct extends Pair {
  readonly arguments: string;
  readonly signedAtSeconds: number;
  readonly hash: string;
}

/** Reads the acts as they were staged; undefined for a form without them. */
function readActs(text: string | undefined): SentAct[] | undefined {
  const acts = parse(text);
  const isAct = (act: Partial<SentAct> | null) =>
    UUID.test(act?.request ?? "") && UUID.test(act?.id ?? "") &&
    typeof act?.arguments === "string" && Number.isSafeInteger(act.signedAtSeconds) &&
    /^[0-9a-f]{64}$/.test(act.hash ?? "");
  return Array.isArray(acts) && acts.length > 0 && acts.every(isAct)
    ? acts as SentAct[]
    : undefined;
}

function parse(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
