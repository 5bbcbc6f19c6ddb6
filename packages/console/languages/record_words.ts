import type { TermName } from "@sabika/terms";
import type { Both } from "./in_language.ts";

/** What pages say of what is on record: partners, deliveries, people's requests. */
export const RECORD_WORDS = {
  partners: {
    status: { en: "Status", ar: "الحالة" },
    statuses: {
      active: { en: "Active", ar: "نشط" },
      suspended: { en: "Suspended", ar: "موقوف" },
    },
    allocation: { en: "Allocated (g)", ar: "المخصّص (غ)" },
    endpoint: { en: "Webhook endpoint", ar: "نقطة استقبال الإشعارات" },
    settings: { en: "Settings", ar: "الإعدادات" },
    terms: {
      spread_percent: { en: "Spread", ar: "الفارق" },
      fee_percent: { en: "Fee", ar: "الرسوم" },
      vat_percent: { en: "VAT", ar: "الضريبة" },
      min_grams: { en: "A quote is of at least", ar: "أقل عرض" },
      max_grams: { en: "A quote is of at most", ar: "أكبر عرض" },
      open_quotes: { en: "Open quotes at once", ar: "العروض المفتوحة معًا" },
    } satisfies Record<TermName, Both<string>>,
    iban: { en: "Settlement IBAN", ar: "آيبان التسوية" },
    addresses: { en: "May call from", ar: "يتصل من" },
    anywhere: { en: "Anywhere", ar: "أي مكان" },
    url: { en: "Address", ar: "العنوان" },
    limits: { en: "Limits", ar: "الحدود" },
    rateClass: { en: "Requests", ar: "الطلبات" },
    rateClasses: {
      token: { en: "Tokens", ar: "الرموز" },
      read: { en: "Reading", ar: "القراءة" },
      write: { en: "Writing", ar: "الكتابة" },
      signed: { en: "Signed", ar: "الموقّعة" },
      nonces: { en: "Stored nonces", ar: "أرقام الاستخدام الواحد المحفوظة" },
    },
    perSecond: { en: "A second", ar: "في الثانية" },
    burst: { en: "At once", ar: "دفعة واحدة" },
    credentials: { en: "Credentials", ar: "بيانات الاعتماد" },
    timelineSays: {
      en:
        "When each credential in force begins and ends, from 60 days ago to 400 days ahead. The table below has the same.",
      ar:
        "متى يبدأ كل اعتماد سارٍ ومتى ينتهي، من 60 يومًا مضت إلى 400 يوم قادمة. في الجدول أدناه الشيء نفسه.",
    },
    today: { en: "Today", ar: "اليوم" },
    id: { en: "Id", ar: "المعرّف" },
    credentialStates: {
      active: { en: "In force", ar: "سارٍ" },
      ended: { en: "Ended", ar: "منتهٍ" },
      revoked: { en: "Revoked", ar: "ملغى" },
    },
    begins: { en: "Begins (Riyadh)", ar: "يبدأ (الرياض)" },
  },

  deliveries: {
    title: {
      en: (partner: string) => `Deliveries to ${partner}`,
      ar: (partner: string) => `عمليات التسليم إلى ${partner}`,
    },
    link: { en: "Deliveries", ar: "عمليات التسليم" },
  },

  approvals: {
    all: { en: "Also those that were decided", ar: "مع ما تقرّر منها" },
    onlyWaiting: { en: "Only those that wait", ar: "المنتظرة فقط" },
    act: { en: "Act", ar: "الإجراء" },
    expires: { en: "Until (Riyadh)", ar: "حتى (الرياض)" },
    decide: { en: "Decide", ar: "القرار" },
    states: {
      waiting: { en: "Waits", ar: "ينتظر" },
      expired: { en: "Expired", ar: "انتهت مدته" },
      done: { en: "Done", ar: "تم" },
      rejected: { en: "Rejected", ar: "رُفض" },
      void: { en: "Void", ar: "باطل" },
    },
  },

  quotes: {
    statuses: {
      open: { en: "Open", ar: "مفتوح" },
      executed: { en: "Executed", ar: "نُفّذ" },
      expired: { en: "Expired", ar: "انتهى" },
    },
  },

  ledger: {
    lead: { en: "One partner's transfers.", ar: "تحويلات شريك واحد." },
    source: { en: "About", ar: "بشأن" },
  },

  statements: {
    day: { en: "Day", ar: "اليوم" },
    notBegun: {
      en: "This day has not begun, or is not a date.",
      ar: "هذا اليوم لم يبدأ، أو ليس تاريخًا.",
    },
    opening: { en: "Before it", ar: "قبله" },
    closing: { en: "After it", ar: "بعده" },
    provisional: { en: "Not over yet", ar: "لم ينتهِ بعد" },
    closed: { en: "Over", ar: "انتهى" },
    entries: { en: "Transfers", ar: "التحويلات" },
    more: {
      en: (shown: number) => `The first ${shown} are shown; the file has them all.`,
      ar: (shown: number) => `تُعرض أول ${shown}؛ وفي الملف كلها.`,
    },
  },

  books: {
    lead: {
      en:
        "The command sabika reconcile recounts the books, with --full from the first transfer; what it found is kept here. Run it daily.",
      ar:
        "يعيد الأمر sabika reconcile عدّ الدفاتر، ومع ‎--full‎ من أول تحويل؛ وما وجده محفوظ هنا. شغّله كل يوم.",
    },
    balances: { en: "Balances, compared all the time", ar: "الأرصدة، تُقارن طوال الوقت" },
    compared: { en: "Compared", ar: "قورنت" },
    neverCompared: { en: "No server has compared them yet.", ar: "لم يقارنها أي خادم بعد." },
    cell: {
      en: (name: string) => `Cell ${name}`,
      ar: (name: string) => `الخلية ${name}`,
    },
    away: { en: "This cell cannot be asked now.", ar: "لا يمكن سؤال هذه الخلية الآن." },
    wrongBalances: { en: "Partners whose balances differ", ar: "شركاء تختلف أرصدتهم" },
    last: { en: "The last recount", ar: "آخر عدّ" },
    earlier: { en: "Earlier recounts", ar: "عمليات العدّ السابقة" },
    never: { en: "The books have not been recounted yet.", ar: "لم تُعدّ الدفاتر بعد." },
    result: { en: "Result", ar: "النتيجة" },
    agree: { en: "All agrees", ar: "كل شيء متوافق" },
    disagree: { en: "Differences", ar: "الفروق" },
    finished: { en: "Finished (Riyadh)", ar: "انتهى (الرياض)" },
    who: { en: "Asked for by", ar: "طلبه" },
    scope: { en: "Of", ar: "لمن" },
    all: { en: "All partners", ar: "كل الشركاء" },
    since: { en: "What came since (Riyadh)", ar: "ما جاء منذ (الرياض)" },
    first: { en: "The first transfer", ar: "أول تحويل" },
    took: { en: "Took", ar: "استغرق" },
    checks: { en: "Checks", ar: "عمليات التحقّق" },
    check: { en: "Check", ar: "التحقّق" },
    expected: { en: "Expected", ar: "المتوقَّع" },
    actual: { en: "Found", ar: "الموجود" },
    differences: {
      en: (shown: number, all: number) => `${shown} of ${all} differences`,
      ar: (shown: number, all: number) => `${shown} من ${all} من الفروق`,
    },
    whatNow: {
      en: "Find out what happened before anything is changed: the runbook says how.",
      ar: "تبيّن ما حدث قبل أن تغيّر شيئًا: دليل التشغيل يقول كيف.",
    },
  },

  withdrawals: {
    toPay: { en: "To pay", ar: "للدفع" },
    statuses: {
      pending: { en: "Pending", ar: "بالانتظار" },
      processing: { en: "Being paid", ar: "قيد الدفع" },
      completed: { en: "Paid", ar: "دُفع" },
      failed: { en: "Failed", ar: "فشل" },
      cancelled: { en: "Cancelled", ar: "أُلغي" },
    },
  },

  vault: {
    drawing: { en: "Who draws on it", ar: "من يسحب منها" },
    held: { en: "Held by customers (g)", ar: "يملكه العملاء (غ)" },
    bars: { en: "Bars", ar: "السبائك" },
  },

  prices: {
    now: { en: "Now", ar: "الآن" },
    quoting: { en: "Quoting", ar: "التسعير" },
    paused: { en: "Paused", ar: "موقوف" },
    without: { en: "The source has none", ar: "لا سعر لدى المصدر" },
    source: { en: "Source", ar: "المصدر" },
    sources: {
      simulated: { en: "Simulated", ar: "محاكاة" },
      fixed: { en: "Fixed", ar: "ثابت" },
      feed: { en: "Feed", ar: "مصدر خارجي" },
    },
    notUnderstood: {
      en: "The settings cannot be read: nothing is quoted until they are set again.",
      ar: "تعذّرت قراءة الإعدادات: لا تسعير حتى تُضبط من جديد.",
    },
    fixed: { en: "Set price (SAR/g)", ar: "السعر المحدّد (ر.س/غ)" },
    url: { en: "Address", ar: "العنوان" },
    unit: { en: "Unit", ar: "الوحدة" },
    units: {
      sar_per_gram: { en: "SAR per gram", ar: "ريال سعودي للغرام" },
      usd_per_troy_ounce: { en: "USD per troy ounce", ar: "دولار أمريكي للأونصة" },
    },
    polled: { en: "Asked every", ar: "يُسأل كل" },
    oldest: { en: "Not older than", ar: "لا يزيد عمره على" },
    jump: { en: "Jumps by at most", ar: "أقصى قفزة" },
    agreeing: { en: "Answers that must agree after a jump", ar: "إجابات متوافقة لازمة بعد قفزة" },
    plausible: { en: "Plausible (SAR/g)", ar: "المعقول (ر.س/غ)" },
    set: { en: "Set (Riyadh)", ar: "ضُبط (الرياض)" },
    resumeHint: {
      en: "After a jump of the feed, resuming accepts its new level.",
      ar: "بعد قفزة في المصدر، يعني الاستئناف قبول مستواه الجديد.",
    },
    history: { en: "Mid price by the minute", ar: "السعر الوسطي بالدقيقة" },
    last: { en: "The last", ar: "آخر" },
    span: { en: "From (Riyadh)", ar: "من (الرياض)" },
    least: { en: "Least", ar: "الأدنى" },
    highest: { en: "Highest", ar: "الأعلى" },
    end: { en: "Last", ar: "الأخير" },
    nothing: { en: "No price was noted in this time.", ar: "لم يُدوَّن سعر في هذه المدة." },
    says: {
      en: (least: string, highest: string, end: string) =>
        `The mid price was between SAR ${least} and ${highest} a gram, and SAR ${end} at the end. Gaps are times without a price.`,
      ar: (least: string, highest: string, end: string) =>
        `كان السعر الوسطي بين ${least} و${highest} ر.س للغرام، و${end} ر.س في النهاية. الفراغات أوقات بلا سعر.`,
    },
    kept: { en: "Kept for 31 days.", ar: "يُحفظ 31 يومًا." },
  },

  audit: {
    lead: {
      en:
        "The log is a chain that nobody changes unseen. Signatures were verified for this page; the whole log is counted again by the command sabika audit verify.",
      ar:
        "السجل سلسلة لا يغيّرها أحد خفية. تُحُقّق من التوقيعات لهذه الصفحة؛ ويعيد الأمر sabika audit verify عدّ السجل كله.",
    },
    who: { en: "Who", ar: "من" },
    byPasskey: { en: "By passkey", ar: "بمفتاح مرور" },
    byKey: { en: "By key file", ar: "بملف مفتاح" },
    doesNotFit: { en: "Does not fit", ar: "لا يطابق" },
    brokenGlass: { en: "Glass broken", ar: "كُسر الزجاج" },
  },
};
