import type { Database } from "@sabika/core/store";
import { createReading } from "@sabika/core/trading";
import { JSON_MEDIA_TYPE } from "@sabika/protocol";
import { Hono } from "hono";
import type { Office, OfficeEnv } from "../office.ts";
import { openApiDocument } from "../open_api.ts";
import { takeFilters } from "../reads/read.ts";
import { READS } from "../reads/reads.ts";
import { Refused } from "../refused.ts";
import { requirePerson, requireRight } from "../require_person.ts";

/** Every read of `/admin/v1`, each for the roles of its act, and the document. */
export function readRoutes(office: Office): Hono<OfficeEnv> {
  const { admin: { environment, now }, origin } = office;
  const readingOf = (database: Database) => createReading({ database, environment, now });
  const app = new Hono<OfficeEnv>();
  for (const read of READS) {
    app.get(read.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (context) => {
      const person = requireRight(context, read.act);
      const search = new URL(context.req.url).search.slice(1);
      const { filter, rest: query } = takeFilters(search, read.filters ?? []);
      if (read.list === undefined && query !== "") {
        throw new Refused("invalid_request", "it takes no query");
      }
      const path = context.req.param() as Record<string, string>;
      const json = await read.answer({ office, readingOf, person, path, query, filter });
      if (json === undefined) throw new Refused("not_found");
      return context.body(json, 200, { "content-type": JSON_MEDIA_TYPE });
    });
  }
  app.get("/openapi.json", (context) => {
    requirePerson(context);
    return context.json(openApiDocument(origin));
  });
  return app;
}
