import { test } from "node:test";
import { execFileSync } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newMasterKey } from "@sabika/identity/secrets";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { keepRootInDatabase } from "../../test/support/root_in_database.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { envAtDatabase, operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { random } from "../../test/support/random.ts";
import { authorityKeys, fileKeys, withBank } from "../../test/support/test_admin.ts";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

// Decision D73: the root's private key is in its own file, and no database has it.

const PARTNER = commandLine`partner create --client-id bank-one --name Bank --ip 192.0.2.1
  --iban SA0380000000608010167519 --webhook-url https://8.8.8.8/hook`;

test("a root on a machine without a database certifies and renews the issuing authority", async () => {
  const [testDatabase, folder] = await Promise.all([openTestDatabase(), temporaryFolder()]);
  const masterKey = newMasterKey("test-1", random);
  const env = {
    SABIKA_DATABASE_URL: testDatabase.urlAs("sabika_operator"),
    SABIKA_MASTER_KEY: masterKey,
    SABIKA_DATA: folder,
    SABIKA_ENVIRONMENT: "production",
    SABIKA_BASE_URL: "https://api.sabika.example",
  };
  const offline = { SABIKA_ENVIRONMENT: "production", SABIKA_DATA: join(folder, "nothing") };
  const sabika = operatorOf(env);
  const refused = async (words: string, args: string[], vars = env as Record<string, string>) => {
    const { code, stderr } = await runOperator(args, vars);
    assertEquals([code, stderr.includes(words)], [1, true], stderr);
  };
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
  try {
    await refused("has no authorities yet", ["certificate", "crl"]);
    await operatorOf(offline)("authority", "create", "--root", file("root.key"));
    assertEquals((await stat(file("root.key"))).mode & 0o777, 0o600);
    testRecord.secretsIn(await readFile(file("root.key"), "utf8"));
    await refused("is there already", ["authority", "create", "--root", file("root.key")], offline);

    await sabika("authority", "request", "--out", file("issuing.csr"));
    const issue = (csr: string, out: string) =>
      operatorOf(offline)("authority", "issue", csr, "--root", file("root.key"), "--out", out);
    await issue(file("issuing.csr"), file("issuing.pem"));
    await sabika("authority", "install", file("issuing.pem"));

    // A partner's certificate, checked with the lists of both, as a sidecar does.
    for (const use of ["client", "signing"]) {
      const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
      const out = ["-keyout", `${use}.key`, "-out", `${use}.csr`, "-subj", "/O=Bank/CN=bank-one"];
      openssl("req", "-new", ...key, ...out);
    }
    await sabika(...PARTNER, "--csr", file("client.csr"), "--signing-key", file("signing.csr"));
    const kit = (name: string) => join(folder, "partners", "bank-one", name);
    const verify = async (authority: string) => {
      await sabika("certificate", "crl", "--out", file("crl.pem"));
      const chain = await readFile(authority, "utf8");
      await writeFile(file("chain.pem"), chain);
      return openssl(
        ...commandLine`verify -x509_strict -purpose sslclient -crl_check_all -CRLfile crl.pem
          -CAfile ${kit("ca.crt")} -untrusted chain.pem`,
        kit("client.crt"),
      );
    };
    assertMatch(await verify(file("issuing.pem")), /OK/);

    // Eight years later: the same key, and what it certified before is still good.
    const before = await sabika<{ authorities: Named[] }>("authority", "show");
    await sabika("authority", "request", "--out", file("again.csr"));
    await issue(file("again.csr"), file("again.pem"));
    await sabika("authority", "install", file("again.pem"));
    const after = await sabika<{ authorities: Named[] }>("authority", "show");
    assertEquals(sha256(after, "root"), sha256(before, "root"));
    assert(sha256(after, "issuing") !== sha256(before, "issuing"));
    assertMatch(await verify(file("again.pem")), /OK/);

    // Another root, another environment's, another deployment's key, a damaged file.
    const other = ["--root", file("other.key"), "--environment"];
    await operatorOf(offline)("authority", "create", ...other, "production");
    await refused("of another root", ["authority", "issue", "--root", file("other.key")]);
    const sandbox = { ...offline, SABIKA_ENVIRONMENT: "sandbox" };
    await operatorOf(sandbox)("authority", "create", "--root", file("sandbox.key"));
    const args = ["authority", "issue", file("again.csr"), "--root", file("sandbox.key")];
    await refused("not a request for the issuing authority of sandbox", args);
    await refused("not a request", ["authority", "issue", file("client.csr"), ...args.slice(3)]);
    const signed = await readFile(file("again.pem"), "utf8");
    const last = signed.lastIndexOf("-----BEGIN CERTIFICATE");
    await writeFile(file("half.pem"), signed.slice(0, last));
    await refused("two certificates", ["authority", "install", file("half.pem")]);
    await refused("cannot be read", ["authority", "install", file("missing.pem")]);
    await writeFile(file("mixed.key"), await mixed(file("root.key"), file("other.key")), {
      mode: 0o600,
    });
    const mixedRoot = ["authority", "issue", file("again.csr"), "--root", file("mixed.key")];
    await refused("not that of its certificate", mixedRoot, offline);

    const keys = await authorityKeys({
      database: testDatabase.database,
      secrets: { ...fileKeys(masterKey), hashClientSecret: () => Promise.reject() },
    });
    assertEquals([...keys.keys()], ["issuing"]);
    const entries = await sabika<{ action: string }[]>("audit", "list");
    const acts = entries.map(({ action }) => action).filter((action) =>
      action.startsWith("authority")
    );
    assertEquals(
      acts,
      ["install", "request", "install", "request"].map((verb) => `authority.${verb}`),
    );
  } finally {
    testRecord.dataFolder(folder);
    await testDatabase.close();
  }
});

