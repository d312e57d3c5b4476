// Emails about email and SMS campaigns. The owner is notified when a campaign is stopped, fails to
// start, or waits for a decision about its experiment. Users who enabled campaign notifications are
// notified when a campaign is stopped or finished.
import { findOwner, listNotifiedMembers } from '#areas/accounts/server/index.ts';
import {
  broadcastFinished,
  broadcastNotStarted,
  experimentWaits,
} from '#areas/broadcasts/server/index.ts';
import { resendNotStarted } from '#areas/campaigns/server/index.ts';
import type { MessageKind } from '#areas/delivery/message-kinds.ts';
import { messageHalted } from '#areas/delivery/server/index.ts';
import { readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import { isLanguage, type Language, LOCALE } from '#platform/languages.ts';
import { on } from '#platform/server/area.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { type CampaignKind, findCampaignTarget, readCampaignName } from './campaign-target.ts';
import type { SystemEmailKind } from './system-email.ts';

type MessageHalt = Parameters<(typeof messageHalted)['announce']>[1];

type Send = (
  tx: Tx,
  email: {
    accountId: number;
    kind: SystemEmailKind;
    language: string;
    email: string;
    token: string;
    occasion: string;
    values: Record<string, string>;
  },
) => Promise<void>;

const HALTS = {
  bounces_high: 'bouncesHigh',
  complaints_high: 'complaintsHigh',
  mails_refused: 'mailsRefused',
  sender_refused: 'senderRefused',
  content_unsendable: 'contentUnsendable',
  audience_failed: 'audienceFailed',
  sender_not_verified: 'senderNotVerified',
  plan_limit: 'planLimit',
} as const;

const FINISHED = { campaign: 'campaignFinished', sms_campaign: 'smsFinished' } as const;
const NOT_STARTED = { campaign: 'notStarted', sms_campaign: 'smsNotStarted' } as const;
const WAITS = { campaign: 'experimentWaits', sms_campaign: 'smsExperimentWaits' } as const;

export const createCampaignNotices = (send: Send) => [
  on(messageHalted, (tx, event) => notifyOfHalt(tx, send, event)),
  on(broadcastFinished, async (tx, { accountId, messageIds, kind, campaignId }) => {
    const [messageId] = messageIds;
    if (messageId === undefined) return;
    const message = { accountId, kind, sourceId: campaignId, messageId };
    const campaign = findCampaignTarget(message);
    if (!campaign) return;
    const users = await listNotifiedMembers(tx, accountId);
    if (users.length === 0) return;
    const deliveries = await readDelivery(tx, accountId, messageIds);
    const acceptedCount = deliveries.reduce((sum, { counts }) => sum + counts.accepted, 0);
    const name = await readCampaignName(tx, message);
    for (const user of users) {
      const language = toLanguage(user.language);
      await send(tx, {
        accountId,
        kind: FINISHED[campaign.kind],
        language,
        email: user.email,
        token: campaign.publicId,
        occasion: `finished ${messageId} ${user.id}`,
        values: {
          mail_subject: name,
          figure: new Intl.NumberFormat(LOCALE[language]).format(acceptedCount),
        },
      });
    }
  }),
  on(broadcastNotStarted, (tx, { accountId, kind, campaignId, name, at }) =>
    notifyOwner(tx, send, {
      ...{ accountId, kind, campaignId, name },
      kinds: NOT_STARTED,
      occasion: `not started ${at.getTime()}`,
    }),
  ),
  on(experimentWaits, (tx, { accountId, kind, campaignId, name, at }) =>
    notifyOwner(tx, send, {
      ...{ accountId, kind, campaignId, name },
      kinds: WAITS,
      occasion: `experiment ${at.getTime()}`,
    }),
  ),
  on(resendNotStarted, async (tx, { accountId, campaignId, subject, at }) => {
    const owner = await findOwner(tx, accountId);
    if (!owner) return;
    await send(tx, {
      accountId,
      kind: 'resendNotStarted',
      language: owner.language,
      email: owner.email,
      token: encodeId('campaign', campaignId),
      occasion: `not started ${at.getTime()}`,
      values: { mail_subject: subject },
    });
  }),
];

const toLanguage = (language: string): Language => (isLanguage(language) ? language : 'eng');

async function notifyOfHalt(tx: Tx, send: Send, event: MessageHalt): Promise<void> {
  const { accountId, at } = event;
  const campaign = findCampaignTarget(event);
  if (!campaign) return;
  const owner = await findOwner(tx, accountId);
  const members = await listNotifiedMembers(tx, accountId);
  const name = await readCampaignName(tx, event);
  const isSms = campaign.kind === 'sms_campaign';
  // Owners are always notified, other users only if they chose to be.
  for (const user of [...(owner ? [owner] : []), ...members.filter(({ id }) => id !== owner?.id)]) {
    const language = toLanguage(user.language);
    const isOwner = user.id === owner?.id;
    await send(tx, {
      accountId,
      kind: isSms ? 'smsStopped' : HALTS[event.reason],
      language,
      email: user.email,
      // The button of a plan limit's email opens the plans, not the campaign.
      token: event.reason === 'plan_limit' && !isSms ? '' : campaign.publicId,
      // Each halt has a separate email.
      occasion: `halted ${at.getTime()}${isOwner ? '' : ` ${user.id}`}`,
      values: {
        mail_subject: name,
        ...(isSms ? { reason: explainSmsHalt(event, language) } : formatFigures(event, language)),
      },
    });
  }
}

/** Formats the numbers of a halted email campaign for a language. */
function formatFigures(
  { count, of, limit, reply }: MessageHalt,
  language: Language,
): Record<string, string> {
  const percent = new Intl.NumberFormat(LOCALE[language], {
    style: 'percent',
    maximumFractionDigits: 2,
  });
  return {
    share: percent.format(of === 0 ? 0 : count / of),
    limit: percent.format(limit),
    figure: new Intl.NumberFormat(LOCALE[language]).format(of),
    reply: reply ?? '',
  };
}

/** Returns why an SMS campaign was stopped, with the provider's last response, if any. */
function explainSmsHalt({ reason, reply }: MessageHalt, language: Language): string {
  const t = serverTexts('system-emails', language);
  const explanation = t(`notices.stopped.${getStopTextKey('sms_campaign', reason)}`);
  return reply ? `${explanation} ${t('smsStopped.response', { reply })}` : explanation;
}

/**
 * Returns the key of the text about a stopped campaign. SMS senders have no domain; for SMS,
 * `sender_not_verified` means that the number now has another owner.
 */
export const getStopTextKey = (kind: CampaignKind, reason: MessageHalt['reason']) =>
  kind === 'sms_campaign' && reason === 'sender_not_verified' ? 'sms_sender_not_verified' : reason;

async function notifyOwner(
  tx: Tx,
  send: Send,
  notice: {
    accountId: number;
    kind: MessageKind;
    campaignId: number;
    name: string;
    /** The emails' kinds for email and SMS campaigns. */
    kinds: Record<CampaignKind, SystemEmailKind>;
    occasion: string;
  },
): Promise<void> {
  const { accountId, kind, campaignId, name, kinds, occasion } = notice;
  const campaign = findCampaignTarget({ kind, sourceId: campaignId });
  const owner = await findOwner(tx, accountId);
  if (!campaign || !owner) return;
  await send(tx, {
    accountId,
    kind: kinds[campaign.kind],
    language: owner.language,
    email: owner.email,
    token: campaign.publicId,
    occasion,
    values: { mail_subject: name },
  });
}
