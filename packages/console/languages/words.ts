import { ACT_WORDS } from "./act_words.ts";
import { RECORD_WORDS } from "./record_words.ts";
import { TRADE_WORDS } from "./trade_words.ts";
import { VALUE_WORDS } from "./value_words.ts";

/** Every text of the console, in both languages; what stands in a text is formatted already. */
export const WORDS = {
  product: { en: "Sabika", ar: "سبيكة" },
  office: { en: "Operator's console", ar: "لوحة المشغّل" },
  skip: { en: "To the content", ar: "إلى المحتوى" },
  navigation: { en: "Pages", ar: "الصفحات" },
  otherLanguage: { en: "العربية", ar: "English" },
  signOut: { en: "Sign out", ar: "تسجيل الخروج" },
  signedInAs: { en: "Signed in as", ar: "مسجّل الدخول باسم" },
  environment: {
    sandbox: { en: "Sandbox", ar: "بيئة التجربة" },
    production: { en: "Production", ar: "بيئة الإنتاج" },
  },
  pages: {
    overview: { en: "Overview", ar: "نظرة عامة" },
    orders: { en: "Orders", ar: "الأوامر" },
    quotes: { en: "Quotes", ar: "العروض" },
    fundings: { en: "Fundings", ar: "الإيداعات" },
    ledger: { en: "Ledger", ar: "دفتر الأستاذ" },
    statements: { en: "Statements", ar: "كشوف الحساب" },
    books: { en: "Books", ar: "الدفاتر" },
    partners: { en: "Partners", ar: "الشركاء" },
    endpoints: { en: "Endpoints", ar: "نقاط الاستقبال" },
    withdrawals: { en: "Withdrawals", ar: "السحوبات" },
    prices: { en: "Prices", ar: "الأسعار" },
    vault: { en: "Vault", ar: "الخزنة" },
    approvals: { en: "Approvals", ar: "الموافقات" },
    policy: { en: "Policy", ar: "السياسة" },
    people: { en: "People", ar: "الأشخاص" },
    audit: { en: "Audit log", ar: "سجل التدقيق" },
  },
  side: {
    buy: { en: "Buy", ar: "شراء" },
    sell: { en: "Sell", ar: "بيع" },
  },
  yes: { en: "Yes", ar: "نعم" },
  no: { en: "No", ar: "لا" },
  none: { en: "None", ar: "لا شيء" },
  any: { en: "Any", ar: "الكل" },
  units: {
    riyals: { en: "SAR", ar: "ر.س" },
    grams: { en: "g", ar: "غ" },
    perGram: { en: "SAR/g", ar: "ر.س/غ" },
  },
  time: { en: "Time (Riyadh)", ar: "الوقت (الرياض)" },
  partner: { en: "Partner", ar: "الشريك" },
  gold: { en: "Gold (g)", ar: "الذهب (غ)" },
  figures: { en: "The figures", ar: "الأرقام" },
  ago: {
    en: (time: string) => `${time} ago`,
    ar: (time: string) => `قبل ${time}`,
  },

  signIn: {
    title: { en: "Sign in", ar: "تسجيل الدخول" },
    lead: {
      en:
        "With the passkey that was registered for you: your device asks for your finger, face or PIN.",
      ar: "بمفتاح المرور المسجّل لك: يطلب جهازك بصمتك أو وجهك أو رمزك.",
    },
    button: { en: "Sign in with a passkey", ar: "الدخول بمفتاح المرور" },
    needsScript: {
      en: "Passkeys need JavaScript; every page behind this one does without.",
      ar: "مفاتيح المرور تحتاج إلى JavaScript؛ وكل صفحة بعد هذه تعمل بدونه.",
    },
    failed: { en: "That did not work:", ar: "لم ينجح ذلك:" },
    help: {
      en: "No passkey yet? An administrator gives you a link that is good once.",
      ar: "ليس لديك مفتاح مرور بعد؟ يعطيك مدير النظام رابطًا صالحًا لمرة واحدة.",
    },
    provider: {
      en:
        "Or sign in as everywhere in your company. To sign an act you need your passkey all the same.",
      ar: "أو كما في سائر أنظمة شركتك. ويبقى مفتاح المرور لازمًا لتوقيع أي إجراء.",
    },
    providerButton: { en: "Sign in with the company's account", ar: "الدخول بحساب الشركة" },
    refused: {
      single_sign_on_failed: {
        en: "The company's sign-in was not accepted. Begin again from here.",
        ar: "لم يُقبل دخول الشركة. ابدأ من هنا مرة أخرى.",
      },
      single_sign_on_unavailable: {
        en: "The company's sign-in does not answer now.",
        ar: "نظام الدخول في الشركة لا يجيب الآن.",
      },
      identity_unknown: {
        en: "Your company knows you, but Sabika does not yet: an administrator can add you.",
        ar: "شركتك تعرفك، لكن حسابك غير مربوط بسبيكة بعد: يستطيع مدير النظام ربطه.",
      },
    },
  },
  enrol: {
    title: { en: "Register your passkey", ar: "تسجيل مفتاح المرور" },
    lead: {
      en: "The passkey stays on your device. With it you sign in, and sign every act in your name.",
      ar: "يبقى مفتاح المرور على جهازك. به تسجّل الدخول وتوقّع كل إجراء باسمك.",
    },
    button: { en: "Register a passkey", ar: "تسجيل مفتاح مرور" },
    again: {
      en: "Your device asks twice: to make the passkey, and to sign its registration.",
      ar: "يسألك جهازك مرتين: لإنشاء المفتاح، ولتوقيع تسجيله.",
    },
  },

  notices: {
    notPermitted: { en: "Not for your roles", ar: "ليست ضمن أدوارك" },
    notPermittedBecause: {
      en: (roles: string) => `This page is for: ${roles}.`,
      ar: (roles: string) => `هذه الصفحة لأدوار: ${roles}.`,
    },
    notFound: { en: "There is no such page", ar: "لا توجد صفحة كهذه" },
    notFoundBecause: {
      en: "The address may be mistyped, or what it names does not exist.",
      ar: "قد يكون العنوان خطأ، أو أن ما يشير إليه غير موجود.",
    },
    cellAway: {
      en: "The rows of these partners cannot be read now",
      ar: "تعذّرت الآن قراءة بيانات هؤلاء الشركاء",
    },
    broken: { en: "This page could not be made", ar: "تعذّر إعداد هذه الصفحة" },
    brokenBecause: {
      en: "What happened is in the log. Nothing was changed; try again in a moment.",
      ar: "ما حدث مدوَّن في السجل. لم يتغيّر شيء؛ حاول بعد قليل.",
    },
    back: { en: "To the overview", ar: "إلى النظرة العامة" },
  },

  withoutCells: {
    missing: {
      en: (cells: string) =>
        `Cells that cannot be asked now: ${cells}. What is of their partners is missing here.`,
      ar: (cells: string) => `خلايا لا يمكن سؤالها الآن: ${cells}. ما يخص شركاءها ناقص هنا.`,
    },
    noSum: { en: "not known without every cell", ar: "لا يُعرف دون كل الخلايا" },
  },

  ...TRADE_WORDS,
  ...RECORD_WORDS,
  ...ACT_WORDS,
  ...VALUE_WORDS,
};
