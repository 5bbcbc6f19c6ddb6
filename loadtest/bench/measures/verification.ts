import { flattenedVerify } from "jose";
import { canonicalString } from "@sabika/canonical";
import { signDetached, verifyDetached } from "@sabika/jws";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { mean } from "../statistics.ts";

/** As many as a busy server has under way at once. */
const IN_FLIGHT = 32;
const SLICE_SECONDS = 0.15;

export const verification: Measure = {
  name: "verification",
  asks: "Does the own verification of a detached signature keep up with the jose library?",
  takes: ({ rounds, seconds }) => 1 + rounds * seconds,
  async run({ rounds, seconds, progress }) {
    const sample = await makeSample();
    await perSecond(0.3, () => ours(sample));
    await perSecond(0.3, () => jose(sample));
    const figures = { ours: [] as number[], jose: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      // Both in one process: short slices in turn, or the other processes' moods are measured.
      const slices = await interleave(Math.ceil(seconds / (2 * SLICE_SECONDS)), {
        ours: () => perSecond(SLICE_SECONDS, () => ours(sample)),
        jose: () => perSecond(SLICE_SECONDS, () => jose(sample)),
      });
      figures.ours.push(mean(slices.ours));
      figures.jose.push(mean(slices.jose));
      progress.say(
        `verification, round ${round + 1}: ours ${figures.ours.at(-1)!.toFixed(0)}, ` +
          `jose ${figures.jose.at(-1)!.toFixed(0)} a second`,
      );
    }
    return [judge(GOALS.verificationOverJose, figures.ours, figures.jose)];
  },
};

type Sample = Awaited<ReturnType<typeof makeSample>>;

async function makeSample() {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const payload = canonicalString({
    method: "POST",
    url: "https://127.0.0.1:8443/v1/orders",
    bodySha256: "0".repeat(64),
    timestamp: "1795167000",
    nonce: crypto.randomUUID(),
  });
  const signature = await signDetached(payload, pair.privateKey, { keyId: "k".repeat(43) });
  return { payload, signature, publicKey: pair.publicKey };
}

async function ours({ payload, signature, publicKey }: Sample): Promise<void> {
  const found = await verifyDetached(signature, payload, publicKey);
  if (!found.ok) throw new Error(`our verification refused: ${found.code}`);
}

async function jose({ payload, signature, publicKey }: Sample): Promise<void> {
  const [header, , proof] = signature.split(".");
  const jws = { protected: header!, payload, signature: proof! };
  await flattenedVerify(jws, publicKey, { algorithms: ["ES256"] });
}

async function perSecond(seconds: number, work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  let count = 0;
  const worker = async () => {
    while (performance.now() < endMs) {
      await work();
      count++;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return count / ((performance.now() - startMs) / 1000);
}
