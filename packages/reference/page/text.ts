import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

/** Escaped HTML; on this page it is never a promise, although Hono's type allows that. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Makes HTML of a sentence in which backticks mark code. */
export function prose(text: string): Html {
  const parts = text.split("`");
  return html`${parts.map((part, n) => n % 2 === 1 ? html`<code>${part}</code>` : part)}`;
}

/** Makes HTML of paragraphs that are separated by empty lines. */
export function paragraphs(text: string): Html {
  return html`${text.split("\n\n").map((paragraph) => html`<p>${prose(paragraph)}</p>`)}`;
}

/** Makes a block of code; the label describes it for screen readers. */
export function codeBlock(text: string, label: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`;
}

/** Makes a table that scrolls horizontally if it is too wide. */
export function table(
  label: string,
  heads: readonly string[],
  rows: readonly (readonly unknown[])[],
) {
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label="${label}">
      <table>
        <thead>
          <tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr>
        </thead>
        <tbody>${rows.map(([first, ...others]) =>
          html`
            <tr><th scope="row">${first}</th>${others.map((cell) => html`<td>${cell}</td>`)}</tr>
          `
        )}</tbody>
      </table>
    </div>
  `;
}
