import { once } from "node:events";
import { connect } from "node:net";
import { makeServerCertificate } from "@sabika/identity/certificates";
import { writePrivateFile } from "@sabika/identity/keys";
import type { Opened } from "@sabika/server";
import { checkPort, tryPort } from "../folders/check_port.ts";
import { placeFiles } from "../places.ts";
import { inviteFirstPerson } from "../preparation/invite_first_person.ts";
import type { PreparedDeployment } from "../preparation/prepare_deployment.ts";
import { stackAdminContext } from "../preparation/stack_partners.ts";
import {
  type DeploymentPlan,
  OFFICE,
  OFFICE_PROGRAM,
  officeEnvironment,
  type OfficePlan,
} from "../services.ts";
import type { Surroundings } from "../surroundings.ts";
import { createInstances } from "./instances.ts";
import type { Restarts } from "./restarts.ts";
import type { ProcessPlan } from "./server_process.ts";

/** The office of a stack. */
export interface StackOffice {
  /** For a browser on this machine. */
  readonly url: string;
  /** The link of `inviteFirstPerson`; undefined when nobody is to be invited. */
  readonly enrolUrl: string | undefined;
  /** Its process; undefined while it is started again. */
  running(): { name: string; pid: number } | undefined;
}

/** The parts of the stack that the office uses. */
export interface OfficeParts {
  readonly plan: DeploymentPlan;
  readonly prepared: PreparedDeployment;
  readonly logsFolder: string;
  readonly restarts: Restarts;
  readonly built?: string | undefined;
  readonly progress: (line: string) => void;
}

/** The office's port minus the partners', unless it is chosen. */
const APART = 1_000;

/**
 * Finds the office's port: `wanted` (0: any free one), else the partners' port plus 1000, else a free one.
 *
 * @throws {StartError} when the wanted port is taken
 */
export async function findOfficePort(wanted: number | undefined, partners: number) {
  if (wanted !== undefined) return await checkPort(wanted, "--office-port");
  const near = partners + APART;
  if (partners === 0 || near > 65_535) return await checkPort(0);
  return await tryPort(near) ?? await checkPort(0);
}

/** Returns the plan of a stack's office: without TLS in a sandbox, since browsers trust `localhost`. */
export function officePlan(environment: DeploymentPlan["environment"], port: number): OfficePlan {
  const scheme = environment === "sandbox" ? "http" : "https";
  return { origin: `${scheme}://localhost:${port}`, listen: `127.0.0.1:${port}` };
}

/** Starts the office as a process of its own, on this machine alone; it is started again when it ends. */
export async function startStackOffice(
  office: OfficePlan,
  { plan, prepared, progress, ...parts }: OfficeParts,
  surroundings: Surroundings,
  opened: Opened,
): Promise<StackOffice> {
  progress("the operator's office");
  const { database, deployment } = prepared;
  const { now, random } = surroundings;
  if (office.origin.startsWith("https:")) {
    const { officeCertificate, officeKey } = placeFiles(plan.places);
    const { certificatePem, keyPem } = await makeServerCertificate({
      authorities: deployment.authorities,
      hosts: ["localhost"],
      nowMs: now(),
      random,
    });
    await writePrivateFile(officeCertificate, certificatePem);
    await writePrivateFile(officeKey, keyPem);
  }
  const instances = createInstances({ ...parts, planOf: () => processPlan(plan, office) });
  opened.add(() => instances.stopAll());
  await instances.start(OFFICE);
  const admin = stackAdminContext({ ...deployment, database, now, random });
  return {
    url: office.origin,
    enrolUrl: await inviteFirstPerson(admin, office.origin),
    running: () => instances.running()[0],
  };
}

function processPlan(plan: DeploymentPlan, office: OfficePlan): ProcessPlan {
  return {
    program: OFFICE_PROGRAM,
    environment: officeEnvironment(plan, office),
    // The office listens last, when everything else is open.
    async isReady() {
      const [host, port] = office.listen.split(":");
      const socket = connect(Number(port), host);
      const answers = await once(socket, "connect").then(() => true, () => false);
      socket.destroy();
      return answers;
    },
  };
}
