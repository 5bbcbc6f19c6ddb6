import type { RecordMessages } from "./english_records.ts";

/** What pages say of what is on record, in Arabic. */
export const ARABIC_RECORDS: RecordMessages = {
  partners: {
    status: "الحالة",
    statuses: { active: "نشط", suspended: "موقوف" },
    allocation: "المخصّص (غ)",
    endpoint: "نقطة استقبال الإشعارات",
    settings: "الإعدادات",
    terms: {
      spread_percent: "الفارق",
      fee_percent: "الرسوم",
      vat_percent: "الضريبة",
      min_grams: "أقل عرض",
      max_grams: "أكبر عرض",
      open_quotes: "العروض المفتوحة معًا",
    },
    iban: "آيبان التسوية",
    addresses: "يتصل من",
    anywhere: "أي مكان",
    url: "العنوان",
    since: "منذ (الرياض)",
    inFlight: "عمليات التسليم معًا",
    limits: "الحدود",
    rateClass: "الطلبات",
    rateClasses: {
      token: "الرموز",
      read: "القراءة",
      write: "الكتابة",
      signed: "الموقّعة",
      nonces: "أرقام الاستخدام الواحد المحفوظة",
    },
    perSecond: "في الثانية",
    burst: "دفعة واحدة",
    credentials: "بيانات الاعتماد",
    timelineSays:
      "متى يبدأ كل اعتماد سارٍ ومتى ينتهي، من 60 يومًا مضت إلى 400 يوم قادمة. في الجدول أدناه الشيء نفسه.",
    today: "اليوم",
    id: "المعرّف",
    credentialStates: { active: "سارٍ", ended: "منتهٍ", revoked: "ملغى" },
    begins: "يبدأ (الرياض)",
    scope: "يتيح",
  },

  deliveries: {
    title: (partner) => `عمليات التسليم إلى ${partner}`,
    link: "عمليات التسليم",
  },

  approvals: {
    all: "مع ما تقرّر منها",
    onlyWaiting: "المنتظرة فقط",
    act: "الإجراء",
    expires: "حتى (الرياض)",
    decide: "القرار",
    states: {
      waiting: "ينتظر",
      expired: "انتهت مدته",
      done: "تم",
      rejected: "رُفض",
      void: "باطل",
    },
  },

  quotes: {
    statuses: { open: "مفتوح", executed: "نُفّذ", expired: "انتهى" },
  },

  ledger: {
    lead: "تحويلات شريك واحد.",
    source: "بشأن",
  },

  statements: {
    day: "اليوم",
    notBegun: "هذا اليوم لم يبدأ، أو ليس تاريخًا.",
    opening: "قبله",
    closing: "بعده",
    provisional: "لم ينتهِ بعد",
    closed: "انتهى",
    entries: "التحويلات",
    more: (shown) => `تُعرض أول ${shown}؛ وفي الملف كلها.`,
  },

  books: {
    lead:
      "يعيد الأمر sabika reconcile عدّ الدفاتر، ومع ‎--full‎ من أول تحويل؛ وما وجده محفوظ هنا. شغّله كل يوم.",
    balances: "الأرصدة، تُقارن طوال الوقت",
    compared: "قورنت",
    neverCompared: "لم يقارنها أي خادم بعد.",
    cell: (name) => `الخلية ${name}`,
    away: "لا يمكن سؤال هذه الخلية الآن.",
    wrongBalances: (count) => `شركاء تختلف أرصدتهم: ${count}`,
    last: "آخر عدّ",
    earlier: "عمليات العدّ السابقة",
    never: "لم تُعدّ الدفاتر بعد.",
    result: "النتيجة",
    agree: "كل شيء متوافق",
    disagree: (count) => `الفروق: ${count}`,
    finished: "انتهى (الرياض)",
    who: "طلبه",
    of: "لمن",
    all: (count) => `كل الشركاء: ${count}`,
    since: "ما جاء منذ (الرياض)",
    first: "أول تحويل",
    took: "استغرق",
    checks: "عمليات التحقّق",
    check: "التحقّق",
    expected: "المتوقَّع",
    actual: "الموجود",
    differences: (shown, all) => `${shown} من ${all} من الفروق`,
    whatNow: "تبيّن ما حدث قبل أن تغيّر شيئًا: دليل التشغيل يقول كيف.",
  },

  withdrawals: {
    toPay: "للدفع",
    statuses: {
      pending: "بالانتظار",
      processing: "قيد الدفع",
      completed: "دُفع",
      failed: "فشل",
      cancelled: "أُلغي",
    },
  },

  vault: {
    drawing: "من يسحب منها",
    held: "يملكه العملاء (غ)",
    bars: "السبائك",
  },

  prices: {
    now: "الآن",
    quoting: "التسعير",
    quotes: "يُسعَّر به",
    paused: "موقوف",
    without: "لا سعر لدى المصدر",
    source: "المصدر",
    sources: { simulated: "محاكاة", fixed: "ثابت", feed: "مصدر خارجي" },
    notUnderstood: "تعذّرت قراءة الإعدادات: لا تسعير حتى تُضبط من جديد.",
    fixed: "السعر المحدّد (ر.س/غ)",
    url: "العنوان",
    unit: "الوحدة",
    units: { sar_per_gram: "ريال سعودي للغرام", usd_per_troy_ounce: "دولار أمريكي للأونصة" },
    polled: "يُسأل كل",
    oldest: "لا يزيد عمره على",
    jump: "أقصى قفزة",
    agreeing: "إجابات متوافقة لازمة بعد قفزة",
    plausible: "المعقول (ر.س/غ)",
    set: "ضُبط (الرياض)",
    resumeHint: "بعد قفزة في المصدر، يعني الاستئناف قبول مستواه الجديد.",
    history: "السعر الوسطي بالدقيقة",
    last: "آخر",
    span: "من (الرياض)",
    least: "الأدنى",
    highest: "الأعلى",
    end: "الأخير",
    nothing: "لم يُدوَّن سعر في هذه المدة.",
    says: (least, highest, end) =>
      `كان السعر الوسطي بين ${least} و${highest} ر.س للغرام، و${end} ر.س في النهاية. الفراغات أوقات بلا سعر.`,
    kept: "يُحفظ 31 يومًا.",
  },

  audit: {
    lead:
      "السجل سلسلة لا يغيّرها أحد خفية. تُحُقّق من التوقيعات لهذه الصفحة؛ ويعيد الأمر sabika audit verify عدّ السجل كله.",
    who: "من",
    byPasskey: "بمفتاح مرور",
    byKey: "بملف مفتاح",
    doesNotFit: "لا يطابق",
    brokenGlass: "كُسر الزجاج",
  },
};
