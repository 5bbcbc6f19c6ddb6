import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { KmsSettings } from "@sabika/identity/secrets";
import { findProgram } from "../../tools/programs/find_program.ts";
import { inheritedMark } from "../../tools/programs/marked_processes.ts";

/** A running emulator of AWS KMS; its keys are lost when it stops. */
export interface RunningMoto {
  settings: KmsSettings;
  /** The environment variables by which a program reaches the emulator. */
  env: Record<string, string>;
  /** Carries out an action, such as `CreateKey`; throws Error unless it is done. */
  call(action: string, body: object): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** Returns why moto is missing; undefined if it is there, and in CI, so that tests fail and are not skipped. */
export async function whyNoMoto(): Promise<string | undefined> {
  const reason = await findProgram("moto_server").then(
    () => undefined,
    (error: Error) => error.message,
  );
  return process.env["CI"] ? undefined : reason;
}

/** Starts moto on a free port; throws Error with its output if it ends at once. */
export async function startMoto(): Promise<RunningMoto> {
  const { command, args, env } = await findProgram("moto_server");
  const child = spawn(command, [...args, "-H", "127.0.0.1", "-p", "0"], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...inheritedMark(), ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close");
  let output = "";
  const port = await new Promise<number>((resolve, reject) => {
    ended.then(() => reject(new Error(`moto ended: ${output}`)), reject);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const found = /Running on http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
  });
  const settings = {
    endpoint: `http://127.0.0.1:${port}`,
    region: "me-central-1",
    accessKeyId: "testing",
    secretAccessKey: "testing",
    aliasPrefix: "alias/sabika/sandbox/",
  };
  return {
    settings,
    env: {
      SABIKA_KEY_SERVICE: "aws-kms",
      AWS_ENDPOINT_URL_KMS: settings.endpoint,
      AWS_REGION: settings.region,
      AWS_ACCESS_KEY_ID: settings.accessKeyId,
      AWS_SECRET_ACCESS_KEY: settings.secretAccessKey,
    },
    async call(action, body) {
      const answer = await fetch(settings.endpoint, {
        method: "POST",
        headers: {
          "content-type": "application/x-amz-json-1.1",
          "x-amz-target": `TrentService.${action}`,
          authorization:
            "AWS4-HMAC-SHA256 Credential=testing/20261121/me-central-1/kms/aws4_request",
        },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${action}: ${answer.status} ${text}`);
      return text === "" ? {} : JSON.parse(text);
    },
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Makes the keys that an operator makes in the key service for a deployment. */
export async function makeDeploymentKeys({ call, settings }: RunningMoto): Promise<void> {
  const sealing = ["authorities", "sealed_keys", "token_keys", "webhook_secrets"];
  for (const name of [...sealing, "issuing"]) {
    const kind = name === "issuing"
      ? { KeySpec: "ECC_NIST_P256", KeyUsage: "SIGN_VERIFY" }
      : { KeySpec: "SYMMETRIC_DEFAULT" };
    const made = await call("CreateKey", kind) as { KeyMetadata: { KeyId: string } };
    await call("CreateAlias", {
      AliasName: settings.aliasPrefix + name,
      TargetKeyId: made.KeyMetadata.KeyId,
    });
  }
}
