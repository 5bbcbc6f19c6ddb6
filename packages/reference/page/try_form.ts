import { html } from "hono/html";
import { JSON_MEDIA_TYPE } from "@sabika/protocol";
import type { Operation } from "../operation.ts";
import { exampleId } from "./example_id.ts";
import type { Html } from "./text.ts";

/** Returns whether the page has a form for an endpoint: not for those of secrets, streams and pages. */
export function canBeTried({ door, replies }: Operation): boolean {
  const shown = [JSON_MEDIA_TYPE, "application/jose"];
  return door !== "token" && shown.includes(replies[0]!.contents[0]!.mediaType);
}

/** Makes the form that sends a call to the sandbox; the page's script shows it. */
export function tryForm(id: string, operation: Operation): Html {
  const { path, summary, request, parameters = [] } = operation;
  const fields = parameters.filter((parameter) => parameter.in !== "header");
  return html`
    <form class="try" data-operation="${id}" aria-label="Try it: ${summary}" hidden>
      <h4>Try it</h4>
      ${fields.map(({ name, in: where, required }) =>
        html`<p><label><code>${name}</code> <input name="${name}" value="${
          where === "path" ? exampleId(path) : ""
        }"${required ? " required" : ""} autocomplete="off" spellcheck="false"></label></p>`
      )}${request === undefined
        ? ""
        : html`<p><label>Body <textarea name="body" rows="${
          JSON.stringify(request.example, undefined, 2).split("\n").length
        }" spellcheck="false">${
          JSON.stringify(request.example, undefined, 2)
        }</textarea></label></p>`}
      <button aria-label="Send to the sandbox: ${summary}">Send to the sandbox</button>
      <p role="status"></p>
    </form>
  `;
}
