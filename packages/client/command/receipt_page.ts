import {
  formatDecimal,
  formatHalalas,
  formatMicrograms,
  formatPrice,
  formatTime,
  type PoolBar,
  type Receipt,
  type ReceiptCheck,
} from "@sabika/protocol";
import { renderSVG } from "uqr";

/** A page has room for so many bars. */
const BARS_SHOWN = 8;

const CHECKS: Readonly<Record<ReceiptCheck, readonly [string, string]>> = {
  signature: ["signed by a published key", "موقّع بمفتاح منشور"],
  value: ["value is price × gold", "القيمة هي السعر × الذهب"],
  parts: ["parts come to the total", "البنود تساوي الإجمالي"],
  share: ["share fits the balance", "الحصة تطابق الرصيد"],
  order: ["as the order that was kept", "يطابق الأمر المحفوظ"],
  request: ["of the request that was signed", "يطابق الطلب الموقّع"],
  bars: ["bars fit their hash", "السبائك تطابق بصمتها"],
};

/**
 * Makes a page that shows a receipt in English and Arabic, for one sheet of A4.
 *
 * @param holds what was checked and holds
 * @param hash SHA-256 of the receipt's text, lower-case hex; the QR code has it
 * @param bars those of the pool's version, if they were checked
 */
export function receiptPage(
  receipt: Receipt,
  holds: readonly ReceiptCheck[],
  hash: string,
  bars: readonly PoolBar[] | undefined,
): string {
  const { price, parts, balancesAfter, pool, share, count } = receipt;
  const sar = (halalas: bigint) => `${formatHalalas(halalas)} SAR`;
  const grams = (micrograms: bigint) => `${formatMicrograms(micrograms)} g`;
  const rows: readonly (readonly [string, string, string])[] = [
    ["Partner", receipt.partner, "الشريك"],
    ["Order", receipt.orderId, "الأمر"],
    ["Executed (UTC)", formatTime(receipt.executedAtMs), "وقت التنفيذ (التوقيت العالمي)"],
    receipt.side === "buy"
      ? ["Bought, fine gold", grams(receipt.goldMicrograms), "ذهب خالص مُشترى"]
      : ["Sold, fine gold", grams(receipt.goldMicrograms), "ذهب خالص مُباع"],
    ["Price of a gram", `${formatPrice(price.perGramTenThousandths)} SAR`, "سعر الغرام"],
    ["Value", sar(parts.valueHalalas), "القيمة"],
    ["Fee", sar(parts.feeHalalas), "الرسوم"],
    ["VAT on gold", sar(parts.goldVatHalalas), "ضريبة القيمة المضافة على الذهب"],
    ["VAT on the fee", sar(parts.feeVatHalalas), "ضريبة القيمة المضافة على الرسوم"],
    ["Total", sar(parts.totalHalalas), "الإجمالي"],
    ["Gold after the order", grams(balancesAfter.goldMicrograms), "رصيد الذهب بعد الأمر"],
    ["Money after the order", sar(balancesAfter.sarHalalas), "رصيد المال بعد الأمر"],
    ["Pool, version", `${pool.id}, ${pool.version}`, "مجموعة السبائك وإصدارها"],
    ["Fine weight of the pool", grams(pool.fineMicrograms), "الوزن الخالص للمجموعة"],
    ["Share (µg)", `${share.partnerMicrograms} / ${share.poolMicrograms}`, "الحصة (ميكروغرام)"],
    ["Last count", count === null ? "—" : `${formatTime(count.atMs)}, ${count.by}`, "آخر جرد"],
    ["Hash of the bar list", pool.hash, "بصمة قائمة السبائك"],
    ["Hash of this receipt", hash, "بصمة هذا الإيصال"],
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escape(receipt.orderId)}</title>
<style>
@page { size: A4; margin: 14mm }
body { font: 10pt/1.35 system-ui, sans-serif; max-width: 182mm; margin: auto; color: #000 }
h1 { display: flex; justify-content: space-between; font-size: 16pt; margin: 0 0 3mm }
table { width: 100%; border-collapse: collapse; margin-bottom: 4mm }
th, td { border-top: .2mm solid #999; padding: 1mm; font-weight: 400; overflow-wrap: anywhere }
th { text-align: start; width: 25% } td { text-align: center }
.foot { display: flex; gap: 5mm; align-items: center } .foot svg { width: 32mm; flex: none }
ul { list-style: "✓ "; margin: 0; padding-inline-start: 5mm }
</style></head><body>
<h1><span>Receipt of gold</span><span lang="ar" dir="rtl">إيصال ذهب</span></h1>
<table>
${rows.map(([en, value, ar]) => row(en, value, ar)).join("\n")}
</table>
${bars === undefined ? "" : barTable(bars)}
<div class="foot">${renderSVG(hash)}
<ul>${holds.map((check) => `<li>${CHECKS[check][0]}</li>`).join("")}</ul>
<ul lang="ar" dir="rtl">${holds.map((check) => `<li>${CHECKS[check][1]}</li>`).join("")}</ul>
</div></body></html>
`;
}

function row(english: string, value: string, arabic: string): string {
  return `<tr><th>${english}</th><td><bdi>${escape(value)}</bdi></td>` +
    `<th lang="ar" dir="rtl">${arabic}</th></tr>`;
}

function barTable(bars: readonly PoolBar[]): string {
  const more = bars.length - BARS_SHOWN;
  return `<table>
<tr>${
    [["Serial", "الرقم التسلسلي"], ["Refiner", "المصفاة"], ["Fineness", "العيار"], [
      "Fine (g)",
      "الخالص (غ)",
    ]]
      .map(([en, ar]) => `<td>${en}<br><span lang="ar" dir="rtl">${ar}</span></td>`).join("")
  }</tr>
${
    bars.slice(0, BARS_SHOWN).map((bar) =>
      `<tr>${
        [
          bar.serial,
          bar.refiner,
          formatDecimal(BigInt(bar.finenessTenThousandths), 1),
          formatMicrograms(bar.fineMicrograms),
        ].map((cell) => `<td><bdi>${escape(cell)}</bdi></td>`).join("")
      }</tr>`
    ).join("\n")
  }
${
    more > 0
      ? `<tr><td colspan="4">+ ${more} in the list <span lang="ar" dir="rtl">في القائمة</span></td></tr>`
      : ""
  }
</table>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
