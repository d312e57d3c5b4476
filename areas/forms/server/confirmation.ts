// Sends the emails after a sign-up (the confirmation email of double opt-in, the prize or code),
// and applies confirmations. The emails contain no text that a visitor typed, so that they cannot
// be used to send messages to strangers.
import {
  type AccountDetails,
  formatPostalAddress,
  readAccount,
} from '#areas/accounts/server/index.ts';
import { sendOne } from '#areas/delivery/server/ledger/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { publishJoined } from '#areas/groups/server/index.ts';
import { confirm, reactivate } from '#areas/subscribers/server/index.ts';
import type { FormDocument, FormType } from '#embed/forms/shared/document.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { escapeHtml } from '#platform/server/http/public-page.ts';
import type { ServerText } from '#platform/server/texts.ts';
import { hashSecret, generateSecret } from '#platform/server/secrets.ts';
import { encodeId } from '#platform/ids.ts';
import type { FormSettings } from '../settings-contract.ts';
import { CONFIRM_LINK } from '../shared.ts';
import { formConfirmed } from './events.ts';
import { type FormBrand, readFormBrand } from './brand.ts';
import { findConfirmationSender } from './confirmation-sender.ts';
import { formTexts, toPageLanguage } from './form-texts.ts';
import { findForm, findVersion, findFormGroups, type FormVersionRow } from './forms.sql.ts';
import { findSignUpReward } from './sign-up-reward.ts';
import { drawRewardAfterConfirmation } from './late-draw.ts';
import { readCustomEmail } from './confirmation-email.ts';
import { getFormsSettings, toInterfaceLanguage } from './settings.ts';
import * as store from './submissions.sql.ts';
import { MUST_CONFIRM, UNPROVEN } from './confirmation-marker.ts';
import type { Prize } from './wheel.ts';

const DAY_MS = 86_400_000;
const LASTS_MS = 30 * DAY_MS;

type ConfirmationRequest = {
  accountId: number;
  formId: number;
  key: string;
  subscriberId: number;
  email: string;
  document: FormDocument;
  settings: FormSettings;
};

/**
 * Sends the confirmation email, unless one was sent within the last day and is still unconfirmed.
 * @throws AppError sender_not_verified
 */
export async function sendConfirmation(tx: Tx, request: ConfirmationRequest): Promise<void> {
  const at = clock.now();
  const { accountId, formId, subscriberId } = request;
  if (await store.wasConfirmationSent(tx, accountId, subscriberId, new Date(at.getTime() - DAY_MS)))
    return;
  const secret = generateSecret();
  await store.insertConfirmation(tx, {
    accountId,
    hash: hashSecret(secret),
    formId,
    key: request.key,
    subscriberId,
    at,
    expiresAt: new Date(at.getTime() + LASTS_MS),
  });
  const account = await readAccount(tx, accountId);
  await sendOne(tx, {
    accountId,
    kind: 'confirmation',
    sourceId: formId,
    source: await createConfirmationSource(tx, account, request),
    recipient: request.email,
    subscriberId,
    values: {
      ...(await createBlankValues(tx, accountId)),
      [CONFIRM_LINK]: `${getFormsSettings().publicUrl}/f/confirm/${encodeId('account', accountId)}.${secret}`,
    },
    idempotencyKey: hashSecret(secret).toString('base64url'),
    isSecret: true,
  });
}

/**
 * Creates blank values for all merge tags of a subscriber, because anyone can enter a stranger's
 * address together with any text.
 */
async function createBlankValues(tx: Tx, accountId: number): Promise<Record<string, string>> {
  const names = (await readFields(tx, accountId)).map(({ name }) => name);
  return Object.fromEntries(['firstname', 'lastname', 'phone', ...names].map((name) => [name, '']));
}

/**
 * Creates the email from the editor, or the default one if none was written, with the sender and
 * subject of the request's settings.
 */
async function createConfirmationSource(
  tx: Tx,
  account: AccountDetails,
  request: ConfirmationRequest,
) {
  const byDefault = createPlainSource(account, request, await readFormBrand(tx, account.id));
  const custom = await readCustomEmail(tx, account.id, request.formId);
  if (!custom) return byDefault;
  const { is_automatic, subject, from, is_tracked } = byDefault;
  return { ...custom, is_automatic, subject, from, is_tracked };
}

/**
 * Creates a heading, a sentence and a button with the author's text, or the defaults of the form's
 * language.
 */
function createPlainSource(account: AccountDetails, request: EmailedForm, brand: FormBrand) {
  const { confirmation } = request.settings;
  const t = formTexts(request.document.language);
  const company = account.title || confirmation.from_name;
  const texts = {
    subject: confirmation.subject || t('mail.subject'),
    heading: confirmation.heading || t('mail.heading'),
    text: confirmation.text || t('mail.text', { company }),
    note: t('mail.note'),
  };
  const { background, color } = brand.button ?? DEFAULT_BUTTON;
  const link = `{{ ${CONFIRM_LINK} }}`;
  const button = `<a href="${link}" style="display:inline-block;background:${background};color:${color};text-decoration:none;font-size:16px;line-height:24px;font-weight:600;padding:10px 20px;border-radius:6px">${escapeText(confirmation.button || t('mail.button'))}</a>`;
  return createFormEmailSource(account, request, texts, { html: button, text: link }, brand);
}

