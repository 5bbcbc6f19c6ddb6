import { ROLES } from "@sabika/terms";
import { addIdentity, endIdentity } from "../people/identities.ts";
import { makeLink } from "../people/passkeys.ts";
import {
  addOperator,
  addOperatorKey,
  addRole,
  endOperatorKey,
  removeRole,
  rotateOperatorKey,
  setOperatorEnabled,
} from "../people/people.ts";
import { act } from "./act.ts";
import * as checked from "./argument_checks.ts";
import { oneOf, optional, someOf, text } from "./arguments.ts";
import {
  describeEnabled,
  describeEndOfKey,
  describeIdentity,
  describeLink,
  describeNewPerson,
  describeOperatorKey,
  describeOwnKey,
  describeRole,
} from "./dossier/people_lines.ts";

const NAME = { operator: text };
const ROLE = { ...NAME, role: oneOf(ROLES) };

/** Acts on the people who act for the operator. */
export const PEOPLE_ACTS = {
  "operator.add": act(
    { operator: checked.personName, roles: optional(someOf(ROLES)) },
    describeNewPerson,
    (admin, { operator, roles }) => addOperator(admin, operator, roles ?? []),
  ),
  "operator.enable": act(
    NAME,
    describeEnabled(true),
    (admin, input) => setOperatorEnabled(admin, input.operator, true),
  ),
  "operator.disable": act(
    NAME,
    describeEnabled(false),
    (admin, input) => setOperatorEnabled(admin, input.operator, false),
  ),
  "operator.role.add": act(
    ROLE,
    describeRole(true),
    (admin, input) => addRole(admin, input.operator, input.role),
  ),
  "operator.role.remove": act(
    ROLE,
    describeRole(false),
    (admin, input) => removeRole(admin, input.operator, input.role),
  ),
  "operator.key.add": act(
    { ...NAME, key: text },
    describeOperatorKey,
    (admin, input) => addOperatorKey(admin, input.operator, input.key),
  ),
  "operator.key.rotate": act(
    { key: text },
    describeOwnKey,
    (admin, { key }) => rotateOperatorKey(admin, key),
  ),
  "operator.key.end": act(
    { ...NAME, key_id: text },
    describeEndOfKey,
    (admin, input) => endOperatorKey(admin, input.operator, input.key_id),
  ),
  "operator.link": act(
    { ...NAME, link_sha256: text },
    describeLink,
    (admin, input) => makeLink(admin, input.operator, input.link_sha256),
  ),
  "operator.identity.add": act(
    { ...NAME, issuer: text, subject: text },
    describeIdentity,
    (admin, { operator, ...identity }) => addIdentity(admin, operator, identity),
  ),
  "operator.identity.end": act(
    { ...NAME, issuer: text, subject: text },
    describeIdentity,
    (admin, { operator, ...identity }) => endIdentity(admin, operator, identity),
  ),
} as const;
