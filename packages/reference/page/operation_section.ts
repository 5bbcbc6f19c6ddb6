import { html } from "hono/html";
import type { ErrorCode } from "@sabika/protocol";
import { refusalsOf, statusesOf } from "../document/responses.ts";
import { Schemas } from "../document/schemas.ts";
import { DOOR_CONTRACTS } from "../door_contracts.ts";
import { EVENT_CONTRACTS } from "../events.ts";
import type { Content, Operation, Parameter } from "../operation.ts";
import { doorParameters } from "../parameters.ts";
import type { OperationId } from "../operations.ts";
import { SAMPLES } from "../samples.ts";
import { curlOf } from "./curl.ts";
import { sampleBlocks } from "./sample_blocks.ts";
import { type Schema, schemaTable, typeOf } from "./schema_table.ts";
import { codeBlock, type Html, paragraphs, prose, table } from "./text.ts";
import { canBeTried, tryForm } from "./try_form.ts";

/**
 * Makes the section of an endpoint: credentials, parameters, answers and refusals.
 *
 * @param hasTrial whether calls can be sent from the page
 */
export function operationSection(id: OperationId, operation: Operation, hasTrial: boolean): Html {
  const { method, path, summary, description, request, replies, parameters = [] } = operation;
  const door = DOOR_CONTRACTS[operation.door];
  const needs = [
    "your certificate",
    ...(door.token === "required" ? ["a token"] : []),
    ...(door.isSigned ? ["a signature"] : []),
    ...(door.needsKey ? ["an idempotency key"] : []),
  ];
  const events = EVENT_CONTRACTS.filter(({ causes }) => causes.includes(id));
  const sample = SAMPLES[id];
  const all = [...parameters, ...doorParameters(door)];
  return html`
    <section class="operation" aria-labelledby="${id}">
    <h3 id="${id}"><span class="method">${method}</span> <code>${path}</code> <small>${summary}</small></h3>
    ${paragraphs(description)}
    <p class="needs">Needs ${needs.join(", ")}. Counts as <code>${door
      .rateClass}</code>.${operation.isSandboxOnly === true ? " Only in the sandbox." : ""}</p>
    ${all.length > 0 ? parameterTable(id, summary, all) : ""}
    ${request === undefined ? "" : bodyPart(`Body of ${summary}`, "Body", request)}
    <h4>Call</h4>
    ${codeBlock(curlOf(operation), `Shell command: ${summary}`)}
    ${sample === undefined ? "" : sampleBlocks(summary, sample)}
    ${hasTrial && canBeTried(operation) ? tryForm(id, operation) : ""}
    ${replies.map(({ status, description, contents, isReplay }) =>
      html`<h4>${status}</h4>
<p>${prose(description)}${isReplay === true ? prose(" `Idempotent-Replayed: true`.") : ""}</p>
${
        isReplay === true
          ? ""
          : contents.map((content) =>
            bodyPart(`Answer ${status} of ${summary}`, undefined, content)
          )
      }`
    )}
    ${events.length === 0 ? "" : html`<h4>Events</h4>
<ul class="codes">${
      events.map(({ type }) => html`<li><a href="#event-${type}"><code>${type}</code></a></li>`)
    }</ul>`}
    <h4>Refusals</h4>
    ${operation.oauthErrors === undefined
      ? ""
      : html`<p>The service's own have the form of <a href="#schema-TokenError">TokenError</a> (RFC 6749 §5.2), with ${
        operation.oauthErrors.join(", ")
      }; those of the sidecar:</p>`}
    <ul class="codes">${refusalsOf(operation).map((code) =>
      html`
        <li>${statusOf(code)} <a href="#error-${code}"><code>${code}</code></a></li>
      `
    )}</ul>
    </section>
  `;
}

/** Formats the statuses of a code. */
export function statusOf(code: ErrorCode): string {
  return statusesOf(code).join(", ");
}

function parameterTable(id: string, summary: string, parameters: readonly Parameter[]): Html {
  const rows = parameters.map(({ name, in: where, required, description, schema }) => [
    html`<code id="${id}.${name}">${name}</code>${
      required ? "" : html`
        <span class="note">may be left out</span>
      `
    }`,
    where,
    typeOf(schema as Schema),
    prose(description),
  ]);
  return html`<h4>Parameters</h4>
${table(`Parameters of ${summary}`, ["Name", "In", "Type", "Meaning"], rows)}`;
}

function bodyPart(label: string, heading: string | undefined, content: Content): Html {
  const { mediaType, shape, example } = content;
  const known = new Schemas();
  const schema = known.of(shape) as Schema;
  const isLink = schema.$ref !== undefined;
  const text = typeof example === "string" ? example : JSON.stringify(example, undefined, 2);
  return html`${heading === undefined ? "" : html`<h4>${heading}</h4>`}
<p><code>${mediaType}</code>: ${typeOf(schema)}</p>
${
    isLink && shape.additionalProperties === false
      ? schemaTable(shape.title!, known.named()[shape.title!] as Schema)
      : ""
  }
${codeBlock(text, label)}`;
}
