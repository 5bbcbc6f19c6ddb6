import { type ActArguments, signedFrom } from "@sabika/identity/signatures";
import { type AdminOutcome, UUID } from "@sabika/terms";
import type { Performed } from "../acts/perform.ts";
import { formatTime } from "@sabika/protocol";
import { type Context, Hono } from "hono";
import type { Office, OfficeEnv, StagedAct } from "../office.ts";
import { perform } from "../perform.ts";
import { canonicalOf, type Members, membersOf, readBody, textOf } from "../read_body.ts";
import { Refused } from "../refused.ts";
import { requirePerson } from "../require_person.ts";
import { resultJson } from "../result_json.ts";

/**
 * Makes the routes of `/acts`, for every act whose arguments describe it completely: signed with a passkey
 * of the person signed in, or with the key of a command's user without a session (Decisions D79, D82).
 */
export function actRoutes(office: Office): Hono<OfficeEnv> {
  return new Hono<OfficeEnv>()
    .post("/acts/stage", async (context) => {
      const person = requirePerson(context);
      const body = await readBody(context);
      const input = membersOf(body["arguments"], "arguments") as ActArguments;
      const outcome = await office.stageAct(person, textOf(body, "name"), input);
      if (!outcome.ok) throw new Refused(outcome.code, outcome.detail);
      const staged = outcome.value;
      const { id, name, signedAtSeconds, options } = staged;
      return context.json({
        act: { id, name, arguments: JSON.parse(staged.arguments), signed_at: signedAtSeconds },
        options,
      });
    })
    .post("/acts", async (context) => {
      const body = await readBody(context);
      const act = readAct(body["act"]);
      const from = context.get("from");
      const attachment = body["attachment"] === undefined ? undefined : textOf(body, "attachment");
      if (body["credential"] !== undefined) {
        const person = requirePerson(context);
        const signed = { ...act, attachment, credential: body["credential"] };
        return answer(context, await office.performSigned(person, signed, from));
      }
      const signature = textOf(body, "signature");
      if (signedFrom({ signature }) !== undefined) {
        throw new Refused("invalid_request", 'what a passkey signed comes as "credential"');
      }
      const { id, name, arguments: argumentsText, signedAtSeconds } = act;
      const signed = { id, name, argumentsText, signedAtMs: signedAtSeconds * 1000, signature };
      const admin = { ...office.admin, actor: { who: "nobody", from } };
      return answer(context, await perform(admin, { signed, attachment }));
    });
}

/**
 * Reads an act as it was staged; its `arguments` become canonical JSON.
 *
 * @throws {Refused} with `invalid_request`
 */
export function readAct(value: unknown): Omit<StagedAct, "dossier" | "hash" | "options"> {
  const act: Members = membersOf(value, "act");
  const signedAtSeconds = act["signed_at"];
  const id = textOf(act, "id");
  if (!Number.isSafeInteger(signedAtSeconds) || (signedAtSeconds as number) < 0) {
    throw new Refused("invalid_request", '"signed_at" is a Unix time in seconds');
  }
  if (!UUID.test(id)) {
    throw new Refused("invalid_request", '"id" is a UUID');
  }
  return {
    id,
    name: textOf(act, "name"),
    arguments: canonicalOf(membersOf(act["arguments"], "arguments")),
    signedAtSeconds: signedAtSeconds as number,
  };
}

function answer(context: Context<OfficeEnv>, outcome: AdminOutcome<Performed<unknown>>): Response {
  if (!outcome.ok) throw new Refused(outcome.code, outcome.detail);
  const performed = outcome.value;
  if ("done" in performed) {
    return context.json({ state: "done", result: resultJson(performed.done) });
  }
  const { waiting, untilMs, approvers, isForRequester: repeat } = performed;
  const until = formatTime(untilMs);
  return context.json({ state: "waiting", request: waiting, until, approvers, repeat }, 202);
}
