import { addressSection } from "./addresses.ts";
import { adminSocket, sidecarFolders } from "./folders.ts";
import { localReplies } from "./local_replies.ts";
import { type HeaderNames, PROFILES } from "./profiles.ts";
import { routesOf } from "./routes.ts";
import { SDS_NAMES, sdsReference } from "./sds_names.ts";
import { type Section, watchedFile } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";
import type { Values } from "./template.ts";

/** Returns the values of the names in `envoy.yaml`, except those that each filter chain has for itself. */
export function envoyValues(settings: SidecarSettings): Values {
  const { folder, limits, traces, ready, headers } = settings;
  const { serverName, setsRequestId, loggedRequestId, wrongMethod } = PROFILES[settings.profile];
  return {
    limits,
    traces,
    serverNames: settings.serverNames,
    profile: { serverName, setsRequestId, loggedRequestId, wrongMethod },
    headers: { ...headers },
    removedHeaders: removedHeaders(headers),
    // Envoy's own header goes then; until then the limit of each certificate counts by it.
    ownIdentity: headers.identity === XFCC ? undefined : XFCC,
    httpCheck: ready === undefined ? undefined : { path: ready },
    tcpCheck: ready === undefined ? {} : undefined,
    methods: settings.methods.join("|"),
    routes: routesOf(settings),
    hasStreams: settings.streams.length > 0 ? true : undefined,
    listen: addressSection(settings.listen),
    watch: addressSection(settings.watch),
    tracesAddress: traces === undefined ? undefined : addressSection(traces),
    adminSocket: adminSocket(settings.socketFolder),
    files: { instances: watchedFile(sidecarFolders(folder).instances) },
    secrets: Object.fromEntries(SDS_NAMES.map((name) => [name, sdsReference(folder, name)])),
    accessLog: logger(settings.accessLog),
    tlsLog: logger(settings.tlsLog),
    localReplies: localReplies(settings),
    heapBytes: limits.heapMegabytes * 1024 * 1024,
    requests: limits.upstreamConnections + limits.upstreamWaiting,
    reads: limits.upstreamReads + limits.upstreamWaiting,
    streams: limits.upstreamStreams + limits.upstreamWaiting,
    // Both are longer than a request and its answer may take together, so they end neither early.
    streamSeconds: limits.requestSeconds + limits.answerSeconds + 5,
    streamIdleSeconds: limits.requestSeconds + limits.answerSeconds + 10,
    totalBucket: bucket(limits.totalBurst, limits.totalRequestsPerSecond),
    certificateBucket: bucket(limits.burst, limits.requestsPerSecond),
  };
}

/** Envoy's own header with the caller's certificate. */
const XFCC = "x-forwarded-client-cert";

/** Removes what a caller says in the service's headers, unless their prefix is removed anyway. */
function removedHeaders(headers: HeaderNames): Section[] {
  return Object.values(headers)
    .filter((name) => !/^x-(envoy|forwarded|sabika)-/.test(name))
    .map((name) => ({ remove: name }));
}

/** A logger to a file, or to `stdout`, which a container's engine stores and rotates. */
function logger(target: string): Values {
  const kind = target === "stdout" ? "stdout" : "file";
  const type = kind === "stdout" ? "stream.v3.StdoutAccessLog" : "file.v3.FileAccessLog";
  return {
    name: `envoy.access_loggers.${kind}`,
    type: `type.googleapis.com/envoy.extensions.access_loggers.${type}`,
    path: kind === "file" ? target : undefined,
  };
}

/** A token bucket, refilled up to twenty times a second so that requests pass evenly. */
function bucket(burst: number, perSecond: number): Section {
  const fills = Math.min(20, perSecond);
  return {
    max_tokens: burst,
    tokens_per_fill: Math.max(1, Math.floor(perSecond / fills)),
    fill_interval: `${1 / fills}s`,
  };
}
