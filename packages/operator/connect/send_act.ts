import type { SignedAct } from "@sabika/identity/signatures";
import type { Performed, Waiting } from "@sabika/office/acts";
import { OWN_ACT } from "@sabika/office/reads";
import { encodeUtf8, isJsonObject, type JsonValue, parseTime } from "@sabika/protocol";
import { LaterError, RefusedError } from "../outcome.ts";
import { resultOf } from "./office_result.ts";
import { readAnswer } from "./read_answer.ts";
import { type createTransport, LostAnswerError } from "./transport.ts";

interface Way {
  readonly send: ReturnType<typeof createTransport>;
  /** Reads a resource of the office; undefined when it does not exist. */
  readonly read: (target: string) => Promise<JsonValue | undefined>;
  /** Where acts are sent. */
  readonly url: string;
}

/**
 * Sends a signed act to the office; once more when the answer is lost, since the database takes its id once.
 *
 * @throws RefusedError when it is refused
 * @throws LaterError when a cell has still to book it, or without an answer: with what became of it, or that this
 *   is not known
 */
export async function sendAct(
  { send, read, url }: Way,
  { signed, attachment }: { signed: SignedAct; attachment?: string | undefined },
): Promise<Performed<unknown>> {
  const { id, name, argumentsText, signedAtMs, signature } = signed;
  const act = `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},` +
    `"arguments":${argumentsText},"signed_at":${signedAtMs / 1000}}`;
  const body = encodeUtf8(
    `{"act":${act},"signature":${JSON.stringify(signature)}` +
      (attachment === undefined ? "}" : `,"attachment":${JSON.stringify(attachment)}}`),
  );
  const headers = { "content-type": "application/json" };
  const attempt = async () =>
    performedOf(readAnswer(await send({ method: "POST", url, headers, body })));
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof LostAnswerError)) throw error;
  }
  return await attempt().catch(async (error: unknown) => {
    throw error instanceof RefusedError ? await explain(read, id, error) : error;
  });
}

/** What to say of an act whose answer was lost, and that was refused or not answered when it was sent again. */
async function explain(
  read: Way["read"],
  id: string,
  again: RefusedError,
): Promise<RefusedError> {
  if (again instanceof LaterError) return again;
  const unknown = new LaterError(
    `${again.message}: whether the act ${id} is done is not known; ` +
      `see \`sabika audit outcome ${id}\` before you ask again`,
    "answer_lost",
  );
  const isUnanswered = again instanceof LostAnswerError || again.code === "office_unavailable";
  try {
    const outcome = await read(`/acts/${id}`);
    if (outcome === undefined) return isUnanswered ? unknown : again;
    const { state, reason } = OWN_ACT.form.read(outcome);
    const became = `the act ${id} is ${state}${reason === null ? "" : `: ${reason}`}`;
    return state === "refused" || state === "void"
      ? new RefusedError(state, became)
      : new LaterError(`${became}, though the answer was lost; do not ask again`, "answer_lost");
  } catch {
    return unknown;
  }
}

function performedOf(answer: JsonValue): Performed<unknown> {
  const members = isJsonObject(answer) ? answer : new Map<string, JsonValue>();
  if (members.get("state") !== "waiting") return { done: resultOf(members.get("result")) };
  return {
    waiting: String(members.get("request")),
    untilMs: parseTime(String(members.get("until"))) ?? 0,
    approvers: (members.get("approvers") ?? []) as Waiting["approvers"],
    isForRequester: members.get("repeat") === true,
  };
}