type EmailedForm = Pick<ConfirmationRequest, 'document' | 'settings'>;

const DEFAULT_BUTTON = { background: '#3b4fe4', color: '#ffffff' };

const escapeText = (text: string) =>
  escapeHtml(text).replaceAll('{', '&#123;').replaceAll('\n', '<br>');

/**
 * Emails the prize or the code to the winner's address, unless the draw was lost, the form does not
 * email it, or the form has no usable sender.
 */
export async function emailPrize(
  tx: Tx,
  prizeEmail: EmailedForm & {
    accountId: number;
    formId: number;
    key: string;
    subscriberId: number;
    email: string;
    prize: Prize;
  },
): Promise<void> {
  const { accountId, formId, key, prize, settings } = prizeEmail;
  // Versions published before this setting existed have no value.
  if (prize.is_losing || settings.email_code === false) return;
  const confirmation = await findConfirmationSender(tx, accountId, settings);
  if (typeof confirmation === 'string') return;
  const account = await readAccount(tx, accountId);
  const company = account.title || confirmation.from_name || readHost(confirmation.from_email);
  const texts = createPrizeTexts(formTexts(prizeEmail.document.language), prize, company);
  const code = '{{ prize_code }}';
  const codeHtml = `<span style="display:inline-block;border:2px dashed #1b1d22;border-radius:8px;font-size:20px;line-height:28px;font-weight:700;padding:10px 20px">${code}</span>`;
  await sendOne(tx, {
    accountId,
    kind: 'confirmation',
    sourceId: formId,
    source: createFormEmailSource(
      account,
      { ...prizeEmail, settings: { ...settings, confirmation } },
      texts,
      { html: codeHtml, text: code },
      await readFormBrand(tx, accountId),
    ),
    recipient: prizeEmail.email,
    subscriberId: prizeEmail.subscriberId,
    values: { prize_code: prize.code || prize.label },
    idempotencyKey: `prize ${formId} ${key}`,
    isSecret: true,
  });
}

const readHost = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

function createPrizeTexts(t: ServerText, prize: Prize, company: string) {
  const text = t('mail.prizeText', { company });
  if (!prize.coupon)
    return {
      subject: t('mail.prizeSubject'),
      heading: t('mail.prizeHeading', { prize: prize.label }),
      text,
      note: t('mail.prizeNote'),
    };
  return {
    subject: t('mail.codeSubject', { company }),
    heading: prize.label || t('mail.codeHeading'),
    text,
    note: t('mail.codeNote', { company }),
  };
}

function createFormEmailSource(
  account: AccountDetails,
  request: EmailedForm,
  texts: { subject: string; heading: string; text: string; note: string },
  action: { html: string; text: string },
  { logo, website, company: shop }: FormBrand,
) {
  const { confirmation } = request.settings;
  const { language } = request.document;
  const { lang, dir } = toPageLanguage(language);
  const { publicUrl } = getFormsSettings();
  const company = account.title || confirmation.from_name;
  const backLabel = website && formTexts(language)('mail.shop', { company: shop || company });
  const mutedStyle = 'color:#5b606b;font-size:13px;line-height:20px';
  const html = `<!doctype html><html lang="${lang}" dir="${dir}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeText(texts.subject)}</title></head>
<body style="margin:0;background:#f7f7f5;color:#1b1d22;font-family:Arial,Helvetica,sans-serif"><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:40px 16px"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:#ffffff;border:1px solid #e4e4e0;border-radius:8px">
${logo ? `<tr><td style="padding:32px 32px 0"><img src="${escapeHtml(logo.src)}" alt="${escapeText(logo.alt)}" style="display:block;max-width:220px;max-height:72px;border:0"></td></tr>` : ''}<tr><td style="padding:32px 32px 0"><h1 style="margin:0;font-size:22px;line-height:30px">${escapeText(texts.heading)}</h1></td></tr>
<tr><td style="padding:12px 32px 0;font-size:16px;line-height:24px">${escapeText(texts.text)}</td></tr>
<tr><td style="padding:24px 32px 0">${action.html}</td></tr>
<tr><td style="padding:24px 32px 32px;${mutedStyle}">${escapeText(texts.note)}</td></tr></table>
${backLabel ? `<p style="margin:16px 0 0;font-size:14px;line-height:20px"><a href="${escapeHtml(website)}" style="color:#1b1d22">${escapeText(backLabel)}</a></p>` : ''}<p style="margin:16px 0 0;${mutedStyle}">${escapeText(formatPostalAddress(account).join(', ') || company)}</p></td></tr></table></body></html>`;
  const escapeBraces = (text: string) => text.replaceAll('{', '(');
  const site = backLabel ? `\n${escapeBraces(backLabel)}: ${website}\n` : '';
  return {
    kind: 'transactional' as const,
    is_automatic: true,
    account_id: account.id,
    company,
    street: '',
    postal_address: '',
    subject: texts.subject.replaceAll('{', '('),
    preheader: '',
    from: { name: confirmation.from_name || company, email: confirmation.from_email },
    reply_to: '',
    html,
    text: `${escapeBraces(texts.heading)}\n\n${escapeBraces(texts.text)}\n\n${action.text}\n\n${escapeBraces(texts.note)}\n${site}`,
    language: toInterfaceLanguage(language),
    words: { unsubscribe: '', reason: '' },
    public_url: publicUrl,
    unsubscribe_mailbox: '',
    is_tracked: false,
  };
}

