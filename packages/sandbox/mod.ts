/** The embedded sandbox: the whole service in one process, for partners' developers and for tests. */
export type { DemoPartner } from "./demo_partner.ts";
export { type Delivery, type EventReceiver, openEventReceiver } from "./event_receiver.ts";
export { StartError } from "@sabika/deployment/folders";
export { type Sandbox, type SandboxSettings, startSandbox } from "./start_sandbox.ts";
export type { Surroundings } from "@sabika/deployment/folders";
export { walk, type WalkParts } from "./walk.ts";
