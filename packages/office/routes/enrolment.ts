import { contentOf } from "@sabika/identity/signatures";
import { listOperators } from "@sabika/service/audit";
import { findLink, type PasskeyLink, registerPasskey, registrationOf } from "../people/passkeys.ts";
import { decodeHex, uuidV7 } from "@sabika/protocol";
import { Hono } from "hono";
import type { Office, OfficeEnv } from "../office.ts";
import { creationOptions, readAssertion, readNewPasskey, requestOptions } from "../passkeys.ts";
import { type Members, membersOf, readBody, textOf } from "../read_body.ts";
import { Refused } from "../refused.ts";
import { readAct } from "./acts.ts";
import { type OnSignIn, signIn } from "./sign_in.ts";

/**
 * Makes the routes of `/enrolment`, by which a person registers a passkey with a one-time link (Decision
 * D82). The link's hash is the registration's challenge, so that nothing has to be kept in between.
 */
export function enrolmentRoutes(office: Office, onSignIn: OnSignIn): Hono<OfficeEnv> {
  const { origin, admin } = office;
  const { database: { sql }, environment, now, random } = admin;

  return new Hono<OfficeEnv>()
    .post("/enrolment/options", async (context) => {
      const { link } = await linkOf(await readBody(context));
      const [operator] = await listOperators(sql, link.operator);
      const options = await creationOptions({
        origin,
        operatorId: link.operatorId,
        operator: link.operator,
        challenge: decodeHex(link.linkSha256)!,
        known: operator!.keys.flatMap(({ credentialId }) => credentialId ?? []),
      });
      return context.json({ operator: link.operator, options });
    })
    .post("/enrolment/act", async (context) => {
      const body = await readBody(context);
      const { link } = await linkOf(body);
      const passkey = await passkeyOf(link, body["credential"]);
      const { name, argumentsText } = await registrationOf(link, passkey);
      const id = uuidV7(now(), random);
      const signedAtSeconds = Math.floor(now() / 1000);
      const act = { id, name, argumentsText, signedAtMs: signedAtSeconds * 1000 };
      const challenge = decodeHex(await contentOf(environment, act))!;
      return context.json({
        act: { id, name, arguments: JSON.parse(argumentsText), signed_at: signedAtSeconds },
        options: requestOptions(origin, challenge, [passkey.credentialId]),
      });
    })
    .post("/enrolment", async (context) => {
      const body = await readBody(context);
      const { link, token } = await linkOf(body);
      const passkey = await passkeyOf(link, body["registration"]);
      const { id, signedAtSeconds } = readAct(body["act"]);
      const { assertion } = readAssertion(origin, membersOf(body["credential"], "credential"));
      const from = context.get("from");
      const registered = await registerPasskey({ ...admin, actor: { who: link.operator, from } }, {
        token,
        passkey,
        assertion,
        act: { id, signedAtMs: signedAtSeconds * 1000 },
      });
      if (!registered.ok) throw new Refused(registered.code, registered.detail);
      const { operatorId, keyId, operator: name } = registered.value;
      onSignIn(name, from);
      const [operator] = await listOperators(sql, name);
      return await signIn(office, context, { operatorId, keyId, name, roles: operator!.roles });
    });

  async function linkOf(body: Members): Promise<{ token: string; link: PasskeyLink }> {
    const token = textOf(body, "link");
    const link = await findLink(sql, token);
    if (link === undefined) throw new Refused("link_invalid");
    return { token, link };
  }

  async function passkeyOf({ linkSha256 }: PasskeyLink, credential: unknown) {
    const challenge = decodeHex(linkSha256)!;
    return await readNewPasskey(origin, challenge, membersOf(credential, "credential"));
  }
}
