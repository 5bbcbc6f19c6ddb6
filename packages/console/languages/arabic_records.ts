import type { RecordMessages } from "./english_records.ts";

/** What pages say of what is on record, in Arabic. */
export const ARABIC_RECORDS: RecordMessages = {
  partners: {
    caption: "الشركاء حسب معرّف العميل",
    name: "الاسم",
    status: "الحالة",
    statuses: { active: "نشط", suspended: "موقوف" },
    cash: "النقد (ر.س)",
    allocation: "المخصّص (غ)",
    endpoint: "نقطة استقبال الإشعارات",
    settings: "الإعدادات",
    spread: "الفارق",
    fee: "الرسوم",
    vat: "الضريبة",
    quoteBounds: "حدود العرض",
    openQuotes: "العروض المفتوحة معًا",
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
    caption: "الأحداث، الأحدث أولًا",
    nothing: "لا أحداث كهذه.",
    type: "النوع",
    attempts: "المحاولات",
  },

  approvals: {
    all: "مع ما تقرّر منها",
    onlyWaiting: "المنتظرة فقط",
    nothing: "لا طلب ينتظر شخصًا ثانيًا.",
    act: "الإجراء",
    arguments: "كما وُقّع",
    requester: "طلبه",
    requested: "طُلب (الرياض)",
    expires: "حتى (الرياض)",
    decider: "قرّره",
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
    caption: "العروض، الأحدث أولًا",
    nothing: "لا عروض كهذه.",
    statuses: { open: "مفتوح", executed: "نُفّذ", expired: "انتهى" },
  },

  fundings: {
    caption: "الأموال الواردة، الأحدث أولًا",
    nothing: "لا أموال واردة كهذه.",
    after: "النقد بعدها (ر.س)",
  },

  ledger: {
    caption: "التحويلات، الأحدث أولًا",
    lead: "تحويلات شريك واحد. تحويلات حساب بعينه هي لآخر 31 يومًا، أو ابتداءً من أول يوم تحدده.",
    nothing: "لا تحويلات كهذه؛ اختر شريكًا.",
    account: "الحساب",
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

  withdrawals: {
    toPay: "للدفع",
    amount: "المبلغ (ر.س)",
    completed: "انتهى (الرياض)",
    nothing: "لا سحوبات كهذه.",
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
    serial: "الرقم التسلسلي",
    refiner: "المصفاة",
    fineness: "العيار",
    weight: "الوزن (غ)",
    added: "أُضيفت (الرياض)",
  },

  audit: {
    lead:
      "السجل سلسلة لا يغيّرها أحد خفية. تُحُقّق من التوقيعات لهذه الصفحة؛ ويعيد الأمر sabika audit verify عدّ السجل كله.",
    number: "الرقم",
    who: "من",
    signed: "موقّع",
    byPasskey: "بمفتاح مرور",
    byKey: "بملف مفتاح",
    doesNotFit: "لا يطابق",
    brokenGlass: "كُسر الزجاج",
    from: "من أين",
    detail: "التفاصيل",
  },
};
