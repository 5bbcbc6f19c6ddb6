import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { csvLine } from "./csv_line.ts";
import { readWeightList, WEIGHT_LIST_HEAD, weightListLine } from "./weight_list.ts";

const HEAD =
  "Serial number,Brand code,Gross weight (troy ounces),Assay,Fine weight (troy ounces),Year of Manufacture";

function wrong(text: string): string {
  const list = readWeightList(text);
  assert(!list.ok);
  return `line ${list.line} ${list.detail}`;
}

test("a list of the London market is read to the microgram", () => {
  assertEquals(readWeightList(`\uFEFF${HEAD}\r\n123456,XYZ,401.125,995.8,399.440,2023\r\n\r\n`), {
    ok: true,
    // 401.125 × 31.1034768 g, rounded down
    bars: [{
      serial: "123456",
      refiner: "XYZ",
      fineness: "995.8",
      weight_grams: "12476.382131",
      year: "2023",
    }],
  });
});

test("grams, documents and places are read, whatever separates the columns", () => {
  const sha256 = "a".repeat(64);
  const list = readWeightList(
    `Serial;Refiner;Gross grams;Fineness;Vault;Place;Document;SHA256\nA-1;"Refinery; Riyadh";1000;999.9;Riyadh;shelf 4;R-7;${sha256}\n`,
  );
  assertEquals(list, {
    ok: true,
    bars: [{
      serial: "A-1",
      refiner: "Refinery; Riyadh",
      fineness: "999.9",
      weight_grams: "1000",
      vault: "Riyadh",
      place: "shelf 4",
      document: "R-7",
      documents: [sha256],
    }],
  });
});

test("fine ounces are those that the market agreed for bars from 100 g", () => {
  // Gross grams, then fine ounces of 995.0, 999.0 and 999.9: the published table of agreed weights.
  const agreed = [
    [1_000n, "31.990", "32.119", "32.148"],
    [500n, "15.995", "16.059", "16.074"],
    [250n, "7.998", "8.030", "8.037"],
    [100n, "3.199", "3.212", "3.215"],
  ] as const;
  for (const [grams, ...fine] of agreed) {
    assertEquals(
      [9_950, 9_990, 9_999].map((fineness) => line(grams * 1_000_000n, fineness)[5]),
      fine,
    );
  }
});

test("what is written is read again to the microgram", () => {
  const weight = fc.bigInt({ min: 1_000_000n, max: 20_000_000_000n });
  fc.assert(fc.property(weight, fc.integer({ min: 9_160, max: 9_999 }), (micrograms, fineness) => {
    const list = readWeightList(`${WEIGHT_LIST_HEAD}\n${line(micrograms, fineness)}\n`);
    assert(list.ok, JSON.stringify(list));
    const [whole, fraction = ""] = list.bars[0]!.weight_grams.split(".");
    assertEquals(BigInt(whole! + fraction.padEnd(6, "0")), micrograms);
  }));
});

function line(weightMicrograms: bigint, finenessTenThousandths: number) {
  const fineMicrograms = weightMicrograms * BigInt(finenessTenThousandths) / 10_000n;
  return weightListLine({
    serial: "A-1",
    refiner: "Refinery",
    finenessTenThousandths,
    weightMicrograms,
    fineMicrograms,
    vault: null,
    place: null,
    document: null,
    documents: [],
    year: null,
    refinerList: null,
  });
}

test("nothing that a list has of a bar is lost when it is written", () => {
  const bar = {
    serial: "A-1",
    refiner: "Refinery, Zürich",
    fineness: "995.8",
    weight_grams: "12476.382131",
    vault: "Brinks",
    place: "Riyadh, shelf 4",
    document: "assay 2026-118",
    documents: ["ab".repeat(32), "cd".repeat(32)],
    year: "2019",
    list: "good_delivery",
  } as const;
  const written = weightListLine({
    ...bar,
    finenessTenThousandths: 9_958,
    weightMicrograms: 12_476_382_131n,
    fineMicrograms: 12_423_981_326n,
    documents: [...bar.documents],
    year: 2019,
    refinerList: bar.list,
  });
  const text = csvLine([...WEIGHT_LIST_HEAD]) + csvLine(written);
  assertEquals(readWeightList(text), { ok: true, bars: [bar] });
  const head = "serial,refiner,gross_grams,fineness";
  assertStringIncludes(wrong(`${head},year\nA,X,1000,999.9,19`), "has a year that is not of four");
  assertStringIncludes(wrong(`${head},list\nA,X,1000,999.9,best`), "has a list that is none of");
});

test("a list that does not add up is refused with its line and the reason", () => {
  const ofOunces = (cells: string) => wrong(`${HEAD}\nA,X,400.000,995.0,398.000,\n${cells}\n`);
  assertEquals(
    ofOunces("B,X,401.125,995.8,399.442,2023"),
    "line 3 has other fine ounces than 399.440, which gross weight and fineness make",
  );
  assertStringIncludes(
    ofOunces("B,X,401.1255,995.8,,"),
    "line 3 has gross ounces that are no number",
  );
  assertStringIncludes(ofOunces("B,X,0,995.8,,"), "gross ounces that are no number");
  assertStringIncludes(ofOunces("B,X,,995.8,,"), "has no gross weight");
  assertStringIncludes(ofOunces("B,X,400.000,.9958,,"), "has no fineness");
  assertStringIncludes(ofOunces(",X,400.000,995.8,,"), "has no serial");
  assertStringIncludes(ofOunces("B,X,400.000"), "line 3 is no CSV of as many columns");
  assertStringIncludes(ofOunces('B,"X,400.000,995.8,,'), "is no CSV");
  assertStringIncludes(
    wrong("serial,refiner,gross_grams,fineness,gross_ounces\nA,X,1000,999.9,32.152"),
    "its grams are 32.151",
  );
  assertStringIncludes(
    wrong("serial,refiner,gross_grams,fineness,fine_grams\nA,X,1000,999.9,1000"),
    "other fine grams than 999.9,",
  );
  assertStringIncludes(
    wrong("serial,refiner,gross_grams,fineness,colour\n"),
    "line 1 has the column colour",
  );
  assertStringIncludes(wrong("serial,refiner,gross_grams\n"), "line 1 has no column fineness");
  assertEquals(wrong(""), "line 1 is empty");
});
