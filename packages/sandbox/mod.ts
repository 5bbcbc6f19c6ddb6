/** The embedded sandbox: the whole service in one process, for partners' developers and for tests. */
export { type DemoPartner } from "./demo_partner.ts";
export { type Delivery, type EventReceiver, openEventReceiver } from "./event_receiver.ts";
export { SandboxError } from "./sandbox_error.ts";
export { type Sandbox, type SandboxSettings, startSandbox } from "./start_sandbox.ts";
export { type Surroundings } from "./surroundings.ts";
export { walk, type WalkParts } from "./walk.ts";
export { type Stack, type StackSettings, startStack } from "./stack/start_stack.ts";