interface Named {
  name: string;
  sha256: string;
}

function sha256({ authorities }: { authorities: Named[] }, name: string): string {
  return authorities.find((authority) => authority.name === name)!.sha256;
}

/** The certificate of the one root with the key of the other. */
async function mixed(first: string, other: string): Promise<string> {
  const [certificate] = (await readFile(first, "utf8")).split("-----BEGIN PRIVATE");
  const [, key] = (await readFile(other, "utf8")).split("-----BEGIN PRIVATE");
  return `${certificate}-----BEGIN PRIVATE${key}`;
}

test("the root's key of a database of 1.0.0 moves to its file, and is forgotten only then", () =>
  withBank(async (admin) => {
    const folder = temporaryFolder();
    const env = envAtDatabase(admin, folder);
    const sabika = operatorOf(env);
    const { sql } = admin.database;
    const [root, otherRoot] = [join(folder, "root.key"), join(folder, "other.key")];
    try {
      const text = (await admin.root.read())!;
      await keepRootInDatabase(admin, text);
      // As 1.0.0 did: the root's list is signed each time.
      const lists = await sabika<{ pem: string }>("certificate", "crl");
      assertEquals(lists.pem.match(/BEGIN X509 CRL/g)?.length, 2);

      await sabika("authority", "create", "--environment", "sandbox", "--root", otherRoot);
      const args = ["authority", "export", "--root", otherRoot];
      const inTheWay = await runOperator(args, env);
      assertStringIncludes(inTheWay.stderr, "another root");
      assertEquals((await authorityKeys(admin)).size, 2);

      const exported = await sabika("authority", "export", "--root", root);
      assertEquals(exported, { moved: true, file: root });
      assertEquals((await stat(root)).mode & 0o777, 0o600);
      assertEquals(await readFile(root, "utf8"), text);
      assertEquals([...(await authorityKeys(admin)).keys()], ["issuing"]);
      assertEquals((await sabika("authority", "export", "--root", root)).moved, false);
      const after = await sabika<{ pem: string }>("certificate", "crl");
      assertEquals(after.pem.match(/BEGIN X509 CRL/g)?.length, 2);
      const [stored] =
        await sql`select revocation_list_pem as list from authorities where name = 'root'`;
      assertStringIncludes(after.pem, stored!.list);
    } finally {
      testRecord.dataFolder(folder);
    }
  }));
