import { html } from "hono/html";
import { LANGUAGES, type Sample } from "../samples.ts";
import { codeBlock, type Html } from "./text.ts";

/** Makes a block for each language, to be unfolded. */
export function sampleBlocks(about: string, sample: Sample): Html {
  return html`<details class="samples"><summary>${LANGUAGES.join(", ")}</summary>${
    LANGUAGES.map((language, n) => codeBlock(sample[n]!, `${language}: ${about}`))
  }</details>`;
}
