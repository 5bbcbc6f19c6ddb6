import type { Session } from "../connect/session.ts";
import { RefusedError, UsageError } from "../outcome.ts";

/** The value given, else the answer at a terminal, else wrong usage. */
export async function orAsk(
  session: Session,
  given: string | undefined,
  flag: string,
  question: string,
  check?: (answer: string) => string | undefined,
): Promise<string> {
  if (given !== undefined) return given;
  if (!session.mayAsk) throw new UsageError(`--${flag} is needed`);
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({ message: question, validate: (value) => check?.(value ?? "") });
  if (isCancel(answer)) throw new RefusedError("cancelled", "nothing was done");
  return answer;
}

/** What was not given, asked for at a terminal and read like the flag's own value. */
export async function orAskFor<T>(
  session: Session,
  read: (answer: string) => T,
  flag: string,
  question: string,
): Promise<T> {
  return read(
    await orAsk(session, undefined, flag, question, (answer) => {
      try {
        read(answer);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    }),
  );
}

/** Asks for confirmation at a terminal before something irreversible. */
export async function confirm(session: Session, question: string): Promise<void> {
  if (!session.mayAsk) return;
  const prompts = await import("@clack/prompts");
  const answer = await prompts.confirm({ message: question, initialValue: false });
  if (answer !== true) throw new RefusedError("cancelled", "nothing was done");
}
