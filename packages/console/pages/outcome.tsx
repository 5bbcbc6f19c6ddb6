import { type ActOutcome, type Decided, findActOutcome, type Performed } from "@sabika/office/acts";
import type { Child } from "hono/jsx";
import type { KeptOutcome } from "../act_outcomes.ts";
import type { Call } from "../call.ts";
import { sayRefusal } from "../languages/say_refusal.ts";
import { fill } from "../languages/fill.ts";
import { DossierLines } from "../layout/dossier.tsx";
import { Moment } from "../layout/inline.tsx";

/** What came of an act: what is kept of it here, or what the database has. */
export type Came = KeptOutcome | ActOutcome;

/** Finds what came of the viewer's act; undefined when nothing was done under its id. */
export async function findOutcome(call: Call, id: string): Promise<Came | undefined> {
  return call.outcomes.find(id, call.viewer.operatorId) ?? await findRecorded(call, id);
}

/** Finds what the database has of the viewer's act, whichever instance of the office carried it out. */
export function findRecorded(
  { database: { sql }, environment, viewer: { operatorId }, now }: Call,
  id: string,
): Promise<ActOutcome | undefined> {
  return findActOutcome(sql, environment, { id, operatorId, nowMs: now() });
}

/** What came of an act that somebody signed: done, nothing to do, waiting, approved, rejected or void. */
export function Outcome(
  { call, name, performed }: { call: Call; name: string; performed: Performed<unknown> },
) {
  const { act, approvals, roles } = call.words;
  if ("waiting" in performed) {
    const approvers = performed.approvers.map((role) => roles[role]).join(", ");
    return (
      <Told mood="waiting" says={fill(act.waits, { roles: approvers })}>
        <p>
          {approvals.expires}: <Moment ms={performed.untilMs} />
        </p>
        {performed.isForRequester && <p>{act.again}</p>}
      </Told>
    );
  }
  const isDecision = name === "approval.approve" || name === "approval.reject";
  const decided: Decided = isDecision
    ? performed.done as Decided
    : { state: "done", value: performed.done };
  switch (decided.state) {
    case "done":
      return isRepeated(decided.value)
        ? <Told mood="waiting" says={act.nothingToDo} />
        : <Told mood="good" says={act.done} />;
    case "approved":
      return <Told mood="waiting" says={act.approved} />;
    case "rejected":
      return <Told mood="good" says={act.rejected} />;
    case "void":
      return (
        <Told mood="bad" says={act.void}>
          {decided.difference === undefined
            ? (
              <p>
                <bdi>{sayRefusal(call.language, decided.reason)}</bdi>
              </p>
            )
            : <DossierLines call={call} dossier={[decided.difference]} />}
        </Told>
      );
  }
}

/** An outcome in a sentence, and what belongs to it. */
export function Told({ mood, says, children }: {
  mood: "good" | "bad" | "waiting";
  says: string;
  children?: Child;
}) {
  return (
    <section class={`card narrow outcome ${mood}`} role={mood === "bad" ? "alert" : "status"}>
      <p>{says}</p>
      {children}
    </section>
  );
}

/** What the database has of an act. */
export function Found(
  { call, found: { state, reason, untilMs } }: { call: Call; found: ActOutcome },
) {
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
          : <bdi>{state === "void" ? sayRefusal(call.language, reason) : reason}</bdi>
        </>
      )}
    </p>
  );
}

/** Whether an act found its work done before, such as a bank transfer that was credited. */
function isRepeated(result: unknown): boolean {
  return typeof result === "object" && result !== null && "repeated" in result &&
    result.repeated === true;
}
