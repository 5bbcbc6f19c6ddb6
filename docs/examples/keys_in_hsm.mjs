// Buys gold while both private keys stay in an HSM.
// Node: npm install pkcs11js && PKCS11_PIN=… node keys_in_hsm.mjs KIT MODULE ENGINE
import process from "node:process";
import { createClient, grams, riyals } from "@sabika/client";
import { openKitOfHsm } from "./kit_of_hsm.mjs";

const [folder, module, engine] = process.argv.slice(2);
const kit = await openKitOfHsm(folder, module, engine, process.env.PKCS11_PIN);
const client = createClient(kit);
await client.fund({ amountHalalas: riyals("1000") }); // sandbox only
const quote = await client.quote({ side: "buy", goldMicrograms: grams("1") });
const order = await client.order({ quoteId: quote.id });
console.log(order.id, order.status, kit.signingKeyId);
await client.close();
