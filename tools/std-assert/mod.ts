/**
 * The names of `@std/assert` that this repository uses, over `node:assert/strict`, for machines
 * that cannot reach JSR. `deno unlink @std/assert` runs the same tests on the real package.
 */
import assertStrict from "node:assert/strict";

type ErrorClass<E extends Error = Error> = new (...args: never[]) => E;

/** Returns the end of a long message, because a program's output ends with what broke. */
function lastLines(message: string): string {
  const lines = message.trimEnd().split("\n");
  return lines.length <= 16 ? message : `… ${lines.slice(-15).join("\n")}`;
}

/** Runs one of Node's comparisons; without a message it writes its own. */
function compare<A, E>(
  run: { (actual: A, expected: E): void; (actual: A, expected: E, message: string): void },
  actual: A,
  expected: E,
  message: string | undefined,
): void {
  if (message === undefined) run(actual, expected);
  else run(actual, expected, lastLines(message));
}

export function assert(value: unknown, message = ""): asserts value {
  if (!value) {
    const words = lastLines(message) || "expected a truthy value";
    throw new assertStrict.AssertionError({ message: words });
  }
}

export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  compare<unknown, unknown>(assertStrict.deepStrictEqual, actual, expected, message);
}

export function assertNotEquals<T>(actual: T, expected: T, message?: string): void {
  compare<unknown, unknown>(assertStrict.notDeepStrictEqual, actual, expected, message);
}

export function assertMatch(text: string, expected: RegExp, message?: string): void {
  compare<string, RegExp>(assertStrict.match, text, expected, message);
}

export function assertStringIncludes(text: string, expected: string, message?: string): void {
  assert(
    text.includes(expected),
    message ?? `expected to find ${JSON.stringify(expected)} in:\n${lastLines(text)}`,
  );
}

function checkError(error: unknown, errorClass?: ErrorClass, messageIncludes?: string): void {
  assert(error instanceof Error, "expected an Error to be thrown");
  if (errorClass) {
    assert(
      error instanceof errorClass,
      `expected ${errorClass.name}, got ${error.name}: ${error.message}`,
    );
  }
  if (messageIncludes !== undefined) assertStringIncludes(error.message, messageIncludes);
}

/** Fails unless `run` throws; returns the error. */
export function assertThrows<E extends Error = Error>(
  run: () => unknown,
  errorClass?: ErrorClass<E>,
  messageIncludes?: string,
): E {
  try {
    run();
  } catch (error) {
    checkError(error, errorClass as ErrorClass | undefined, messageIncludes);
    return error as E;
  }
  throw new assertStrict.AssertionError({ message: "expected the function to throw" });
}

/** Fails unless `run` rejects; returns the error. */
export async function assertRejects<E extends Error = Error>(
  run: () => PromiseLike<unknown>,
  errorClass?: ErrorClass<E>,
  messageIncludes?: string,
): Promise<E> {
  try {
    await run();
  } catch (error) {
    checkError(error, errorClass as ErrorClass | undefined, messageIncludes);
    return error as E;
  }
  throw new assertStrict.AssertionError({ message: "expected the promise to be rejected" });
}
