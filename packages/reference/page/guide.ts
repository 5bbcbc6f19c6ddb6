import { html } from "hono/html";
import { ERROR_CODES, RETRYABLE, TITLE_OF } from "@sabika/protocol";
import { RESPONSE_HEADERS } from "../document/response_headers.ts";
import { refusalsOf } from "../document/responses.ts";
import { EVENT_CONTRACTS } from "../events.ts";
import type { OPERATION_LIST } from "../operations.ts";
import { OPENING } from "../samples.ts";
import { SHELL_POST, SHELL_SETUP, SHELL_SIGN } from "./curl.ts";
import { sampleBlocks } from "./sample_blocks.ts";
import { statusOf } from "./operation_section.ts";
import { codeBlock, type Html, paragraphs, prose, table } from "./text.ts";

/** Makes the section on trying the examples, with shell functions over curl and openssl. */
export function startSection(): Html {
  return html`
    <section aria-labelledby="start">
    <h2 id="start">Start</h2>
    <p>Commands on this page use these functions; paste them into bash or zsh. <code>KIT</code> is the folder of your kit: <code>partner.json</code>, <code>ca.crt</code>, <code>client.crt</code>, <code>client.key</code> and <code>signing.key</code>.</p>
    ${codeBlock(SHELL_SETUP, "Shell functions: calls")}
    <p>Every write has an <code>Idempotency-Key</code>: the same key again gives the first answer again, and has no second effect.</p>
    ${codeBlock(SHELL_POST, "Shell functions: writes")}
    <p>Orders and withdrawals are signed: ES256 over the protected header, a full stop, and five lines (method, URL, SHA-256 of the body, time, nonce).</p>
    ${codeBlock(SHELL_SIGN, "Shell functions: signed writes")}
    <p>The clients do all of this by themselves, and repeat what may be repeated:</p>
    ${sampleBlocks("opening a client", OPENING)}
    </section>
  `;
}

/** Makes the section on what all endpoints have in common; `description` is the document's. */
export function commonSection(description: string): Html {
  const headers = Object.entries(RESPONSE_HEADERS).map(([name, header]) => [
    html`<code id="header-${name}">${name}</code>`,
    prose(header.description),
  ]);
  return html`
    <section aria-labelledby="common">
    <h2 id="common">What holds everywhere</h2>
    ${paragraphs(description)}
    <p>Lists come newest first, page by page: send <code>next_cursor</code> as <code>cursor</code> until it is null. Filters that are not listed are refused.</p>
    <h3>Headers of answers</h3>
    ${table("Headers of answers", ["Header", "Meaning"], headers)}
    </section>
  `;
}

/** Makes the table of error codes: their meaning, and the operations that answer them. */
export function errorsSection(operations: typeof OPERATION_LIST): Html {
  const rows = ERROR_CODES.map((code) => {
    const givers = operations.filter(([, operation]) => refusalsOf(operation).includes(code));
    return [
      html`<code id="error-${code}">${code}</code>`,
      statusOf(code),
      TITLE_OF[code],
      RETRYABLE[code] ? "yes" : "no",
      givers.length > operations.length / 3
        ? `${givers.length} endpoints`
        : linksTo(givers.map(([id]) => id)),
    ];
  });
  return html`
    <section aria-labelledby="errors">
    <h2 id="errors">Error codes</h2>
    <p>A refusal is a <a href="#schema-Problem">Problem</a> of <code>application/problem+json</code>. Retry: whether the same request, signed afresh, may succeed later as it is.</p>
    ${table("Error codes", ["Code", "Status", "Meaning", "Retry", "Given by"], rows)}
    </section>
  `;
}

function linksTo(ids: readonly string[], before = ""): Html {
  const links = ids.map((id, n) => html`${n > 0 ? ", " : ""}<a href="#${id}">${id}</a>`);
  return html`${links.length > 0 ? before : ""}${links}`;
}

/** Makes the section on the types of events as webhooks deliver them, with what makes them happen. */
export function webhooksSection(operations: typeof OPERATION_LIST): Html {
  return html`
    <section aria-labelledby="webhooks">
    <h2 id="webhooks">Webhooks</h2>
    <p>Each event is posted to your https endpoint, at least once and in sequence, with the headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code> of Standard Webhooks: <code>v1,</code> and the base64 of HMAC-SHA256 over id, timestamp and raw body, joined by full stops. Answer 2xx within 15 seconds; 410 asks the service to stop.</p>
    ${EVENT_CONTRACTS.map(({ type, description, objectTitle, causes, example }) =>
      html`
        <h3 id="event-${type}"><code>${type}</code></h3>
        <p>${description}${objectTitle === undefined ? "" : html`
          Its object is of <a href="#schema-${objectTitle}">${objectTitle}</a>.
        `}${linksTo(
          operations.filter(([id]) => causes.includes(id)).map(([id]) => id),
          " It comes of ",
        )}</p>
        ${codeBlock(JSON.stringify(example, undefined, 2), `Body of ${type}`)}
      `
    )}</section>
  `;
}
