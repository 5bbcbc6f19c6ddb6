import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuzz } from "../../../test/support/fuzz/fuzz.ts";
import { latin1 } from "../../../test/support/fuzz/latin1.ts";
import { testIssuer } from "../../../test/support/test_issuer.ts";
import { bearerTokenCheck } from "../door/bearer_token.ts";
import { FailureBudget } from "../door/failure_budget.ts";
import { issueToken } from "./issue_token.ts";
import { parseForm } from "./parse_form.ts";

const NOW_MS = 1_795_167_000_500;
const { issuer } = await testIssuer(() => NOW_MS);
const HASH = "ab".repeat(32);
const token = await issueToken(issuer, "bank-a", HASH, ["trade"]);
// The budget never runs out: by its clock each case comes a second after the one before.
let budgetMs = NOW_MS;
const budget = new FailureBudget("token", () => budgetMs += 1_000, () => {});
const check = bearerTokenCheck(issuer, budget);
const CALL = {
  peer: { certificateHash: HASH },
  certificate: { hashHex: HASH },
  partner: { clientId: "bank-a" },
};

test(
  "fuzz: the Authorization header is read correctly or refused",
  fuzz({
    samples: [`Bearer ${token}`],
    words: [
      ..."Basic bearer , . .. = eyJhbGciOiJub25lIn0 e30 AA".split(" "),
      " ",
      token.split(".")[1]!,
    ],
    async judge(input) {
      const text = latin1(input);
      const header = (name: string) => name === "authorization" ? text : undefined;
      const checked = await check({ ...CALL, header } as unknown as Parameters<typeof check>[0]);
      if ("code" in checked) return checked.code;
      assertEquals(text.replace(/^bearer/i, "Bearer"), `Bearer ${token}`, "a forged token");
      return "accepted";
    },
  }),
);

test(
  "fuzz: the form of a token request is read correctly or refused",
  fuzz({
    samples: [
      "grant_type=client_credentials&client_id=demo&client_secret=a%2Bb+c%C3%A9",
      "a=1",
      "",
    ],
    words: "& = % %2B %ff %c3 + client_id= %00 ; \u00e9 && ==".split(" "),
    judge(input) {
      const form = parseForm(input);
      if (form === undefined) return "malformed";
      const others = [...new URLSearchParams(new TextDecoder().decode(input))];
      assertEquals([...form], others.filter(([, value]) => value !== ""));
      assertEquals(new Set(others.map(([name]) => name)).size, others.length, "a name twice");
      return "accepted";
    },
  }),
);
