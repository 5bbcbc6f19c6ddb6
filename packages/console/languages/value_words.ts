import type { TradeCheck } from "@sabika/office/oversight";
import type { Account, CredentialKind, DeliveryFailure } from "@sabika/protocol";
import type { RecountCheck } from "@sabika/service/ledger";
import type { Role } from "@sabika/terms";
import type { Both } from "./in_language.ts";

/** What the values of closed lists are called. */
export const VALUE_WORDS = {
  roles: {
    auditor: { en: "Auditor", ar: "مدقّق" },
    support: { en: "Support", ar: "الدعم" },
    partners: { en: "Partners", ar: "الشركاء" },
    treasury: { en: "Treasury", ar: "الخزينة" },
    vault: { en: "Vault", ar: "الخزنة" },
    prices: { en: "Prices", ar: "الأسعار" },
    administrator: { en: "Administrator", ar: "مدير النظام" },
  } satisfies Record<Role, Both<string>>,
  credentials: {
    certificate: { en: "Certificate", ar: "شهادة" },
    client_secret: { en: "Client secret", ar: "سرّ العميل" },
    signing_key: { en: "Signing key", ar: "مفتاح التوقيع" },
    webhook_secret: { en: "Webhook secret", ar: "سرّ الإشعارات" },
  } satisfies Record<CredentialKind, Both<string>>,
  tradeChecks: {
    terms_are_the_quotes: {
      en: "The order has the quote's own terms",
      ar: "شروط الأمر هي شروط العرض نفسها",
    },
    in_the_quotes_time: {
      en: "It was received before the quote expired",
      ar: "استُلم قبل انتهاء العرض",
    },
    money_and_gold_moved_once: {
      en: "Money and gold moved once, by the order's amounts",
      ar: "انتقل المال والذهب مرة واحدة بمقادير الأمر",
    },
    event_was_written: { en: "Its event was written with it", ar: "كُتب حدثه معه" },
  } satisfies Record<TradeCheck, Both<string>>,
  recountChecks: {
    balance: { en: "Balances are the sums of their transfers", ar: "الأرصدة هي مجاميع تحويلاتها" },
    numbers: {
      en: "Transfers and events are numbered without gaps",
      ar: "التحويلات والأحداث مرقّمة بلا فجوات",
    },
    closings: {
      en: "Closed days have the balances that there were",
      ar: "للأيام المقفلة أرصدتها التي كانت",
    },
    events: { en: "Every order has its event", ar: "لكل أمر حدثه" },
    orders: {
      en: "Each order moved its money and gold once",
      ar: "نقل كل أمر ماله وذهبه مرة واحدة",
    },
    terms: { en: "Orders have the terms of their quotes", ar: "شروط الأوامر هي شروط عروضها" },
    answers: {
      en: "Orders showed the balances that there were",
      ar: "أظهرت الأوامر الأرصدة التي كانت",
    },
    times: {
      en: "Orders came before the end of their quotes",
      ar: "جاءت الأوامر قبل انتهاء عروضها",
    },
    keys: {
      en: "What was asked for has its Idempotency-Key",
      ar: "لكل ما طُلب مفتاح Idempotency-Key الخاص به",
    },
    nonces: { en: "Every order has its nonce", ar: "لكل أمر رقم استخدامه الواحد" },
    fundings: { en: "Money that came in was booked once", ar: "قُيّدت الأموال الواردة مرة واحدة" },
    withdrawals: { en: "Withdrawals moved what they say", ar: "نقلت السحوبات ما تقوله" },
    sum: { en: "Money and gold sum to zero", ar: "مجموع المال والذهب صفر" },
    vault: { en: "The vault covers what is promised", ar: "تغطي الخزنة ما وُعد به" },
    acts: { en: "Every cell has booked what was recorded", ar: "قيّدت كل خلية ما سُجّل لها" },
  } satisfies Record<RecountCheck, Both<string>>,
  failures: {
    redirect: { en: "Answered with a redirect", ar: "أجاب بإعادة توجيه" },
    gone: { en: "Answered 410: no more events", ar: "أجاب 410: لا مزيد من الأحداث" },
    busy: { en: "Asked to wait", ar: "طلب الانتظار" },
    error_answer: { en: "Answered with an error", ar: "أجاب بخطأ" },
    timeout: { en: "Did not answer in time", ar: "لم يجب في الوقت" },
    unreachable: { en: "Could not be reached", ar: "تعذّر الوصول إليه" },
    closed: { en: "Closed the connection", ar: "أغلق الاتصال" },
    not_http: { en: "Did not answer in HTTP", ar: "لم يجب ببروتوكول HTTP" },
    certificate: { en: "Its certificate is not trusted", ar: "شهادته غير موثوقة" },
    name_unknown: { en: "Its name is not known", ar: "اسمه غير معروف" },
    address_not_allowed: { en: "Its address is not allowed", ar: "عنوانه غير مسموح" },
    other: { en: "Another reason", ar: "سبب آخر" },
  } satisfies Record<DeliveryFailure, Both<string>>,
  accounts: {
    cash: { en: "Cash", ar: "النقد" },
    house_cash: { en: "House cash", ar: "نقد الدار" },
    withdrawals: { en: "Withdrawals", ar: "السحوبات" },
    bank: { en: "Bank", ar: "البنك" },
    gold: { en: "Gold", ar: "الذهب" },
    allocation: { en: "Allocation", ar: "التخصيص" },
    vault: { en: "Vault", ar: "الخزنة" },
  } satisfies Record<Account, Both<string>>,
};