/** Returns the hash of the secret in an emailed link's token, which is `<account>.<secret>`. */
export function hashToken(secret: string): Buffer {
  return hashSecret(secret);
}

/**
 * Confirms a subscriber by an emailed link. The first use activates the subscriber, even one who
 * had unsubscribed, because using the link is a request to return. The first use also emails a
 * prize that waited for the confirmation, and announces the joined groups and the confirmation, so
 * that workflows start. Later uses change nothing. Returns false if the link is unknown or has
 * expired unused.
 */
export async function confirmByLink(
  tx: Tx,
  accountId: number,
  hash: Buffer,
  origin: { ip: string | undefined },
): Promise<boolean> {
  const at = clock.now();
  const confirmation = await store.claimConfirmation(tx, accountId, hash, at);
  if (!confirmation) {
    const earlier = await store.findConfirmation(tx, accountId, hash);
    return earlier?.confirmed_at !== undefined && earlier.confirmed_at !== null;
  }
  const { form_id: formId, subscriber_id: subscriberId, submission_key: key } = confirmation;
  const recipients = { subscriberIds: [subscriberId] };
  const confirmedIds = await confirm(tx, accountId, recipients, {
    channel: 'email',
    source: 'form',
    sourceId: formId,
    ...(origin.ip ? { ip: origin.ip } : {}),
    wording: 'confirmed by the mailed link',
  });
  if (confirmedIds.length === 0) {
    await reactivate(tx, accountId, recipients, {
      channel: 'email',
      consent: { source: 'form', wording: 'confirmed by the mailed link' },
      ...(origin.ip ? { ip: origin.ip } : {}),
    });
  }
  await store.saveSubmission(
    tx,
    { account_id: accountId, form_id: formId, key },
    { confirmed_at: at },
  );
  await emailReservedPrize(tx, accountId, confirmation);
  const groups = await findFormGroups(tx, accountId, [formId]);
  await publishJoined(tx, accountId, {
    groupIds: groups.map(({ group_id }) => group_id),
    subscriberIds: [subscriberId],
    origin: 'form',
  });
  await formConfirmed.announce(tx, { accountId, formId, subscriberIds: [subscriberId], at });
  return true;
}

/**
 * Emails the reward after the address is confirmed. The reward of an unproven sign-up and every
 * coupon are drawn only now; other rewards were drawn at the sign-up.
 */
async function emailReservedPrize(
  tx: Tx,
  accountId: number,
  { form_id: formId, submission_key: key, subscriber_id: subscriberId }: SubmissionConfirmation,
): Promise<void> {
  const row = await store.findSubmission(tx, accountId, formId, key);
  const shownVersion = row && (await findVersion(tx, accountId, formId, row.version));
  const email = row && row.answers.email;
  if (!shownVersion || typeof email !== 'string') return;
  const { settings, giveaway } = await readPublishedVersion(tx, row, shownVersion);
  const isUnproven = row.answers[MUST_CONFIRM] === UNPROVEN;
  const isLate = giveaway && (isUnproven || giveaway.kind === 'coupon');
  const prize =
    row.prize ??
    (isLate
      ? await drawRewardAfterConfirmation(tx, row, {
          address: email,
          subscriberId,
          settings,
          giveaway,
        })
      : undefined);
  if (!prize) return;
  await emailPrize(tx, {
    ...{ accountId, formId, key, subscriberId, email },
    document: shownVersion.document,
    settings,
    prize,
  });
}

/**
 * Reads the settings and the reward of the published version. For a deleted form, there is no
 * reward, and the settings come from the version that the visitor saw.
 */
async function readPublishedVersion(
  tx: Tx,
  { account_id: accountId, form_id: formId }: store.SubmissionRow,
  shownVersion: FormVersionRow,
) {
  const form = await findForm(tx, accountId, formId);
  const number = form?.published_version ?? shownVersion.number;
  const currentVersion = (await findVersion(tx, accountId, formId, number)) ?? shownVersion;
  const { settings, document } = currentVersion;
  return {
    settings,
    giveaway: form && findSignUpReward(form.type as FormType, document, settings),
  };
}

type SubmissionConfirmation = { form_id: number; submission_key: string; subscriber_id: number };
