/** What pages say around acts: their names, admission, rotation, what is shown once. */
export const ACT_WORDS = {
  act: {
    lead: {
      en:
        "Signed with your passkey, over exactly what stands above. The audit log keeps it in your name.",
      ar: "يُوقَّع بمفتاح مرورك على ما هو أعلاه بعينه، ويحفظه سجل التدقيق باسمك.",
    },
    button: { en: "Sign with your passkey", ar: "التوقيع بمفتاح المرور" },
    back: { en: "Back", ar: "رجوع" },
    done: {
      en: "Done. It is in the audit log with your signature.",
      ar: "تم، وهو في سجل التدقيق بتوقيعك.",
    },
    waits: {
      en: (roles: string) => `Not done yet: it waits for a second person (${roles}).`,
      ar: (roles: string) => `لم يتم بعد: ينتظر شخصًا ثانيًا (${roles}).`,
    },
    notStaged: {
      en: "Sign the act on the page that shows it.",
      ar: "وقّع الإجراء في الصفحة التي تعرضه.",
    },
    refused: { en: "Refused, nothing was done", ar: "رُفض ولم يُفعل شيء" },
  },
  acts: {
    "partner.create": { en: "Admit a partner", ar: "قبول شريك" },
    "partner.update": { en: "Change settings", ar: "تغيير الإعدادات" },
    "partner.suspend": { en: "Suspend", ar: "إيقاف" },
    "partner.resume": { en: "Resume", ar: "استئناف" },
    "iban.set": { en: "Change the IBAN", ar: "تغيير الآيبان" },
    "address.add": { en: "Allow an address", ar: "السماح بعنوان" },
    "address.remove": { en: "Remove an address", ar: "إزالة عنوان" },
    "webhook.set": { en: "Change the webhook URL", ar: "تغيير عنوان الإشعارات" },
    "webhook.ping": { en: "Send a ping", ar: "إرسال اختبار" },
    "webhook.enable": { en: "Enable", ar: "تفعيل" },
    "webhook.disable": { en: "Disable", ar: "تعطيل" },
    "webhook.redeliver": { en: "Send again", ar: "إعادة الإرسال" },
    "certificate.issue": { en: "Issue a certificate", ar: "إصدار شهادة" },
    "certificate.rotate": { en: "Rotate the certificate", ar: "تدوير الشهادة" },
    "certificate.revoke": { en: "Revoke", ar: "إلغاء الشهادة" },
    "signing-key.rotate": { en: "Rotate the signing key", ar: "تدوير مفتاح التوقيع" },
    "signing-key.retire": { en: "End now", ar: "إنهاؤه الآن" },
    "client-secret.rotate": { en: "Rotate the client secret", ar: "تدوير سرّ العميل" },
    "webhook-secret.rotate": { en: "Rotate the webhook secret", ar: "تدوير سرّ الإشعارات" },
    "vault.bar.add": { en: "Add a bar", ar: "إضافة سبيكة" },
    "vault.bar.remove": { en: "Remove", ar: "إزالة" },
    "vault.allocate": { en: "Allocate gold", ar: "تخصيص ذهب" },
    "vault.release": { en: "Release gold", ar: "تحرير ذهب" },
    "approval.approve": { en: "Approve", ar: "موافقة" },
    "approval.reject": { en: "Reject", ar: "رفض" },
    "withdrawal.processing": { en: "Begin to pay", ar: "بدء الدفع" },
    "withdrawal.completed": { en: "It was paid", ar: "دُفع" },
    "withdrawal.failed": { en: "It failed", ar: "فشل" },
    "withdrawal.cancelled": { en: "Cancel", ar: "إلغاء" },
    "funding.credit": { en: "Credit a bank transfer", ar: "قيد تحويل بنكي" },
    "price.set": { en: "Set a fixed price", ar: "تحديد سعر ثابت" },
    "price.pause": { en: "Pause prices", ar: "إيقاف الأسعار" },
    "price.resume": { en: "Resume prices", ar: "استئناف الأسعار" },
    "operator.add": { en: "Add a person", ar: "إضافة شخص" },
    "operator.enable": { en: "Let them act again", ar: "السماح له من جديد" },
    "operator.disable": { en: "Disable", ar: "تعطيل" },
    "operator.role.add": { en: "Give a role", ar: "منح دور" },
    "operator.role.remove": { en: "Take a role", ar: "سحب دور" },
    "operator.key.end": { en: "End this key", ar: "إنهاء هذا المفتاح" },
    "operator.link": { en: "Make a link for a passkey", ar: "إنشاء رابط لمفتاح مرور" },
    "policy.set": { en: "Set a rule", ar: "وضع قاعدة" },
    "policy.remove": { en: "Remove the rule", ar: "إزالة القاعدة" },
    "policy.time": { en: "Set how long requests wait", ar: "تحديد مدة انتظار الطلبات" },
  },

  fields: {
    client_id: { en: "Client id", ar: "معرّف العميل" },
    name: { en: "Name", ar: "الاسم" },
    operator: { en: "Name", ar: "الاسم" },
    csr: { en: "Certificate signing request", ar: "طلب توقيع الشهادة" },
    signing_key: { en: "Signing key", ar: "مفتاح التوقيع" },
    key: { en: "Signing key", ar: "مفتاح التوقيع" },
    with_keys: {
      en: "Make the private keys too, for a first trial (sandbox only)",
      ar: "إنشاء المفاتيح الخاصة أيضًا، لتجربة أولى (بيئة التجربة فقط)",
    },
    webhook_url: { en: "Webhook URL", ar: "عنوان الإشعارات" },
    url: { en: "Webhook URL", ar: "عنوان الإشعارات" },
    "rates.signed.perSecond": { en: "Signed requests a second", ar: "الطلبات الموقّعة في الثانية" },
    "rates.signed.burst": { en: "Signed requests at once", ar: "الطلبات الموقّعة دفعة واحدة" },
    overlap_ms: { en: "The old ones end", ar: "ينتهي القديم" },
    cidr: { en: "Address (CIDR)", ar: "العنوان (CIDR)" },
    amount_sar: { en: "Amount (SAR)", ar: "المبلغ (ر.س)" },
    serial: { en: "Serial", ar: "الرقم التسلسلي" },
    refiner: { en: "Refiner", ar: "المصفاة" },
    fineness: { en: "Fineness", ar: "العيار" },
    weight_grams: { en: "Weight (g)", ar: "الوزن (غ)" },
    seconds: { en: "Seconds, from 60 to 2592000", ar: "ثوانٍ، من 60 إلى 2592000" },
    roles: { en: "Roles", ar: "الأدوار" },
    role: { en: "Role", ar: "الدور" },
  },
  hints: {
    client_id: {
      en: "Lower-case letters, digits and hyphens; it never changes.",
      ar: "أحرف لاتينية صغيرة وأرقام وشرطات؛ لا يتغيّر أبدًا.",
    },
    csr: {
      en: "PEM, made by the partner with a key on P-256; its common name is the client id.",
      ar: "بصيغة PEM، يعدّه الشريك بمفتاح على P-256، واسمه الشائع هو معرّف العميل.",
    },
    key: {
      en: "A signing request made with it: it proves that the partner has the key.",
      ar: "طلب توقيع أُعدّ به: يثبت أن المفتاح لدى الشريك.",
    },
    signing_key: {
      en: "A signing request made with it, or in the sandbox the public key, PEM or JWK.",
      ar: "طلب توقيع أُعدّ به، أو المفتاح العام في بيئة التجربة، بصيغة PEM أو JWK.",
    },
    addresses: { en: "CIDRs, one on each line.", ar: "نطاقات CIDR، واحد في كل سطر." },
    "rates.signed.burst": {
      en: "What is left empty is as for every partner.",
      ar: "ما تُرك فارغًا يكون كما لكل شريك.",
    },
    conditions: {
      en:
        "One on each line, such as: amount_sar above 100000, spread_percent outside 0.1..2, source is fixed. None: always.",
      ar:
        "واحد في كل سطر، مثل: amount_sar above 100000 أو spread_percent outside 0.1..2 أو source is fixed. بلا شرط: دائمًا.",
    },
    operator: {
      en: "Lower-case letters, digits and . _ -",
      ar: "أحرف لاتينية صغيرة وأرقام و . _ -",
    },
  },

  admission: {
    title: { en: "Admit a partner", ar: "قبول شريك" },
    steps: {
      who: { en: "Name and account", ar: "الاسم والحساب" },
      keys: { en: "Keys", ar: "المفاتيح" },
      reach: { en: "Addresses and limits", ar: "العناوين والحدود" },
    },
    sign: { en: "Sign", ar: "التوقيع" },
    next: { en: "Continue", ar: "متابعة" },
  },

  change: {
    title: {
      en: (partner: string) => `Change ${partner}`,
      ar: (partner: string) => `تغيير ${partner}`,
    },
    link: { en: "Change settings and credentials", ar: "تغيير الإعدادات وبيانات الاعتماد" },
    rotations: { en: "Rotate credentials", ar: "تدوير بيانات الاعتماد" },
    rotationsLead: {
      en:
        "The new one counts at once. The old ones go on working as long as you say, so that the partner has time to change over.",
      ar: "يسري الجديد فورًا، ويبقى القديم صالحًا للمدة التي تحددها ليتسنى للشريك الانتقال.",
    },
    until: {
      en: (time: string, end: string) => `after ${time}, ${end}`,
      ar: (time: string, end: string) => `بعد ${time}، ${end}`,
    },
    atOnce: { en: "at once", ar: "فورًا" },
    twoPeople: {
      en: "Some changes wait for a second person.",
      ar: "بعض التغييرات تنتظر شخصًا ثانيًا.",
    },
  },

  shownOnce: {
    made: { en: "What was made", ar: "ما أُنشئ" },
    secret: { en: "Shown this once", ar: "يُعرض هذه المرة فقط" },
    keep: {
      en: "Hand these to the partner now: no other page has them, and no log.",
      ar: "سلّمها للشريك الآن: ليست في صفحة أخرى ولا في أي سجل.",
    },
    clientId: { en: "Client id", ar: "معرّف العميل" },
    clientSecret: { en: "Client secret", ar: "سرّ العميل" },
    webhookSecret: { en: "Webhook secret", ar: "سرّ الإشعارات" },
    signingKey: { en: "Id of the signing key", ar: "معرّف مفتاح التوقيع" },
    hash: { en: "SHA-256 of the certificate", ar: "بصمة الشهادة SHA-256" },
    certificate: { en: "Certificate", ar: "الشهادة" },
    authority: { en: "Our authority's certificate", ar: "شهادة سلطتنا" },
    clientKey: { en: "Private key of the certificate", ar: "المفتاح الخاص للشهادة" },
    signingPrivateKey: { en: "Private signing key", ar: "مفتاح التوقيع الخاص" },
    oldEnd: { en: "The old ones end (Riyadh)", ar: "ينتهي القديم (الرياض)" },
  },

  policy: {
    caption: { en: "Acts that need a second person", ar: "إجراءات تحتاج إلى شخص ثانٍ" },
    waits: {
      en: (time: string) => `A request waits for ${time}.`,
      ar: (time: string) => `ينتظر الطلب ${time}.`,
    },
    conditions: { en: "When", ar: "متى" },
    always: { en: "Always", ar: "دائمًا" },
    approvers: { en: "Who approves", ar: "من يوافق" },
    fixed: { en: "Cannot be changed", ar: "لا تتغيّر" },
    rule: { en: "Set a rule", ar: "وضع قاعدة" },
  },

  people: {
    keys: { en: "Keys", ar: "المفاتيح" },
    kind: { en: "Kind", ar: "النوع" },
    file: { en: "A key file of the command", ar: "ملف مفتاح للأمر" },
    passkey: {
      en: (host: string) => `Passkey for ${host}`,
      ar: (host: string) => `مفتاح مرور لـ ${host}`,
    },
    enabled: { en: "May act", ar: "له أن يتصرف" },
    disabled: { en: "Disabled", ar: "معطّل" },
    linkOnce: {
      en:
        "Shown this once. Give it to the person: it is good from when the act is done, for a day and one passkey.",
      ar: "يُعرض هذه المرة فقط. سلّمه للشخص: يصلح منذ تنفيذ الإجراء ليوم واحد ولمفتاح مرور واحد.",
    },
  },
};
