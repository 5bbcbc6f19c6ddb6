/** Names of hosts, resolved without a thread, and requests over checked connections. */
export { createLookup, lookup } from "./lookup.ts";
export { isLoopbackHost } from "./loopback_host.ts";
export { createPlainFetch, type PlainFetch, plainFetch } from "./plain_fetch.ts";
export { type ResolvedAddress, resolveHost } from "./resolve_host.ts";
