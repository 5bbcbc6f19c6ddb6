import { ERROR_CODES, RETRYABLE, STATUS_OF } from "@sabika/protocol";
import { ERROR_ADVICE } from "./error_advice.ts";

/** The page that is committed. */
export const ERRORS_PAGE_FILE = new URL("../../docs/errors.md", import.meta.url);

const INTRODUCTION = `# Errors

After this page your program handles every error of the service. \`npm run reference\` writes it from the service's own tables. The form of an error is in [the partner's page](partner.md#errors).

Decide by \`code\`, and treat a code that you do not know by its \`retryable\` ([versioning](versioning.md)). **Repeat** says that the same request, signed afresh and with the same \`Idempotency-Key\`, may succeed later: after \`Retry-After\` if there is one, else after a pause that doubles. A refusal never uses up an \`Idempotency-Key\`.
`;

/** docs/errors.md: the codes by status, in the order of the checks that give them. */
export function errorsPage(): string {
  const statuses = [...new Set(ERROR_CODES.map((code) => STATUS_OF[code]))].sort();
  const sections = statuses.map((status) => {
    const rows = ERROR_CODES.filter((code) => STATUS_OF[code] === status).map((code) => {
      const { means, act } = ERROR_ADVICE[code];
      const repeat = RETRYABLE[code] ? "yes" : "no";
      return `| \`${code}\` | ${means} | ${act} | ${repeat} |`;
    });
    return `\n## ${status}\n\n| code | what it means | what to do | repeat |\n` +
      `|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return INTRODUCTION + sections.join("");
}
