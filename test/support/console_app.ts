import { createConsole } from "@sabika/console";
import type { Office, OfficeEnv, Person } from "@sabika/office";
import type { PriceSource } from "@sabika/service/prices";
import type { Role } from "@sabika/terms";
import { Hono } from "hono";

/** Makes a signed-in person with these roles. */
export const signedInPerson = (name: string, roles: readonly Role[]): Person => ({
  operatorId: 1,
  name,
  roles,
  keyId: "a key",
  signedInUntilMs: null,
});

/**
 * Opens the console for one viewer.
 *
 * @param options.viewer the signed-in person; undefined: nobody is signed in
 * @param options.errors receives the errors that pages throw
 */
export function openConsoleApp({ office, viewer, prices, errors }: {
  office: Office;
  viewer: Person | undefined;
  prices: Pick<PriceSource, "latest">;
  errors: unknown[];
}): Hono<OfficeEnv> {
  const app = new Hono<OfficeEnv>();
  app.use(async (context, next) => {
    context.set("person", viewer);
    context.set("from", "127.0.0.1");
    await next();
  });
  const pages = createConsole({ prices, onError: (error) => errors.push(error) });
  app.route("/", pages(office));
  return app;
}
