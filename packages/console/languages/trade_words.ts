/** What the overview, the lists of orders and the page of a trade say. */
export const TRADE_WORDS = {
  overview: {
    waiting: { en: "Waits for you", ar: "بانتظارك" },
    nothingWaits: { en: "Nothing waits for you.", ar: "لا شيء بانتظارك." },
    toApprove: {
      en: (count: string | number) => `Requests to decide on: ${count}`,
      ar: (count: string | number) => `طلبات تنتظر قرارك: ${count}`,
    },
    toPay: {
      en: (count: string | number) => `Withdrawals to pay: ${count}`,
      ar: (count: string | number) => `سحوبات للدفع: ${count}`,
    },
    endpointsDown: {
      en: (count: string | number) => `Webhook endpoints that fail or are off: ${count}`,
      ar: (count: string | number) => `نقاط استقبال متعثّرة أو موقوفة: ${count}`,
    },
    now: { en: "At a glance", ar: "لمحة سريعة" },
    price: { en: "Mid price", ar: "السعر الوسطي" },
    noPrice: { en: "No price", ar: "لا سعر" },
    noPriceBecause: { en: "paused, or the source has none", ar: "موقوف، أو لا سعر لدى المصدر" },
    priceAge: {
      en: (age: string) => `${age} old`,
      ar: (age: string) => `عمره ${age}`,
    },
    volume: { en: "Volume, 24 hours", ar: "الحجم خلال 24 ساعة" },
    orders: {
      en: (count: string | number) => `Orders: ${count}`,
      ar: (count: string | number) => `الأوامر: ${count}`,
    },
    margin: { en: "Margin, 24 hours", ar: "الهامش خلال 24 ساعة" },
    marginOf: { en: "fees, and the spread as it is now", ar: "الرسوم، والفارق كما هو الآن" },
    position: { en: "Open position, 24 hours", ar: "المركز المفتوح خلال 24 ساعة" },
    positionOf: {
      en: (money: string) => `sold less bought, SAR ${money} at mid`,
      ar: (money: string) => `المبيع ناقص المشترى، ${money} ر.س بالسعر الوسطي`,
    },
    free: { en: "Free in the vault", ar: "المتاح في الخزنة" },
    freeOf: {
      en: (bars: string | number) => `Bars: ${bars}`,
      ar: (bars: string | number) => `السبائك: ${bars}`,
    },
    byHour: { en: "Gold by the hour", ar: "الذهب بالساعة" },
    byHourSays: {
      en: (bought: string, sold: string) =>
        `Gold in the last 24 hours, by the hour: partners bought ${bought} g and sold ${sold} g.`,
      ar: (bought: string, sold: string) =>
        `الذهب في آخر 24 ساعة، بالساعة: اشترى الشركاء ${bought} غ وباعوا ${sold} غ.`,
    },
    inventory: { en: "Inventory against the vault", ar: "المخزون مقابل الخزنة" },
    inventorySays: {
      en: (held: string, allocated: string, free: string) =>
        `Of the vault's gold, customers hold ${held} g, ${allocated} g is allocated and for sale, and ${free} g is free.`,
      ar: (held: string, allocated: string, free: string) =>
        `من ذهب الخزنة يملك العملاء ${held} غ، و${allocated} غ مخصّص للبيع، و${free} غ متاح.`,
    },
    held: { en: "Held by customers", ar: "يملكه العملاء" },
    allocated: { en: "Allocated, for sale", ar: "مخصّص للبيع" },
    unallocated: { en: "Free", ar: "متاح" },
    share: { en: "Share", ar: "الحصة" },
    whose: { en: "Whose it is", ar: "لمن هو" },
    endpoints: { en: "Webhook endpoints", ar: "نقاط استقبال الإشعارات" },
    endpointsFine: { en: "Every endpoint takes its events.", ar: "كل النقاط تستقبل أحداثها." },
    status: {
      healthy: { en: "Healthy", ar: "سليمة" },
      failing: { en: "Failing", ar: "متعثّرة" },
      disabled: { en: "Off", ar: "موقوفة" },
    },
    state: { en: "State", ar: "الحالة" },
    reason: { en: "Reason", ar: "السبب" },
    expiring: { en: "Credentials that end within 30 days", ar: "بيانات اعتماد تنتهي خلال 30 يومًا" },
    nothingExpires: { en: "None ends within 30 days.", ar: "لا شيء ينتهي خلال 30 يومًا." },
    ends: { en: "Ends (Riyadh)", ar: "تنتهي (الرياض)" },
    left: { en: "Left", ar: "المتبقّي" },
  },
  orders: {
    find: { en: "Find", ar: "بحث" },
    findHint: {
      en: "Order, quote or event id, or the Idempotency-Key",
      ar: "معرّف الأمر أو العرض أو الحدث، أو مفتاح Idempotency-Key",
    },
    foundNothing: {
      en: (text: string) => `No order is known by “${text}”.`,
      ar: (text: string) => `لا أمر معروف باسم «${text}».`,
    },
    filter: { en: "Filter", ar: "تصفية" },
    from: { en: "From", ar: "من" },
    to: { en: "To", ar: "إلى" },
    show: { en: "Show", ar: "عرض" },
    clear: { en: "Clear", ar: "مسح" },
    wrongDay: { en: "A day is written as 2026-11-21.", ar: "يُكتب اليوم هكذا: 2026-11-21." },
    wrongPartner: {
      en: (id: string) => `There is no partner “${id}”.`,
      ar: (id: string) => `لا يوجد شريك «${id}».`,
    },
    price: { en: "Price (SAR/g)", ar: "السعر (ر.س/غ)" },
    reference: { en: "Reference", ar: "المرجع" },
    nothingYet: {
      en: "None like this so far; what follows has not been looked at yet.",
      ar: "لا شيء كهذا حتى الآن؛ وما يلي لم يُنظر فيه بعد.",
    },
    older: { en: "Older", ar: "الأقدم" },
    newest: { en: "Newest", ar: "الأحدث" },
    following: { en: "Next", ar: "التالي" },
    first: { en: "First page", ar: "الصفحة الأولى" },
    export: { en: "Export as CSV", ar: "تصدير CSV" },
  },

  trade: {
    title: {
      en: (side: string, gold: string) => `${side}: ${gold} g`,
      ar: (side: string, gold: string) => `${side}: ${gold} غ`,
    },
    order: { en: "Order", ar: "الأمر" },
    executed: { en: "Executed (Riyadh)", ar: "نُفّذ (الرياض)" },
    received: { en: "Received (Riyadh)", ar: "استُلم (الرياض)" },
    after: { en: "Balances after it", ar: "الأرصدة بعده" },
    afterOf: {
      en: (money: string, gold: string) => `SAR ${money} and ${gold} g`,
      ar: (money: string, gold: string) => `${money} ر.س و${gold} غ`,
    },
    quote: { en: "Quote", ar: "العرض" },
    quoted: { en: "Quoted (Riyadh)", ar: "صدر العرض (الرياض)" },
    priceAsOf: { en: "Price as of (Riyadh)", ar: "السعر بتاريخ (الرياض)" },
    expires: { en: "Expires (Riyadh)", ar: "ينتهي (الرياض)" },
    askedByMoney: { en: "Asked for by money (SAR)", ar: "طُلب بالمبلغ (ر.س)" },
    checks: { en: "Checks", ar: "التحقّق" },
    checksLead: {
      en: "Compared anew from the books, each time this page is made.",
      ar: "تُقارن من الدفاتر من جديد كلما أُعدّت هذه الصفحة.",
    },
    holds: { en: "Holds", ar: "صحيح" },
    fails: { en: "Does not hold", ar: "غير صحيح" },
    transfers: { en: "Transfers", ar: "التحويلات" },
    event: { en: "Event", ar: "الحدث" },
    noEvent: { en: "There is no event of this order.", ar: "لا حدث لهذا الأمر." },
    delivery: {
      pending: { en: "Waiting", ar: "بالانتظار" },
      delivered: { en: "Delivered", ar: "سُلّم" },
      exhausted: { en: "Given up", ar: "أُوقفت محاولاته" },
    },
    attempts: { en: "Delivery attempts", ar: "محاولات التسليم" },
    noAttempts: {
      en: "No attempt is on record; attempts are kept for a while only.",
      ar: "لا محاولة مسجّلة؛ تُحفظ المحاولات لمدة محدودة.",
    },
    accepted: { en: "Accepted", ar: "قُبل" },
  },
};
