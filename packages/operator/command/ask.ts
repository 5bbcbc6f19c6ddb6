import type { Session } from "../connect/session.ts";
import { RefusedError, UsageError } from "../outcome.ts";

/** Returns `value`, else the answer at a terminal; throws a `UsageError` where nobody can answer. */
export async function orAsk(
  session: Session,
  value: string | undefined,
  flag: string,
  question: string,
  check?: (answer: string) => string | undefined,
): Promise<string> {
  if (value !== undefined) return value;
  if (!session.mayAsk) throw new UsageError(`--${flag} is needed`);
  return await askAtTerminal(question, (answer) => check?.(answer));
}

/** Asks at the terminal until `check` finds nothing wrong; throws a `RefusedError` when cancelled. */
export async function askAtTerminal(
  message: string,
  check: (answer: string) => string | undefined,
): Promise<string> {
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({ message, validate: (value) => check(value ?? "") });
  if (isCancel(answer)) throw new RefusedError("cancelled", "nothing was done");
  return answer;
}

/** Asks to confirm something irreversible, at a terminal only; throws a `RefusedError` if declined. */
export async function confirm(session: Session, question: string): Promise<void> {
  if (!session.mayAsk) return;
  const prompts = await import("@clack/prompts");
  const answer = await prompts.confirm({ message: question, initialValue: false });
  if (answer !== true) throw new RefusedError("cancelled", "nothing was done");
}
