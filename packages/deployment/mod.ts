/** The production shape: the stack on one machine, what containers run, and what prepares both. */
export { type Stack, type StackSettings, startStack } from "./stack/start_stack.ts";
export { type Cluster, type ClusterMember, readMembers } from "./stack/cluster.ts";
export { startServer } from "./stack/server_process.ts";
export { SERVER_RUNTIME } from "./services.ts";
export { stackAdminContext } from "./preparation/stack_partners.ts";
