// Buys gold with a key that signs in AWS KMS. Node: npm install @aws-sdk/client-kms && node key_in_kms.mjs KIT KEY
import process from "node:process";
import { KMS } from "@aws-sdk/client-kms";
import { createClient, grams, openKit, openKmsSigner, riyals } from "@sabika/client";

const [folder, key] = process.argv.slice(2); // such as alias/sabika, of the spec ECC_NIST_P256
const kms = new KMS(); // Region and credentials are AWS's own: variables, a profile, the instance's role.
const kit = await openKit({ folder, signingKey: await openKmsSigner(kms, key) });
const client = createClient(kit);
await client.fund({ amountHalalas: riyals("1000") }); // sandbox only
const quote = await client.quote({ side: "buy", goldMicrograms: grams("1") });
const order = await client.order({ quoteId: quote.id });
console.log(order.id, order.status, kit.signingKeyId);
await client.close();
