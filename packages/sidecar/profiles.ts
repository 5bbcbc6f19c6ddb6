import type { Environment } from "@sabika/protocol";

/** The headers in which the sidecar tells the service about the caller. */
export interface HeaderNames {
  /** The SHA-256 of the client certificate: `Hash=<hex>` in `x-forwarded-client-cert`, else the hex alone. */
  identity: string;
  /** The address that the connection came from. */
  peer: string;
  /** The edge secret. */
  secret: string;
}

/** What the sidecar hands on to a service, and how it speaks (Decision D110). */
export interface Profile {
  /** The settings that are left out; a path that ends in `/*` means every path beneath. */
  paths(environment: Environment): string[];
  /** Paths whose answers do not end by themselves. */
  streams: string[];
  methods: string[];
  /** The path at which an instance says whether it is ready; without one, a connection is enough. */
  ready?: string;
  headers: HeaderNames;
  /** Regular expressions: one segment of a path, and what may follow the last one. */
  segment: string;
  pathEnd: string;
  /** The status for a method that is not on the list. */
  wrongMethod: 400 | 405;
  /** The `Server` header of every answer. */
  serverName: string;
  /** What stands before Envoy's id in the `request_id` of a refusal. */
  requestIdPrefix: string;
  /** Whether the sidecar adds `X-Request-Id` to the service's answers. */
  setsRequestId: boolean;
  /** The access log's `request_id`, as Envoy's command. */
  loggedRequestId: string;
  /** Returns the `type` of a refusal. */
  problemType(code: string): string;
  /** The first line of what is rendered. */
  heading: string;
}

const SABIKA: Profile = {
  paths: (environment) => [
    "/v1/*",
    "/health",
    "/oauth/token",
    "/oauth/revoke",
    "/.well-known/oauth-authorization-server",
    "/.well-known/jwks.json",
    "/.well-known/sabika-receipt-keys.json",
    "/.well-known/sabika-attestation-keys.json",
    "/openapi.json",
    "/docs",
    // Spec §4
    ...(environment === "sandbox" ? ["/sandbox/fund", "/sandbox/scenario"] : []),
  ],
  streams: ["/v1/events/stream"],
  // Methods that some endpoint could know; which one knows which is the service's word (405).
  methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
  ready: "/ready",
  headers: {
    identity: "x-forwarded-client-cert",
    peer: "x-sabika-peer-address",
    secret: "x-sabika-edge",
  },
  segment: "[A-Za-z0-9_-][A-Za-z0-9_.~-]*",
  pathEnd: "",
  wrongMethod: 400,
  serverName: "sabika",
  requestIdPrefix: "req_",
  // The service's own X-Request-Id (req_ and Envoy's id) is left as it is.
  setsRequestId: false,
  // What the answer said, whether it was the service's or the sidecar's own.
  loggedRequestId: "%RESP(X-REQUEST-ID)%",
  problemType: (code) => `urn:sabika:error:${code}`,
  heading: 'Envoy in front of the Sabika service. Written by "npm run sidecar -- render"',
};

// RFC 3986 §3.3 without `;`. Escapes only of what cannot stand there as it is, and never of "/", "\", ".",
// "%", ";" or a control character.
const ESCAPE = "%(?:2[0-46-9A-C]|3[AC-F]|40|5[BDE]|60|7[B-D]|[89A-F][0-9A-F])";
const LETTER = "[A-Za-z0-9_~!$&'()*+,=:@-]";

const PLAIN: Profile = {
  paths: () => ["/", "/*"],
  streams: [],
  methods: SABIKA.methods,
  headers: {
    identity: "x-client-certificate-sha256",
    peer: "x-client-address",
    secret: "x-edge-secret",
  },
  // No dot segment: after a first dot there is a letter.
  segment: `\\.?(?:${LETTER}|${ESCAPE})(?:[.]|${LETTER}|${ESCAPE})*`,
  pathEnd: "/?",
  wrongMethod: 405,
  serverName: "sidecar",
  requestIdPrefix: "",
  setsRequestId: true,
  // A request that could not be read has no id but its refusal's; one whose caller left has no answer.
  loggedRequestId:
    '%COALESCE({"operators":[{"command":"REQ","param":"X-REQUEST-ID"},{"command":"RESP","param":"X-REQUEST-ID"}]})%',
  problemType: () => "about:blank",
  heading: 'Envoy in front of a service. Written by "npx @sabika/sidecar render"',
};

/** The profiles, by name. */
export const PROFILES = { sabika: SABIKA, plain: PLAIN } as const satisfies Record<string, Profile>;

/** The name of a profile. */
export type ProfileName = keyof typeof PROFILES;

/** Returns the regular expression of a path in `paths`; undefined when it is to match exactly. */
export function pathPattern(path: string, { segment, pathEnd }: Profile): string | undefined {
  if (!path.endsWith("/*")) return undefined;
  const above = path.slice(0, -2).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return `${above}(/${segment})+${pathEnd}`;
}

/** Whether a text can stand in `paths`. */
export function isPath(path: unknown): path is string {
  const plain = new RegExp(`^(/${PLAIN.segment})*/?$`);
  if (typeof path !== "string" || path === "") return false;
  const above = path.replace(/\/\*$/, "/");
  return plain.test(above) && !above.includes("*");
}
