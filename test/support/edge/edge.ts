import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { testRecord } from "../../secret_search/record.ts";
import {
  askAdmin,
  completeSettings,
  type Limits,
  rotate,
  runEnvoy,
  type SecretSet,
  type SettingsInput,
} from "@sabika/sidecar";
import { createAuthority } from "./authority.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { startUpstream } from "./upstream.ts";
import { each } from "../each.ts";

/** A real Envoy with the sidecar's configuration, in front of an upstream that echoes requests. */
export type Edge = Awaited<ReturnType<typeof startEdge>>;

/** The secret between the edge and its upstream. */
export const EDGE_SECRET = "edge-secret-for-tests-0123456789abcdef";
/** The pages of Envoy's admin interface, including those that the sidecar refuses. */
const ADMIN_PAGES = each(`/stats /stats/prometheus /certs /listeners /ready /config_dump /clusters
  /server_info /memory /runtime`);
/** The shortest remaining validity that a rotation accepts. */
export const RULES = { certificateDays: 3, crlHours: 1 };

/** Starts an edge; `wishes` are the settings that differ from production's. */
export async function startEdge(
  wishes: Partial<Omit<SettingsInput, "limits">> & { limits?: Partial<Limits> } = {},
) {
  const folder = temporaryFolder();
  const upstream = await startUpstream(folder, "a");
  const authority = await createAuthority("Sabika Test CA");
  const partner = await authority.issue({ commonName: "demo" });
  const server = await authority.issueServer();
  const settings = completeSettings({
    folder,
    environment: "sandbox",
    serverNames: ["localhost", "127.0.0.1"],
    listen: "127.0.0.1:0",
    watch: "127.0.0.1:0",
    instances: [{ address: upstream.address, watch: upstream.watch }],
    accessLog: join(folder, "access.log"),
    tlsLog: join(folder, "tls.log"),
    ...wishes,
  });
  const secrets: SecretSet = {
    serverCertificate: server.certificate,
    serverKey: server.key,
    partnerCa: authority.pem,
    partnerCrl: await authority.crl(),
    edgeSecret: EDGE_SECRET,
  };
  const rotation = await rotate(settings, secrets, { nowMs: Date.now(), ...RULES });
  if (!rotation.ok) throw new Error(rotation.problems.join("; "));
  const { command } = await findProgram("envoy");
  const envoy = await runEnvoy(command, settings, Date.now());
  return {
    folder,
    settings,
    envoy,
    upstream,
    authority,
    partner,
    secrets,
    /** Envoy's logs so far, and all answers of its admin interface. */
    async readAllOutput() {
      const logs = (await readdir(folder)).filter((name) => name.endsWith(".log"));
      const texts = await Promise.all(logs.map((name) => readFile(join(folder, name), "utf8")));
      return [...texts, await readAdminPages(envoy.adminSocket)].join("\n");
    },
    async close() {
      // The test may have ended Envoy itself.
      testRecord.log("envoy-admin", await readAdminPages(envoy.adminSocket).catch(() => ""));
      await envoy.stop();
      testRecord.dataFolder(folder);
      await upstream.close();
    },
  };
}

/** Reads all pages of Envoy's admin interface, including those that must be refused. */
export async function readAdminPages(adminSocket: string): Promise<string> {
  const texts: string[] = [];
  for (const path of ADMIN_PAGES) texts.push((await askAdmin(adminSocket, path)).text);
  return texts.join("\n");
}
