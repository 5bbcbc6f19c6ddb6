import { ERROR_CODES, RETRYABLE, STATUS_OF, TITLE_OF } from "@sabika/protocol";
import { ERROR_ADVICE } from "./error_advice.ts";

/** The page that is committed. */
export const ERRORS_PAGE_FILE = new URL("../../docs/errors.md", import.meta.url);

const INTRODUCTION = `# Errors

Every error code of the service: what it means, what your program does about it, and whether the same request may succeed later. For developers who have read [the partner's page](partner.md). \`npm run reference\` writes this page from the tables that the service itself uses.

Every error but those of the token endpoint is \`application/problem+json\` (RFC 9457); its form is in [the partner's page](partner.md#errors). Decide by \`code\`. Titles and details are for people and may change; so may a status be new to you, as new codes come ([versioning](versioning.md)): treat a code that you do not know by its \`retryable\`.

**Repeat** says that the same request, signed afresh and with the same \`Idempotency-Key\`, may succeed later without any change by you: after \`Retry-After\` if there is one, else after a pause that doubles. Where it says no, the same request is refused again until you, or the operator, have done something. A refusal never uses up an \`Idempotency-Key\`.
`;

/** docs/errors.md: the codes by status, in the order of the checks that give them. */
export function errorsPage(): string {
  const statuses = [...new Set(ERROR_CODES.map((code) => STATUS_OF[code]))].sort();
  const sections = statuses.map((status) => {
    const rows = ERROR_CODES.filter((code) => STATUS_OF[code] === status).map((code) => {
      const { means, act } = ERROR_ADVICE[code];
      const repeat = RETRYABLE[code] ? "yes" : "no";
      return `| \`${code}\` | ${TITLE_OF[code]} | ${means} | ${act} | ${repeat} |`;
    });
    return `\n## ${status}\n\n| code | title | what it means | what to do | repeat |\n` +
      `|---|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return INTRODUCTION + sections.join("");
}
