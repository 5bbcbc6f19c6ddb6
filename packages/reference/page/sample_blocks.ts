import { html } from "hono/html";
import { LANGUAGES, type Sample } from "../samples.ts";
import { codeBlock, type Html } from "./text.ts";

/** Makes a block for each language that has the call, to be unfolded. */
export function sampleBlocks(about: string, sample: Sample): Html {
  const written = LANGUAGES.flatMap((language, n) => {
    const code = sample[n];
    return code == null ? [] : [[language, code] as const];
  });
  return html`<details class="samples"><summary>${
    written.map(([language]) => language).join(", ")
  }</summary>${
    written.map(([language, code]) => codeBlock(code, `${language}: ${about}`))
  }</details>`;
}
