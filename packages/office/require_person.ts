import { type ActName, mayDo } from "@sabika/terms";
import type { Context } from "hono";
import type { OfficeEnv } from "./office.ts";
import type { Person } from "./people/person.ts";
import { Refused } from "./refused.ts";

/** Returns the person who makes the request; throws {@linkcode Refused} (`sign_in_required`) without one. */
export function requirePerson(context: Context<OfficeEnv>): Person {
  const person = context.get("person");
  if (person !== undefined) return person;
  throw new Refused("sign_in_required");
}

/**
 * Returns the person who makes the request, if one of their roles permits the act, such as `partner.read`.
 *
 * @throws {Refused} with `sign_in_required` or `not_permitted`
 */
export function requireRight(context: Context<OfficeEnv>, act: ActName): Person {
  const person = requirePerson(context);
  if (mayDo(person.roles, act)) return person;
  throw new Refused("not_permitted", `no role of "${person.name}" opens ${act}`);
}
