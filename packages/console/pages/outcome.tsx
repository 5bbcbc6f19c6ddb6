import type { Decided, Performed } from "@sabika/office/acts";
import type { Child } from "hono/jsx";
import type { Call } from "../call.ts";
import { fill } from "../languages/fill.ts";
import { DossierLines } from "../layout/dossier.tsx";
import { Moment } from "../layout/inline.tsx";

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
                <bdi>{decided.reason}</bdi>
              </p>
            )
            : <DossierLines call={call} dossier={[decided.difference]} />}
        </Told>
      );
  }
}

function Told({ mood, says, children }: {
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

/** Whether an act found its work done before, such as a bank transfer that was credited. */
function isRepeated(result: unknown): boolean {
  return typeof result === "object" && result !== null && "repeated" in result &&
    result.repeated === true;
}
