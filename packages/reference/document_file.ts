import { openApiDocument } from "./document/open_api.ts";

/** The document that is committed, as the sandbox of `npm start` serves it. */
export const DOCUMENT_FILE = new URL("../../docs/openapi.json", import.meta.url);

/** Its text: two spaces, one line end at the end. */
export function documentText(): string {
  const document = openApiDocument({
    environment: "sandbox",
    baseUrl: "https://127.0.0.1:8443",
  });
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
