import { NONCE_RETENTION_MIN_SECONDS, NONCE_RETENTION_SECONDS } from "@sabika/protocol";
import { CELL_SETTINGS } from "./cell_settings.ts";
import { KEY_SETTINGS } from "./key_settings.ts";
import { LOAD_SETTINGS } from "./load_settings.ts";
import { NOTIFICATION_SETTINGS } from "./notification_settings.ts";
import { OFFICE_SETTINGS } from "./office_settings.ts";
import type { Setting } from "./setting.ts";
import { ADDRESS, choice, FLAG, matching, NOT_WHOLE, PATH, text, wholeNumber } from "./value.ts";

/** Every environment variable that Sabika reads. */
export const SETTINGS = {
  SABIKA_ENVIRONMENT: {
    readBy: ["server", "office", "operator"],
    means: "What the deployment is. `sabika` refuses a database of the other one.",
    value: choice(["sandbox", "production"]),
    refused: ["staging", ""],
  },
  SABIKA_BASE_URL: {
    readBy: ["server", "office", "operator", "load"],
    means: "The address that partners call; every URL that they sign begins with it.",
    value: matching(
      "`https://host[:port][/path]`",
      // Only URLs that a library would not normalise, since they are compared byte for byte.
      /^https:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?(?:\/[A-Za-z0-9_.~-]+)*$/,
      "https://host[:port][/path], in lower case and without a trailing slash",
    ),
    otherwise:
      "`https://127.0.0.1:PORT` with the server's own TLS; behind the sidecar it is needed. An office without it encrypts no kits",
    never: "`http`, in upper case, with a user, or with a slash at its end",
    refused: ["http://api.sabika.example", "https://api.sabika.example/", "https://API.example"],
  },
  SABIKA_DATABASE_URL: {
    readBy: ["server", "office", "operator"],
    means: "The PostgreSQL, with the password in it. Better in a file: see the next one.",
    value: text(
      "`postgres://user:password@host/database`; a primary and its standbys " +
        "([scale](scale.md#standbys)): `…@host,host/database?target_session_attrs=read-write`",
    ),
    otherwise: "needed by servers, or the next one; the operator's command takes the data folder's",
    never:
      "several hosts without `target_session_attrs=read-write`; in production: another machine without `sslmode=verify-full`, PGlite, a database with " +
      "`fsync`, `synchronous_commit` or `full_page_writes` off, a role that may do more than serve",
    secret: "value",
  },
  SABIKA_DATABASE_URL_FILE: {
    readBy: ["server", "office", "operator"],
    means: "The same in a file, which no list of processes shows. It goes before the other.",
    value: PATH,
    otherwise: "`SABIKA_DATABASE_URL`",
    refused: ["/nowhere/database.url"],
    secret: "file",
  },
  SABIKA_OWNER_DATABASE_URL: {
    readBy: ["operator"],
    means: "The database's owner, for `sabika migrate`.",
    value: text("`postgres://…`"),
    otherwise: "`SABIKA_DATABASE_URL`",
    never: "known to a server",
    secret: "value",
  },
  SABIKA_OWNER_DATABASE_URL_FILE: {
    readBy: ["operator"],
    means: "The same in a file. It goes before the other.",
    value: PATH,
    otherwise: "`SABIKA_OWNER_DATABASE_URL`",
    secret: "file",
  },
  SABIKA_BREAK_GLASS_DATABASE_URL: {
    readBy: ["operator"],
    means: "A login in `sabika_break_glass`, for `--break-glass` alone.",
    value: text("`postgres://…`"),
    otherwise: "`SABIKA_OWNER_DATABASE_URL`",
    never: "known to a server",
    secret: "value",
  },
  SABIKA_BREAK_GLASS_DATABASE_URL_FILE: {
    readBy: ["operator"],
    means: "The same in a file. It goes before the other.",
    value: PATH,
    otherwise: "`SABIKA_BREAK_GLASS_DATABASE_URL`",
    secret: "file",
  },
  ...CELL_SETTINGS,
  SABIKA_DATABASE_CONNECTIONS: {
    readBy: ["server"],
    means:
      "The most connections of an instance for trading, to each cell. Reading and deliveries have 11 more.",
    value: wholeNumber("connections", { least: 1 }),
    otherwise: "8, which is best on 2 cores",
    never: "0",
    refused: [...NOT_WHOLE, "0"],
  },
  ...KEY_SETTINGS,
  SABIKA_LISTEN: {
    readBy: ["server"],
    means: "Where requests come in.",
    value: ADDRESS,
    never: "in production: an address that is not loopback",
    refused: ["8443", "127.0.0.1:99999", ""],
  },
  SABIKA_EDGE_SECRET_FILE: {
    readBy: ["server"],
    means:
      "The secret that the sidecar adds to each request, one on each line; it is read again every second.",
    value: PATH,
    otherwise: "the server's own TLS",
    never: "missing in production; given beside `SABIKA_TLS_CERTIFICATE_FILE`",
    secret: "file",
  },
  SABIKA_TLS_CERTIFICATE_FILE: {
    readBy: ["server"],
    means: "The certificate of the server's own TLS, PEM.",
    value: PATH,
    otherwise: "needed without the sidecar",
    never: "given in production, or beside `SABIKA_EDGE_SECRET_FILE`",
    refused: ["/nowhere/tls.crt"],
  },
  SABIKA_TLS_KEY_FILE: {
    readBy: ["server"],
    means: "Its private key, PEM.",
    value: PATH,
    otherwise: "needed without the sidecar",
    secret: "file",
  },
  SABIKA_CLIENT_CA_FILE: {
    readBy: ["server"],
    means: "The authorities of partners' certificates, PEM.",
    value: PATH,
    otherwise: "needed without the sidecar",
  },
  SABIKA_WATCH_LISTEN: {
    readBy: ["server"],
    means:
      "Where `/metrics`, `/live`, `/ready` and `/health` (with the version) are answered. They have no password.",
    value: ADDRESS,
    otherwise: "nowhere; stack, compose and chart set it",
    never: "an address that is not loopback, unless the next one is `true`",
    refused: ["0.0.0.0:9464", "[::]:9464", "9464"],
  },
  SABIKA_WATCH_ALLOW_REMOTE: {
    readBy: ["server"],
    means: "Declares that only those who may see the metrics can reach that address.",
    value: FLAG,
    refused: ["yes"],
  },
  SABIKA_WEBHOOK_DELIVERY: {
    readBy: ["server"],
    means:
      "Whether this process delivers webhooks: beside its answers, never, or as all it is for " +
      "(then it takes no `SABIKA_LISTEN` and runs at a lower priority).",
    value: choice(["here", "off", "alone"], "here"),
    otherwise: "`here`; in stack and compose `off`, and a process of its own with `alone`",
    refused: ["elsewhere", "on"],
  },
  SABIKA_WEBHOOK_CA_FILE: {
    readBy: ["server"],
    means: "An authority that webhook receivers are checked against, beside the system's, PEM.",
    value: PATH,
    otherwise: "the system's alone",
    refused: ["/nowhere/ca.crt"],
  },
  SABIKA_WEBHOOK_ALLOW_LOOPBACK: {
    readBy: ["server"],
    means: "Lets webhooks go to this machine itself, where a sandbox's receivers are.",
    value: FLAG,
    never: "`true` in production",
    refused: ["yes", "true"],
  },
  SABIKA_NONCE_RETENTION_SECONDS: {
    readBy: ["server"],
    means: "How long used nonces are kept.",
    value: wholeNumber("seconds", {
      least: NONCE_RETENTION_MIN_SECONDS,
      otherwise: NONCE_RETENTION_SECONDS,
    }),
    never: `below ${NONCE_RETENTION_MIN_SECONDS}: a signed request could pass twice`,
    refused: [...NOT_WHOLE, `${NONCE_RETENTION_MIN_SECONDS - 1}`],
  },
  SABIKA_EVIDENCE_DAYS: {
    readBy: ["server"],
    means:
      "How long the signed requests behind orders and withdrawals are kept; their hashes stay.",
    value: wholeNumber("days", { least: 365, otherwise: 3653 }),
    never: "below 365",
    refused: [...NOT_WHOLE, "364"],
  },
  SABIKA_PRICE_DAYS: {
    readBy: ["server"],
    means:
      "How long the prices that quotes were made at are kept. Quotes and orders keep their own.",
    value: wholeNumber("days", { least: 365, otherwise: 3653 }),
    never: "below 365",
    refused: [...NOT_WHOLE, "364"],
  },
  SABIKA_WEBHOOK_ATTEMPTS_DAYS: {
    readBy: ["server"],
    means:
      "How long attempts to deliver webhooks are kept: the proof of what was delivered, and when.",
    value: wholeNumber("days", { least: 7, otherwise: 90 }),
    never: "below 7",
    refused: [...NOT_WHOLE, "6"],
  },
  SABIKA_DRAIN_SECONDS: {
    readBy: ["server"],
    means: "How long a stopping instance goes on serving, so that the sidecar turns away first.",
    value: wholeNumber("seconds"),
    otherwise: "3 behind the sidecar, 0 with its own TLS",
    never: "shorter than the sidecar's health check takes (1 s)",
    refused: NOT_WHOLE,
  },
  SABIKA_ACCESS_LOG: {
    readBy: ["server"],
    means:
      "Which answers are logged; a caller's `rate_limited` once a second, with how many were left out. Events always are.",
    value: choice(["all", "refusals", "none"], "all"),
    refused: ["some"],
  },
  SABIKA_AUDIT_HEADS_FILE: {
    readBy: ["server"],
    means: "Where each new head of the audit log is appended to, beside the log.",
    value: PATH,
    otherwise: "the log alone",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    readBy: ["server"],
    means: "Where spans are sent, OTLP over HTTP.",
    value: text("URL, such as `http://collector:4318`"),
    otherwise: "nothing is traced",
  },
  ...OFFICE_SETTINGS,
  ...NOTIFICATION_SETTINGS,
  SABIKA_ADMIN_URL: {
    readBy: ["operator"],
    means:
      "The office's address (its `SABIKA_ADMIN_ORIGIN`): `sabika` speaks to it with the person's key, " +
      "and needs no database; `--admin-url`, `--database-url` and `--data` go before it.",
    value: text("`https://name[:port]`"),
    otherwise: "`sabika` works at the database",
    never: "`http`, but for this machine",
  },
  SABIKA_ADMIN_AUTHORITY_FILE: {
    readBy: ["operator"],
    means: "Who certified the office, PEM; `--admin-authority` goes before it.",
    value: PATH,
    otherwise: "a public authority",
  },
  SABIKA_DATA: {
    readBy: ["operator"],
    means: "The data folder; `--data` goes before it.",
    value: PATH,
    otherwise: "`.sabika`",
  },
  SABIKA_OPERATOR: {
    readBy: ["operator"],
    means: "Who acts, for the audit log; `--as` goes before it.",
    value: text("name"),
    otherwise: "the user of the system",
  },
  SABIKA_OPERATOR_KEY_FILE: {
    readBy: ["operator"],
    means: "Your own key, which signs what you do; `--operator-key` goes before it.",
    value: text("path of a file with mode 0600"),
    otherwise: "nothing is signed",
  },
  ...LOAD_SETTINGS,
} satisfies Readonly<Record<string, Setting>>;
