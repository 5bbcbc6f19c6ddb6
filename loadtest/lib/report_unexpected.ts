import { type Answer, describe } from "./partner.ts";

let reported = 0;

/** Prints an unexpected answer; only the first few, since the metrics count all. */
export function reportUnexpected(answer: Answer): void {
  if (reported++ < 3) console.error(`unexpected answer: ${describe(answer)}`);
}
