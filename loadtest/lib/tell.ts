import { type Answer, describe } from "./partner.ts";

let told = 0;

/** Says what came instead of the expected answer; the first few times, the metrics count the rest. */
export function tellUnexpected(answer: Answer): void {
  if (told++ < 3) console.error(`unexpected answer: ${describe(answer)}`);
}
