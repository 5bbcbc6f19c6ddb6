import { type Application, buildApplication, buildRouteMap, text_en } from "@stricli/core";
import { VERSION } from "@sabika/terms/settings";
import type { Context } from "./context.ts";
import { isUsage, LaterError } from "./outcome.ts";
import { approval, policy } from "./commands/approval.ts";
import { audit } from "./commands/audit.ts";
import { reconcile } from "./commands/books.ts";
import { authority } from "./commands/authority.ts";
import { cell } from "./commands/cell.ts";
import { certificate } from "./commands/certificate.ts";
import { completion } from "./commands/completion.ts";
import { credentialRequest } from "./commands/credential_request.ts";
import { event } from "./commands/event.ts";
import { evidence } from "./commands/evidence.ts";
import { funding } from "./commands/funding.ts";
import { margin } from "./commands/margin.ts";
import { migrate } from "./commands/migrate.ts";
import { operator } from "./commands/operator.ts";
import { order } from "./commands/order.ts";
import { partner } from "./commands/partner.ts";
import { pool } from "./commands/pool.ts";
import { price } from "./commands/price.ts";
import { quote } from "./commands/quote.ts";
import { address, iban } from "./commands/registered.ts";
import { reserve } from "./commands/reserve.ts";
import { clientSecret, webhookSecret } from "./commands/secrets.ts";
import { refiner } from "./commands/refiner.ts";
import { attestationKey } from "./commands/attestation_key.ts";
import { masterKey, receiptKey, tokenKey } from "./commands/service_keys.ts";
import { signingKey } from "./commands/signing_key.ts";
import { statement } from "./commands/statement.ts";
import { tax } from "./commands/tax.ts";
import { token } from "./commands/token.ts";
import { vault } from "./commands/vault.ts";
import { webhook } from "./commands/webhook.ts";
import { withdrawal } from "./commands/withdrawal.ts";

const DESCRIPTION = `The operator's command of Sabika: admits partners, issues and rotates their
credentials, keeps the vault, the prices and the books.

It works on the data folder of the sandbox (.sabika), whether that runs or not, on the
PostgreSQL of a deployment with --database-url, and through the operator's office, without a
database, with --admin-url.

EXAMPLES
  sabika partner create --client-id bank-one --name 'Bank One' --iban SA0380000000608010167519 \\
    --webhook-url https://hooks.bank-one.example/sabika --csr client.csr --signing-key signing.csr
  sabika vault allocate bank-one 1000
  sabika funding credit bank-one 1000000 --reference FT26324001
  sabika partner list
  sabika certificate rotate bank-one new.csr --overlap 7d
  sabika reconcile

Every command has --help with examples, and --json. docs/operator.md has a whole session.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not to be run again as it is: it waits
for a second person or a cell, or the office's answer was lost.`;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** All commands (Decision D45). */
export const application: Application<Context> = buildApplication(
  buildRouteMap({
    docs: { brief: "The operator's command of Sabika", fullDescription: DESCRIPTION },
    routes: {
      partner,
      authority,
      certificate,
      signingKey,
      credentialRequest,
      clientSecret,
      webhookSecret,
      webhook,
      iban,
      address,
      vault,
      pool,
      order,
      quote,
      event,
      evidence,
      funding,
      reserve,
      withdrawal,
      statement,
      margin,
      tax,
      price,
      reconcile,
      operator,
      approval,
      policy,
      audit,
      migrate,
      cell,
      token,
      receiptKey,
      attestationKey,
      refiner,
      tokenKey,
      masterKey,
      completion,
    },
  }),
  {
    name: "sabika",
    versionInfo: { currentVersion: VERSION },
    scanner: { caseStyle: "allow-kebab-for-camel" },
    documentation: {
      caseStyle: "convert-camel-to-kebab",
      disableAnsiColor: true,
      onlyRequiredInUsageLine: true,
    },
    localization: {
      text: {
        ...text_en,
        exceptionWhileRunningCommand: messageOf,
        exceptionWhileParsingArguments: (error) =>
          text_en.exceptionWhileParsingArguments.call({ formatException: messageOf }, error, false),
      },
    },
    determineExitCode: (error) => {
      const { cause } = error as Error;
      return isUsage(cause) ? 2 : cause instanceof LaterError ? 3 : 1;
    },
  },
);
