import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

/** Escaped HTML; nothing on the page is awaited. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** A sentence in which what stands between backticks is code. */
export function prose(text: string): Html {
  const parts = text.split("`");
  return html`${parts.map((part, n) => n % 2 === 1 ? html`<code>${part}</code>` : part)}`;
}

/** Paragraphs, with an empty line between them. */
export function paragraphs(text: string): Html {
  return html`${text.split("\n\n").map((paragraph) => html`<p>${prose(paragraph)}</p>`)}`;
}

/** Code of several lines; the label says what it is to those who do not see it. */
export function codeBlock(text: string, label: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`;
}

/** A table that scrolls by itself where it is too wide. */
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
