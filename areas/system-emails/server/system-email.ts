// Renders a system email in the reader's language: a heading, a text, a button that opens a screen,
// and a note. The email about a changed password also lists what to review.
import type { MessageSource } from '#areas/content/server/index.ts';
import { CONFIRM_PATH } from '#areas/stores/server/index.ts';
import { DIRECTION, type Language, LOCALE } from '#platform/languages.ts';
import { serverTexts } from '#platform/server/texts.ts';

export const SYSTEM_EMAIL_KINDS = [
  'verification',
  'passwordReset',
  'emailChanged',
  'passwordChanged',
  'passkeyAdded',
  'identityAdded',
  'invitation',
  'invitationUntitled',
  'domainConfirmation',
  'exportReady',
  'bouncesHigh',
  'complaintsHigh',
  'mailsRefused',
  'senderRefused',
  'contentUnsendable',
  'audienceFailed',
  'senderNotVerified',
  'planLimit',
  'notStarted',
  'smsNotStarted',
  'resendNotStarted',
  'experimentWaits',
  'smsExperimentWaits',
  'healthAct',
  'pilotSuggested',
  'pilotDone',
  'pilotWaits',
  'campaignFinished',
  'smsFinished',
  'smsStopped',
  'workflowNotice',
  'webhookFailed',
  'webhookGone',
  'storeFailing',
  'storeDataRequest',
  'workGivenUp',
  'cleanupDelayed',
  'tokenExpiring',
  'tokenCountry',
  'assistantCountry',
  'approvalRequested',
  'approvalApproved',
  'approvalDeclined',
  'approvalExpired',
  'commentMention',
  'storeConsent',
  'receipt',
  'renewalSoon',
  'renewalByHand',
  'planEnding',
  'renewalFailed',
  'renewalLast',
  'renewalUnpaid',
  'renewalAction',
  'planEnded',
  'limitNear',
  'refunded',
  'disputed',
] as const;
export type SystemEmailKind = (typeof SYSTEM_EMAIL_KINDS)[number];

export type SystemEmailOptions = {
  publicUrl: string;
  /** Sender address; undefined for `sendloom@` with the host name of publicUrl. */
  from: string | undefined;
};

/** Paths of the screens that the buttons open. The token, if any, is appended. */
const SCREENS: Record<SystemEmailKind, string> = {
  verification: '/verify-email?token=',
  passwordReset: '/reset-password?token=',
  emailChanged: '/settings/user',
  passwordChanged: '/auth/forgot-password',
  passkeyAdded: '/settings/user',
  identityAdded: '/settings/user',
  invitation: '/accept-invitation?token=',
  invitationUntitled: '/accept-invitation?token=',
  domainConfirmation: '/confirm-domain?token=',
  exportReady: '/download/',
  bouncesHigh: '/campaigns/',
  complaintsHigh: '/campaigns/',
  mailsRefused: '/campaigns/',
  senderRefused: '/campaigns/',
  contentUnsendable: '/campaigns/',
  audienceFailed: '/campaigns/',
  senderNotVerified: '/campaigns/',
  planLimit: '/settings/billing/upgrade',
  notStarted: '/campaigns/',
  smsNotStarted: '/sms/',
  resendNotStarted: '/campaigns/',
  experimentWaits: '/campaigns/',
  smsExperimentWaits: '/sms/',
  healthAct: '/settings/deliverability',
  pilotSuggested: '/settings/deliverability',
  pilotDone: '/settings/deliverability',
  pilotWaits: '/campaigns/',
  campaignFinished: '/campaigns/',
  smsFinished: '/sms/',
  smsStopped: '/sms/',
  workflowNotice: '/automation/builder/',
  webhookFailed: '/settings/webhooks/',
  webhookGone: '/settings/webhooks/',
  storeFailing: '/settings/connected-stores',
  storeDataRequest: '/subscribers?search=',
  workGivenUp: '/subscribers',
  cleanupDelayed: '/dashboard',
  tokenExpiring: '/settings/tokens',
  tokenCountry: '/settings/tokens',
  assistantCountry: '/settings/assistants',
  approvalRequested: '/approvals/',
  approvalApproved: '/approvals/',
  approvalDeclined: '/approvals/',
  approvalExpired: '/approvals/',
  // The token is the complete path of the screen.
  commentMention: '',
  storeConsent: CONFIRM_PATH,
  receipt: '/settings/billing?invoice=',
  renewalSoon: '/settings/billing',
  renewalByHand: '/settings/billing',
  planEnding: '/settings/billing',
  renewalFailed: '/checkout/',
  renewalLast: '/checkout/',
  renewalUnpaid: '/checkout/',
  renewalAction: '/checkout/',
  planEnded: '/settings/billing/upgrade',
  limitNear: '/settings/billing/upgrade',
  refunded: '/settings/billing',
  disputed: '/settings/billing',
};

/** Kinds that use the text of another kind, because only the screen of their button differs. */
const TEXT_KINDS: Partial<Record<SystemEmailKind, SystemEmailKind>> = {
  smsExperimentWaits: 'experimentWaits',
};

