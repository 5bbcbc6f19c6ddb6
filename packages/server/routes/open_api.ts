import { type DocumentSettings, openApiDocument } from "@sabika/reference";
import { json, type Reply } from "../call/reply.ts";

/** GET /openapi.json: the contract for programs, with this service's address (Decision D72). */
export function openApiRoute(settings: DocumentSettings): () => Reply {
  let body: string | undefined;
  return () => json(body ??= JSON.stringify(openApiDocument(settings)));
}
