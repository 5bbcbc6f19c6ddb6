import { askedBy, DONE, own, SIZES } from "./compose_parts.ts";
import type { ComposeService } from "./compose_service.ts";
import {
  builtProgram,
  type DeploymentPlan,
  OFFICE,
  OFFICE_PROGRAM,
  officeEnvironment,
  type OfficePlan,
} from "../services.ts";

/** The networks beside the one that servers, sidecar and watchers are on: no partner's way leads there. */
export const OFFICE_NETWORKS = { [OFFICE]: {} };

/** The operator's office: the network that it alone is on is not the sidecar's. */
export function office(
  plan: DeploymentPlan,
  { at, after, volumes }: { at: OfficePlan; after: Record<string, object>; volumes: string[] },
): ComposeService {
  const port = at.listen.split(":").at(-1)!;
  const isPlain = at.origin.startsWith("http:");
  return own(["secrets:ro", "administration:ro", ...volumes], {
    ...SIZES.office,
    command: ["node", builtProgram(OFFICE_PROGRAM)],
    environment: officeEnvironment(plan, at),
    networks: [OFFICE],
    ports: [`127.0.0.1:${port}:${port}`],
    depends_on: { deployment: DONE, ...after },
    stop_grace_period: "15s",
    restart: "unless-stopped",
    healthcheck: isPlain
      ? askedBy("http", `port:${port},path:"/live"`)
      // Its certificate is for the name that people call.
      : askedBy("https", `port:${port},path:"/live",rejectUnauthorized:false`),
  });
}
