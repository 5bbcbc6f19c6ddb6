import { buildRouteMap } from "@stricli/core";
import { type Role, ROLES } from "@sabika/terms";
import { OPERATORS, THE_DEPLOYMENT } from "@sabika/office/reads";
import type { OperatorView } from "@sabika/office/wire";
import { encodeBase64Url, encodeUtf8, formatTime, sha256Hex } from "@sabika/protocol";
import { acting } from "../command/acting.ts";
import { command, textFlag } from "../command/command.ts";
import { time } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { role as readRole } from "../command/parsers.ts";
import { readCommands } from "../command/read_commands.ts";
import { severalOf } from "../command/several.ts";
import { list as lines } from "../command/table.ts";
import { RefusedError, UsageError, WaitingError } from "../outcome.ts";
import { readAll, readOne } from "../reads/read.ts";
import { NAME } from "./arguments.ts";
import { operatorIdentity } from "./operator_identity.ts";
import { operatorKey } from "./operator_key.ts";

const ROLE = ["ROLE", `One of ${ROLES.join(", ")}`, readRole] as const;

const add = command<{ role?: readonly Role[] }, [string]>({
  brief: "Add a person, who signs nothing before they have a key",
  more: "As soon as two administrators have keys, every act needs a person, for good.",
  examples: ["operator add amal --role administrator", "operator add badr --role treasury"],
  flags: { role: severalOf(readRole, `What they may do: ${ROLES.join(", ")}`, "ROLE") },
  args: [["NAME", "Lower-case letters, digits and . _ -"]],
  async run(session, { role: roles = [] }, operator) {
    await session.act("operator.add", { operator, roles });
    return { json: { operator, roles: [...roles] }, text: `${operator} is added\n` };
  },
});

const list = command<object, []>({
  brief: "List all people with their roles",
  examples: ["operator list"],
  async run(session) {
    return listing(await readAll(session, OPERATORS), [
      ["name", "NAME", (person) => person.name],
      ["enabled", "ENABLED", (person) => person.enabled],
      ["roles", "ROLES", (person) => person.roles, (person) => person.roles.join(", ")],
      ["keys", "KEYS", (person) => validKeys(person, session.nowMs).length],
    ]);
  },
});

const show = command<object, [string]>({
  brief: "Show a person: roles and keys",
  examples: ["operator show amal"],
  args: [NAME],
  async run(session, _flags, name) {
    const found = (await readAll(session, OPERATORS)).find((person) => person.name === name);
    if (found === undefined) {
      throw new RefusedError("not_found", `there is nobody called "${name}"`);
    }
    const { peopleSinceMs: since } = await readOne(session, THE_DEPLOYMENT);
    const signsInAs = validIdentities(found)
      .map(({ issuer, subject }) => `${subject} of ${issuer}`).join(", ");
    return {
      json: {
        name,
        enabled: found.enabled,
        roles: found.roles,
        created_at: time(found.createdAtMs),
        keys: validKeys(found, session.nowMs).map(({ keyId, validFromMs }) => ({
          key_id: keyId,
          valid_from: time(validFromMs),
        })),
        identities: validIdentities(found).map(({ issuer, subject, validFromMs }) => ({
          issuer,
          subject,
          valid_from: time(validFromMs),
        })),
        people_since: time(since),
      },
      text: lines([
        ["name", name],
        ["enabled", found.enabled ? "yes" : "no"],
        ["roles", found.roles.join(", ") || null],
        ["keys", validKeys(found, session.nowMs).map(({ keyId }) => keyId).join(", ") || null],
        ["signs in as", signsInAs || null],
        ["acts need a person", since === null ? "no" : `since ${formatTime(since)}`],
      ]),
    };
  },
});

const validKeys = ({ keys }: OperatorView, nowMs: number) =>
  keys.filter(({ validUntilMs }) => validUntilMs === null || validUntilMs > nowMs);

const validIdentities = ({ identities }: OperatorView) =>
  identities.filter(({ validUntilMs }) => validUntilMs === null);

function switching(enabled: boolean) {
  const verb = enabled ? "enable" : "disable";
  return acting(`operator.${verb}`, {
    brief: enabled ? "Let a person act again" : "Stop a person: no key of theirs signs any more",
    examples: [`operator ${verb} badr`],
    args: { operator: NAME },
    ...!enabled && { question: ({ operator }) => `Stop ${operator} from now on?` },
    json: ({ operator }) => ({ operator, enabled }),
    text: ({ operator }) => `${operator} is ${verb}d`,
  });
}

const addRole = acting("operator.role.add", {
  brief: "Give a person a role",
  examples: ["operator role add badr treasury"],
  args: { operator: NAME, role: ROLE },
  json: (input) => ({ ...input, added: true }),
  text: ({ operator, role }) => `${operator} has the role ${role}`,
});

const removeRole = acting("operator.role.remove", {
  brief: "Take a role from a person",
  examples: ["operator role remove badr treasury"],
  args: { operator: NAME, role: ROLE },
  json: (input) => ({ ...input, removed: true }),
  text: ({ operator, role }) => `${operator} no longer has the role ${role}`,
});

const link = command<{ origin?: string }, [string]>({
  brief: "Make a one-time link by which a person registers a passkey, good for a day",
  more:
    "Whoever opens it first registers theirs: hand it to the person alone. The log has its hash.",
  examples: ["operator link badr", "operator link badr --origin https://office.example"],
  flags: { origin: textFlag("The office's address (or SABIKA_ADMIN_ORIGIN)", "URL") },
  args: [NAME],
  async run(session, flags, operator) {
    const { env, random, stdout } = session.surroundings;
    const origin = flags.origin ?? env["SABIKA_ADMIN_ORIGIN"];
    if (origin === undefined || !URL.canParse(origin)) {
      throw new UsageError("say where the office is: --origin https://…");
    }
    const token = encodeBase64Url(random(32));
    const url = `${new URL(origin).origin}/enrol#${token}`;
    const shown = { json: { operator, link: url }, text: `${url}\n` };
    try {
      await session.act("operator.link", {
        operator,
        link_sha256: await sha256Hex(encodeUtf8(token)),
      });
    } catch (error) {
      // Nobody can show it again, and it is good as soon as a second person approves.
      if (error instanceof WaitingError) {
        stdout.write(session.flags.json ? `${JSON.stringify(shown.json)}\n` : shown.text);
      }
      throw error;
    }
    return shown;
  },
});

/** `sabika operator …` */
export const operator = buildRouteMap({
  docs: { brief: "The people who act, their roles and their keys" },
  routes: {
    add,
    list,
    show,
    ...readCommands("operator"),
    enable: switching(true),
    disable: switching(false),
    role: buildRouteMap({
      docs: { brief: "What a person may do" },
      routes: { add: addRole, remove: removeRole },
    }),
    key: operatorKey,
    identity: operatorIdentity,
    link,
  },
});
