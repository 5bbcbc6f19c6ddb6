import { html, raw } from "hono/html";
import { SCRIPTS, STYLE, TRY_SCRIPT } from "../assets/assets.ts";
import { type DocumentSettings, openApiDocument } from "../document/open_api.ts";
import { EVENT_CONTRACTS } from "../events.ts";
import { CHAPTERS, type Operation } from "../operation.ts";
import { OPERATION_LIST } from "../operations.ts";
import { commonSection, errorsSection, startSection, webhooksSection } from "./guide.ts";
import { operationSection } from "./operation_section.ts";
import { type Schema, schemaTable, typeOf } from "./schema_table.ts";
import { searchIndex } from "./search_index.ts";
import { type Html, prose } from "./text.ts";

/** The page and its content security policy. */
export interface ReferencePage {
  readonly html: string;
  /** The value of Content-Security-Policy, which allows only the page's own style and script. */
  readonly policy: string;
}

interface Document {
  readonly info: { readonly description: string; readonly summary: string };
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/**
 * Makes the reference as one page (Decision D72), which needs no script and loads nothing from elsewhere.
 *
 * @param hasTrial whether the page has forms that send calls to `/try` beside it; never in production (Decision D118)
 */
export async function referencePage(
  settings: DocumentSettings,
  hasTrial = false,
): Promise<ReferencePage> {
  const { environment, baseUrl } = settings;
  const { info, components } = openApiDocument(settings) as unknown as Document;
  const operations = OPERATION_LIST.filter(([, operation]) =>
    operation.isSandboxOnly !== true || environment === "sandbox"
  );
  const chapters = Object.entries(CHAPTERS);
  const schemas = Object.entries(components.schemas);
  const isTried = hasTrial && environment === "sandbox";
  const scripts = isTried ? [...SCRIPTS, TRY_SCRIPT] : SCRIPTS;
  const page = html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Sabika: reference of the API</title>
        <link rel="icon" href="data:,">
        <style>${raw(STYLE)}</style>
      </head>
      <body>
    <a class="skip" href="#main">To the content</a>
    ${contents(operations, schemas.map(([name]) => name))}
    <header>
    <h1>Sabika</h1>
    <p>${info.summary}: the reference of the API.</p>
    <p class="note">${environment === "sandbox"
      ? "Sandbox"
      : "Production"} at <code>${baseUrl}</code>. For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
    </header>
    <main id="main">
    ${startSection()}${commonSection(info.description)}${chapters.map(([chapter, about]) =>
      html`
        <section aria-labelledby="${anchorOf(chapter)}">
        <h2 id="${anchorOf(chapter)}">${chapter}</h2>
        <p>${about}</p>
        ${operations.filter(([, operation]) => operation.chapter === chapter).map((
          [id, operation],
        ) => operationSection(id, operation, isTried))}</section>
      `
    )}${webhooksSection(operations)}${schemasSection(schemas)}${errorsSection(operations)}
    </main>
    <footer><p>Made from the tables that the service itself reads and writes by.</p></footer>
    <script type="application/json" id="search-index">${raw(
      JSON.stringify(searchIndex(operations, schemas)).replaceAll("<", "\\u003c"),
    )}</script>
    ${scripts.map((script) => html`<script type="module">${raw(script)}</script>`)}
      </body>
    </html>
  `;
  const policy = [
    "default-src 'none'",
    `style-src ${await hashOf(STYLE)}`,
    `script-src ${(await Promise.all(scripts.map(hashOf))).join(" ")}`,
    ...isTried ? ["connect-src 'self'"] : [],
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return { html: String(await page), policy: policy.join("; ") };
}

function contents(
  operations: readonly (readonly [string, Operation])[],
  schemas: readonly string[],
): Html {
  const link = (anchor: string, text: unknown, inside: unknown = "") =>
    html`
      <li><a href="#${anchor}">${text}</a>${inside}</li>
    `;
  return html`
    <nav aria-label="Contents">
      <form class="search" role="search" hidden>
        <label for="search">Search</label>
        <input type="search" id="search" autocomplete="off" spellcheck="false">
        <p role="status"></p>
        <ul></ul>
      </form>
      <details open>
        <summary>Contents</summary>
        <ul>
    ${link("start", "Start")}${link("common", "What holds everywhere")}${Object.keys(CHAPTERS).map((
      chapter,
    ) =>
      link(
        anchorOf(chapter),
        chapter,
        html`<ul>${
          operations.filter(([, operation]) => operation.chapter === chapter).map((
            [id, { method, path }],
          ) => link(id, html`${method} ${path}`))
        }</ul>`,
      )
    )}${link(
      "webhooks",
      "Webhooks",
      html`<ul>${EVENT_CONTRACTS.map(({ type }) => link(`event-${type}`, type))}</ul>`,
    )}${link(
      "schemas",
      "Schemas",
      html`<ul>${schemas.map((name) => link(`schema-${name}`, name))}</ul>`,
    )}${link("errors", "Error codes")}</ul>
      </details>
    </nav>
  `;
}

function schemasSection(schemas: readonly (readonly [string, Schema])[]): Html {
  return html`
    <section aria-labelledby="schemas">
    <h2 id="schemas">Schemas</h2>
    ${schemas.map(([name, schema]) =>
      html`<h3 id="schema-${name}">${name}</h3>
${schema.description === undefined ? "" : html`<p>${prose(schema.description)}</p>`}
${
        schema.properties === undefined
          ? html`<p>${typeOf(schema)}</p>`
          : schemaTable(name, schema, true)
      }`
    )}</section>
  `;
}

function anchorOf(chapter: string): string {
  return chapter.toLowerCase();
}

/** Makes the source expression of an inline text's hash (CSP Level 3 §2.3.1). */
async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)),
  );
  return `'sha256-${btoa(String.fromCharCode(...digest))}'`;
}
