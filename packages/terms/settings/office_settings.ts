import type { Setting } from "./setting.ts";
import { ADDRESS, choice, PATH, text } from "./value.ts";

/** The settings of the office, through which the operator's people work. */
export const OFFICE_SETTINGS = {
  SABIKA_ADMIN_LISTEN: {
    readBy: ["office"],
    means: "Where the office listens: for the operator's people, and no partner.",
    value: ADDRESS,
    never: "an address that is not loopback, without TLS of its own; reachable from partners",
  },
  SABIKA_ADMIN_ALLOW_REMOTE: {
    readBy: ["office"],
    means:
      "Lets a sandbox's office listen on any address without TLS, as in a container whose port is " +
      "published on this machine alone.",
    value: choice(["true", "false"], "false"),
    never: "`true` in production",
  },
  SABIKA_ADMIN_ORIGIN: {
    readBy: ["office", "operator"],
    means: "The address of the office, to which people's passkeys are bound for good.",
    value: text("`https://name[:port]`"),
    never: "an IP address; `http`, but for `http://localhost` in a sandbox",
  },
  SABIKA_ADMIN_TLS_CERTIFICATE_FILE: {
    readBy: ["office"],
    means: "The certificate of the office's own TLS, PEM.",
    value: PATH,
    otherwise: "a proxy on this machine has it",
  },
  SABIKA_ADMIN_TLS_KEY_FILE: {
    readBy: ["office"],
    means: "Its private key, PEM.",
    value: PATH,
    otherwise: "none",
    secret: "file",
  },
  SABIKA_ADMIN_TRUSTED_PROXIES: {
    readBy: ["office"],
    means:
      "The proxies in front of the office, whose `X-Forwarded-For` is believed: the caller, in the audit log and " +
      "for the limit of sign-ins, is the last address there that is none of theirs.",
    value: text("addresses or CIDR ranges with commas between; `unix` for its Unix socket"),
    otherwise: "the caller is whoever connects",
    never: "a range that callers are in",
  },
  SABIKA_ADMIN_OIDC_ISSUER: {
    readBy: ["office"],
    means:
      "The company's OpenID provider, by which people may sign in too ([D84](decisions/office.md)).",
    value: text("`https://host[/path]`, as its ID tokens have it in `iss`"),
    otherwise: "people sign in with passkeys alone",
    never: "`http`, but for this machine in a sandbox; given without the next two",
  },
  SABIKA_ADMIN_OIDC_CLIENT_ID: {
    readBy: ["office"],
    means: "What the provider calls the office.",
    value: text(),
    otherwise: "needed with an issuer",
  },
  SABIKA_ADMIN_OIDC_CLIENT_SECRET_FILE: {
    readBy: ["office"],
    means: "The secret that the provider gave the office.",
    value: PATH,
    otherwise: "needed with an issuer",
    secret: "file",
  },
} satisfies Readonly<Record<string, Setting>>;
