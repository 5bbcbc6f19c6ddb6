import { test } from "node:test";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals } from "@std/assert";
import { writeKit } from "@sabika/identity/keys";
import { importPrivatePem } from "@sabika/protocol";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { envAtDatabase, operatorOf } from "../../test/support/run_operator.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { openServiceClient, type ServiceClient } from "../../test/support/service_client.ts";
import { BASE_URL } from "../../test/support/service_requests.ts";
import { type ServicePartner } from "../../test/support/service_partner.ts";
import { startTestService, type TestService } from "../../test/support/test_service.ts";

/** Runs openssl in `folder`, as a partner does to make its own keys. */
function openssl(folder: string, ...args: string[]): void {
  execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
}

/** Rotates all four credentials of a partner by the command; returns the partner afterwards. */
async function rotateAll(
  service: TestService,
  partner: ServicePartner,
  overlap: string,
  afterEach: (partner: ServicePartner) => Promise<void> = () => Promise.resolve(),
): Promise<ServicePartner> {
  const data = temporaryFolder();
  const { clientId } = partner;
  const env = envAtDatabase({ ...service.admin, testDatabase: service.test }, data);
  const sabika = operatorOf(env, service.now);
  const folder = join(data, "partners", clientId);
  await writeKit(folder, BASE_URL, partner.kit);
  let current = partner;
  const change = async (
    kit: Partial<ServicePartner["kit"]>,
    more: Partial<ServicePartner> = {},
  ) => {
    current = { ...current, ...more, kit: { ...current.kit, ...kit } };
    await service.refresh();
    await afterEach(current);
  };
  try {
    const rotate = (noun: string, ...files: string[]) =>
      sabika<Record<string, string>>(noun, "rotate", clientId, ...files, "--overlap", overlap);
    const { client_secret: clientSecret } = await rotate("client-secret");
    await change({ clientSecret: clientSecret! });
    const { webhook_secret: webhookSecret } = await rotate("webhook-secret");
    await change({ webhookSecret: webhookSecret! });

    const curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
    openssl(data, "genpkey", ...curve, "-out", "signing.key");
    openssl(data, "pkey", "-in", "signing.key", "-pubout", "-out", "signing.pub");
    const { key_id: signingKeyId } = await rotate("signing-key", join(data, "signing.pub"));
    const signingKeyPem = await readFile(join(data, "signing.key"), "utf8");
    const signingKey = await importPrivatePem(signingKeyPem);
    assert(signingKey.ok);
    await change({ signingKeyId: signingKeyId!, signingKeyPem }, { signingKey: signingKey.key });

    openssl(data, "genpkey", ...curve, "-out", "client.key");
    const subject = ["-subj", `/O=Bank/CN=${clientId}`];
    openssl(data, "req", "-new", "-key", "client.key", ...subject, "-out", "client.csr");
    const out = join(data, "client.crt");
    await rotate("certificate", join(data, "client.csr"), "--out", out);
    await change({
      clientCertificatePem: await readFile(out, "utf8"),
      clientKeyPem: await readFile(join(data, "client.key"), "utf8"),
    });

    // The command has updated the kit in the data folder with what it made.
    const kit = JSON.parse(await readFile(join(folder, "partner.json"), "utf8"));
    assertEquals([kit.client_secret, kit.webhook_secret, kit.signing_key_id], [
      current.kit.clientSecret,
      current.kit.webhookSecret,
      current.kit.signingKeyId,
    ]);
    return current;
  } finally {
    testRecord.dataFolder(data);
  }
}

test("no request fails during four rotations under load through the SDK (F48)", async () => {
  const service = await startTestService({ instances: 2 });
  const clients: ServiceClient[] = [];
  const loads: Promise<void>[] = [];
  const stops: (() => void)[] = [];
  const counts: number[] = [];
  const failures: unknown[] = [];

  /** Trades in a loop, on one instance, until it is stopped. */
  async function startLoad(partner: ServicePartner, instance: number): Promise<void> {
    const opened = await openServiceClient(partner, service.ports[instance]!);
    clients.push(opened);
    const number = counts.push(0) - 1;
    let running = true;
    stops.push(() => running = false);
    const load = async () => {
      while (running) {
        try {
          const quote = await opened.client.quote({ side: "buy", goldMicrograms: 10_000n });
          await opened.client.order({ quoteId: quote.id });
          await opened.client.probe();
        } catch (error) {
          failures.push(error);
          running = false;
        }
        counts[number]! += 1;
      }
    };
    loads.push(load());
  }

  /** Waits until every load has completed this many more rounds. */
  async function rounds(times: number): Promise<void> {
    const goals = counts.map((count) => count + times);
    while (failures.length === 0 && counts.some((count, i) => count < goals[i]!)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  try {
    const [partner] = service.partners;
    const first = await openServiceClient(partner, service.ports[0]!);
    clients.push(first);
    await first.client.fund({ amountHalalas: 1_000_000_000n });
    await startLoad(partner, 0);
    await startLoad(partner, 1);
    await rounds(2);
    // After each rotation the old clients go on, and a client with the new credential joins.
    let instance = 0;
    await rotateAll(service, partner, "1h", async (rotated) => {
      await startLoad(rotated, instance++ % 2);
      await rounds(2);
    });
    await rounds(2);
    stops.forEach((stop) => stop());
    await Promise.all(loads);
    assertEquals(failures, []);
    const exchanges = clients.flatMap((opened) => opened.exchanges);
    assert(exchanges.length > 100, `${exchanges.length} exchanges`);
    assertEquals(exchanges.filter(({ status }) => status === 0 || status >= 400), []);
  } finally {
    stops.forEach((stop) => stop());
    await Promise.all(loads);
    for (const opened of clients) await opened.close();
    await service.close();
  }
});
