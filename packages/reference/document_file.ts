import { openApiDocument } from "./document/open_api.ts";

/** The committed document, which is that of the sandbox of `npm start`. */
export const DOCUMENT_FILE = new URL("../../docs/openapi.json", import.meta.url);

/** Makes the document's text, indented by two spaces and with a final line end. */
export function documentText(): string {
  const document = openApiDocument({
    environment: "sandbox",
    baseUrl: "https://127.0.0.1:8443",
  });
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
