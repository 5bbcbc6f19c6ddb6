/** Addresses of hosts, and requests whose connections are checked. */
export { createLookup, lookup } from "./lookup.ts";
export { isLoopbackHost } from "./loopback_host.ts";
export { createPlainFetch, type PlainFetch, plainFetch } from "./plain_fetch.ts";
export { resolveHost } from "./resolve_host.ts";