/** Values are filled in for each reader, so that identical emails share one message. */
const TAGS = {
  email: '{{ email }}',
  newEmail: '{{ new_email }}',
  provider: '{{ provider }}',
  inviter: '{{ inviter }}',
  company: '{{ company_name }}',
  domain: '{{ domain }}',
  subject: '{{ mail_subject }}',
  share: '{{ share }}',
  limit: '{{ limit }}',
  figure: '{{ figure }}',
  reply: '{{ reply }}',
  reason: '{{ reason }}',
  plan: '{{ plan }}',
  until: '{{ until }}',
  amount: '{{ amount }}',
  card: '{{ card }}',
  number: '{{ number }}',
  address: '{{ endpoint }}',
  store: '{{ store }}',
  customer: '{{ customer }}',
  apiToken: '{{ api_token }}',
  country: '{{ use_country }}',
  ip: '{{ use_ip }}',
  time: '{{ use_time }}',
  work: '{{ work }}',
  users: '{{ users }}',
  webhooks: '{{ webhooks }}',
  stores: '{{ stores }}',
  keys: '{{ keys }}',
};

/** The list in the email about a changed password, each item with the screen to review it. */
const REVIEWED = {
  users: '/settings/users',
  webhooks: '/settings/webhooks',
  stores: '/settings/connected-stores',
  keys: '/settings/tokens',
};

const MUTED = 'color:#5B606B;font-size:13px;line-height:20px';

export function createSystemEmailSource(
  accountId: number,
  kind: SystemEmailKind,
  language: Language,
  { publicUrl, from }: SystemEmailOptions,
): Omit<MessageSource, 'message_id'> {
  const t = serverTexts('system-emails', language);
  const { hostname, host } = new URL(publicUrl);
  const textKind = TEXT_KINDS[kind] ?? kind;
  const texts = {
    title: t(`${textKind}.title`, TAGS),
    body: t(`${textKind}.body`, TAGS),
    button: t(`${textKind}.button`),
    note: t(`${textKind}.note`, { ...TAGS, host }),
    fallback: t('fallback'),
    footer: t('footer', { host }),
  };
  const review: Review | undefined =
    kind === 'passwordChanged'
      ? {
          title: t(`${kind}.review`),
          lines: (Object.keys(REVIEWED) as (keyof typeof REVIEWED)[]).map((name) => ({
            text: t(`${kind}.${name}`, TAGS),
            link: `${publicUrl}${REVIEWED[name]}`,
          })),
        }
      : undefined;
  const link = `${publicUrl}${SCREENS[kind]}{{ token }}`;
  return {
    kind: 'transactional',
    is_automatic: true,
    account_id: accountId,
    company: 'Sendloom',
    street: '',
    postal_address: '',
    subject: t(`${textKind}.subject`, TAGS),
    preheader: '',
    from: { name: 'Sendloom', email: from ?? `sendloom@${hostname}` },
    reply_to: '',
    html: renderHtml(texts, link, language, review),
    text: [
      ...[texts.title, texts.body, link, texts.note],
      ...(review
        ? [review.title, ...review.lines.map((line) => `${line.text}\n${line.link}`)]
        : []),
      `-- \n${texts.footer}\n`,
    ].join('\n\n'),
    language,
    words: { unsubscribe: '', reason: '' },
    public_url: publicUrl,
    unsubscribe_mailbox: '',
    is_tracked: false,
  };
}

type Review = { title: string; lines: { text: string; link: string }[] };
type SystemEmailTexts = Record<
  'title' | 'body' | 'button' | 'note' | 'fallback' | 'footer',
  string
>;

/**
 * Renders the HTML without images: clients block them until the sender is trusted, and spam filters
 * penalize them.
 */
function renderHtml(
  texts: SystemEmailTexts,
  link: string,
  language: Language,
  review?: Review,
): string {
  const rows = review?.lines.map(
    (line) =>
      `<br><a href="${line.link}" style="color:#3B4FE4;word-break:break-word">${line.text}</a>`,
  );
  const start = DIRECTION[language] === 'rtl' ? 'right' : 'left';
  const font = "font-family:Inter,Vazirmatn,'Segoe UI',Helvetica,Arial,sans-serif";
  return `<!doctype html>
<html lang="${LOCALE[language]}" dir="${DIRECTION[language]}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${texts.title}</title></head>
<body style="margin:0;background:#F7F7F5;color:#1B1D22;${font}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:40px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:#FFFFFF;border:1px solid #E4E4E0;border-radius:8px">
<tr><td style="padding:32px 32px 0;font-size:18px;line-height:24px;font-weight:700;color:#3B4FE4" lang="en" dir="ltr" align="${start}">Sendloom</td></tr>
<tr><td style="padding:24px 32px 0"><h1 style="margin:0;font-size:20px;line-height:28px;font-weight:600">${texts.title}</h1></td></tr>
<tr><td style="padding:12px 32px 0;font-size:16px;line-height:24px">${texts.body}</td></tr>
<tr><td style="padding:24px 32px 0"><a href="${link}" style="display:inline-block;background:#3B4FE4;color:#FFFFFF;text-decoration:none;font-size:16px;line-height:24px;font-weight:600;padding:10px 20px;border-radius:6px">${texts.button}</a></td></tr>
<tr><td style="padding:24px 32px 0;${MUTED}">${texts.note}</td></tr>
${review && rows ? `<tr><td style="padding:16px 32px 0;${MUTED}">${review.title}${rows.join('')}</td></tr>\n` : ''}<tr><td style="padding:16px 32px 32px;${MUTED};word-break:break-all">${texts.fallback}<br><a href="${link}" dir="ltr" style="color:#3B4FE4">${link}</a></td></tr>
</table>
<p style="margin:16px 0 0;${MUTED}">${texts.footer}</p>
</td></tr></table></body></html>`;
}
