import { type Answer, describe } from "./partner.ts";

let reported = 0;

/** Says what came instead of the expected answer; the first few times, the metrics count the rest. */
export function reportUnexpected(answer: Answer): void {
  if (reported++ < 3) console.error(`unexpected answer: ${describe(answer)}`);
}
