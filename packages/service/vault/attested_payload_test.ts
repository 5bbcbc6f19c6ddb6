import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { CompactSign, importPKCS8 } from "jose";
import { endAttestationKey } from "./mod.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { registerOutsider } from "../../../test/support/test_outsider.ts";

// What others sign, with jose: the inspector and the auditor have none of our programs.

const admin = await openTestAdmin();
const inspector = await registerOutsider(admin, "inspector");
after(() => admin.close());

const TYP = "sabika-count";
const TEXT = '{"place":"الرياض, shelf 4"}';

/** Signs a text; `header` replaces members of the right header. */
async function sign(
  { privatePem, keyId }: { privatePem: string; keyId: string },
  header: Record<string, unknown> = {},
  text: string | Uint8Array = TEXT,
): Promise<string> {
  const payload = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return await new CompactSign(payload)
    .setProtectedHeader({ alg: "ES256", kid: keyId, typ: TYP, ...header })
    .sign(await importPKCS8(privatePem, "ES256"));
}

/** Opens a signature in the database; returns the payload, or the constraint that refused it. */
async function open(jws: string | null, role = "inspector"): Promise<string> {
  try {
    const [row] = await admin.database.sql<{ payload: string }[]>`
      select attested_payload(${jws}, ${TYP}, ${role}) as payload`;
    return row!.payload;
  } catch (error) {
    const { constraint_name, message } = error as Error & { constraint_name?: string };
    const code = constraint_name?.replace("attested_", "");
    assertEquals(message, `the ${role}'s signature is refused: ${code}`);
    return code!;
  }
}

const recode = (text: string) => btoa(text).replaceAll("=", "");

test("attested_payload() opens what the key of the role signed, whatever the order of the header", async () => {
  assertEquals(await open(await sign(inspector)), TEXT);
  const long = JSON.stringify({ found: Array.from({ length: 5_000 }, (_, n) => `SA-${n}`) });
  assertEquals(await open(await sign(inspector, {}, long)), long);
  const { keyId: kid } = inspector;
  const key = await importPKCS8(inspector.privatePem, "ES256");
  const ordered = await new CompactSign(new TextEncoder().encode(TEXT))
    .setProtectedHeader({ typ: TYP, alg: "ES256", kid }).sign(key);
  assertEquals(await open(ordered), TEXT);
});

test("attested_payload() refuses each other signature for a reason of its own", async () => {
  const jws = await sign(inspector);
  const [header, payload, signature] = jws.split(".") as [string, string, string];
  const { keyId } = inspector;
  const auditor = await registerOutsider(admin, "auditor");
  const ended = await registerOutsider(admin, "inspector");
  const [last] = signature.slice(-1);
  const unusedBits = signature.slice(0, -1) +
    ({ A: "B", Q: "R", g: "h", w: "x" } as Record<string, string>)[last!];
  const twice = recode(`{"alg":"ES256","kid":"${keyId}","typ":"${TYP}","typ":"${TYP}"}`);
  const escaped = recode(`{"alg":"ES256","kid":"${keyId}","typ":"sabika\\u002dcount"}`);
  const cases: [name: string, jws: string | null, code: string][] = [
    ["nothing", null, "malformed"],
    ["no JWS", "x", "malformed"],
    ["a detached JWS", `${header}..${signature}`, "altered"],
    ["four parts", `${jws}.`, "malformed"],
    ["a blank", `${header}.${payload}\n.${signature}`, "malformed"],
    ["padding", `${header}=.${payload}.${signature}`, "malformed"],
    ["unused bits", `${header}.${payload}.${unusedBits}`, "malformed"],
    ["a short signature", `${header}.${payload}.${signature.slice(4)}`, "malformed"],
    ["no JSON", `${recode("header")}.${payload}.${signature}`, "malformed"],
    ["no object", `${recode("[]")}.${payload}.${signature}`, "malformed"],
    ["no UTF-8", `${recode("\xff")}.${payload}.${signature}`, "malformed"],
    ["a member twice", `${twice}.${payload}.${signature}`, "malformed"],
    ["an escape", `${escaped}.${payload}.${signature}`, "malformed"],
    ["another member", await sign(inspector, { cty: "json" }), "malformed"],
    ["a member less", await sign(inspector, { typ: undefined }), "malformed"],
    ["a text that is no UTF-8", await sign(inspector, {}, Uint8Array.of(0xff)), "malformed"],
    [
      "another algorithm",
      `${recode(atob(header).replace("ES256", "none"))}.${payload}.${signature}`,
      "wrong_algorithm",
    ],
    ["another type", await sign(inspector, { typ: "sabika-attestation" }), "other_type"],
    ["no registered key", await sign(inspector, { kid: "x".repeat(43) }), "unknown_key"],
    ["a key id that is no text", await sign(inspector, { kid: 7 }), "unknown_key"],
    ["another's key", await sign({ ...inspector, keyId: ended.keyId }), "altered"],
    ["an auditor's key", await sign(auditor), "other_role"],
    ["another text", `${header}.${recode("{}")}.${signature}`, "altered"],
    ["no point of the curve", `${header}.${payload}.${"A".repeat(86)}`, "altered"],
  ];
  for (const [name, tried, code] of cases) assertEquals(await open(tried), code, name);
  assertEquals(await open(jws, "auditor"), "other_role");
  assertEquals((await endAttestationKey(admin, ended.keyId)).ok, true);
  assertEquals(await open(await sign(ended)), "key_ended");
});
