import { JSON_MEDIA_TYPE } from "@sabika/protocol";
import { Hono } from "hono";
import type { Office, OfficeEnv } from "../office.ts";
import { openApiDocument } from "../open_api.ts";
import { READS } from "../reads/reads.ts";
import { answerRead } from "../reads/run_read.ts";
import { Refused } from "../refused.ts";
import { requirePerson, requireRight } from "../require_person.ts";

/** Makes the routes of every read, each for the roles of its act, and of the OpenAPI document. */
export function readRoutes(office: Office): Hono<OfficeEnv> {
  const app = new Hono<OfficeEnv>();
  for (const read of READS) {
    app.get(read.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (context) => {
      const person = requireRight(context, read.act);
      const search = new URL(context.req.url).search.slice(1);
      const path = context.req.param() as Record<string, string>;
      const json = await answerRead(
        read,
        office.readContext(person, context.get("from")),
        path,
        search,
      );
      if (json === undefined) throw new Refused("not_found");
      return context.body(json, 200, { "content-type": JSON_MEDIA_TYPE });
    });
  }
  app.get("/openapi.json", (context) => {
    requirePerson(context);
    return context.json(openApiDocument(office.origin));
  });
  return app;
}
