// Browser notifications: a campaign was sent, was stopped, failed to start, or waits for a decision
// about its experiment; or the health of a domain became bad.
import { type BrowserNotice, notifyBrowsers } from '#areas/accounts/server/index.ts';
import { broadcastFinished, experimentWaits } from '#areas/broadcasts/server/index.ts';
import { campaignNotStarted, withoutTags } from '#areas/campaigns/server/index.ts';
import { healthChanged } from '#areas/deliverability/server/index.ts';
import { type MessageFacts, messageHalted } from '#areas/delivery/server/index.ts';
import { readDelivery, readSubject } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Language, LOCALE } from '#platform/languages.ts';
import { on } from '#platform/server/area.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { type ServerText, serverTexts } from '#platform/server/texts.ts';
import { healthTexts, urgentCauses } from './health-alerts.ts';

/** The campaign of a message, and the screen where it can be resumed. */
type Campaign = { kind: 'campaign' | 'sms_campaign'; path: string };

function campaignOf({
  kind,
  sourceId,
}: Pick<MessageFacts, 'kind' | 'sourceId'>): Campaign | undefined {
  if (sourceId === null) return undefined;
  if (kind === 'campaign') return { kind, path: `/campaigns/${encodeId('campaign', sourceId)}` };
  if (kind === 'sms_campaign') return { kind, path: `/sms/${encodeId('sms', sourceId)}` };
  return undefined;
}

const textsIn = (language: Language): ServerText => serverTexts('system-emails', language);

/** A campaign's newest notification replaces earlier ones. */
const noticeOf = ({ path }: Campaign, title: string, body: string): BrowserNotice => ({
  title,
  body,
  path,
  tag: path,
});

export const BROWSER_NOTICES = [
  on(broadcastFinished, async (tx, { accountId, kind, campaignId, messageIds }) => {
    const [messageId] = messageIds;
    if (messageId === undefined) return;
    const facts = { accountId, messageId, kind, sourceId: campaignId };
    const campaign = campaignOf(facts);
    if (!campaign) return;
    const deliveries = await readDelivery(tx, accountId, messageIds);
    const accepted = deliveries.reduce((sum, { counts }) => sum + counts.accepted, 0);
    const subject = await shownSubject(tx, facts);
    await notifyBrowsers(tx, accountId, (language) => {
      const t = textsIn(language);
      const figure = new Intl.NumberFormat(LOCALE[language]).format(accepted);
      return noticeOf(
        campaign,
        t('notices.finished.title', { subject }),
        t(`notices.finished.${campaign.kind}`, { figure }),
      );
    });
  }),
  on(experimentWaits, async (tx, { accountId, kind, campaignId, name }) => {
    const campaign = campaignOf({ kind, sourceId: campaignId });
    if (!campaign) return;
    const shown = { subject: withoutTags(name) };
    await notifyBrowsers(tx, accountId, (language) => {
      const t = textsIn(language);
      const title = t('experimentWaits.subject', shown);
      return noticeOf(campaign, title, t('notices.experiment_waits.body'));
    });
  }),
  on(messageHalted, async (tx, facts) => {
    const campaign = campaignOf(facts);
    if (!campaign) return;
    const subject = await shownSubject(tx, facts);
    await notifyBrowsers(tx, facts.accountId, (language) => {
      const t = textsIn(language);
      // An SMS sender has no domain; for SMS the reason means that the number now has another
      // owner.
      const reason =
        campaign.kind === 'sms_campaign' && facts.reason === 'sender_not_verified'
          ? 'sms_sender_not_verified'
          : facts.reason;
      const title = t('notices.stopped.title', { subject });
      return noticeOf(campaign, title, t(`notices.stopped.${reason}`));
    });
  }),
  on(healthChanged, async (tx, facts) => {
    const [cause] = urgentCauses(facts);
    if (!cause) return;
    await notifyBrowsers(tx, facts.accountId, (language) => {
      const { domain, provider, problem } = healthTexts(facts, cause, language);
      const title = textsIn(language)('healthAct.subject', { domain, store: provider });
      const tag = `health ${facts.domain} ${facts.mailbox ?? ''}`;
      return { title, body: problem, path: '/settings/deliverability', tag };
    });
  }),
  on(campaignNotStarted, async (tx, { accountId, campaignId, subject, isResend }) => {
    const campaign: Campaign = {
      kind: 'campaign',
      path: `/campaigns/${encodeId('campaign', campaignId)}`,
    };
    const shown = { subject: withoutTags(subject) };
    await notifyBrowsers(tx, accountId, (language) => {
      const t = textsIn(language);
      const title = t(`${isResend ? 'resendNotStarted' : 'notStarted'}.subject`, shown);
      return noticeOf(campaign, title, t('notices.not_started.body'));
    });
  }),
];

const shownSubject = async (
  tx: Tx,
  { accountId, messageId }: Pick<MessageFacts, 'accountId' | 'messageId'>,
) => withoutTags(await readSubject(tx, accountId, messageId));
