// Browser notifications: a campaign was sent, was stopped, failed to start, or waits for a decision
// about its experiment; or the health of a domain became bad.
import { type BrowserNotice, notifyBrowsers } from '#areas/accounts/server/index.ts';
import { broadcastFinished, experimentWaits } from '#areas/broadcasts/server/index.ts';
import { campaignNotStarted, replaceTags } from '#areas/campaigns/server/index.ts';
import { healthChanged } from '#areas/deliverability/server/index.ts';
import { type MessageFacts, messageHalted } from '#areas/delivery/server/index.ts';
import { readDelivery, readSubject } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Language, LOCALE } from '#platform/languages.ts';
import { on } from '#platform/server/area.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { type ServerText, serverTexts } from '#platform/server/texts.ts';
import { formatHealthTexts, listUrgentCauses } from './health-alerts.ts';

/** The campaign of a message, and the screen where it can be resumed. */
type CampaignTarget = { kind: 'campaign' | 'sms_campaign'; path: string };

function findCampaignTarget({
  kind,
  sourceId,
}: Pick<MessageFacts, 'kind' | 'sourceId'>): CampaignTarget | undefined {
  if (sourceId === null) return undefined;
  if (kind === 'campaign') return { kind, path: `/campaigns/${encodeId('campaign', sourceId)}` };
  if (kind === 'sms_campaign') return { kind, path: `/sms/${encodeId('sms', sourceId)}` };
  return undefined;
}

const getTexts = (language: Language): ServerText => serverTexts('system-emails', language);

/** Creates a notification. A campaign's newest one replaces earlier ones. */
const createNotice = ({ path }: CampaignTarget, title: string, body: string): BrowserNotice => ({
  title,
  body,
  path,
  tag: path,
});

export const BROWSER_NOTICES = [
  on(broadcastFinished, async (tx, { accountId, kind, campaignId, messageIds }) => {
    const [messageId] = messageIds;
    if (messageId === undefined) return;
    const message = { accountId, messageId, kind, sourceId: campaignId };
    const campaign = findCampaignTarget(message);
    if (!campaign) return;
    const deliveries = await readDelivery(tx, accountId, messageIds);
    const acceptedCount = deliveries.reduce((sum, { counts }) => sum + counts.accepted, 0);
    const subject = await readPlainSubject(tx, message);
    await notifyBrowsers(tx, accountId, (language) => {
      const t = getTexts(language);
      const figure = new Intl.NumberFormat(LOCALE[language]).format(acceptedCount);
      return createNotice(
        campaign,
        t('notices.finished.title', { subject }),
        t(`notices.finished.${campaign.kind}`, { figure }),
      );
    });
  }),
  on(experimentWaits, async (tx, { accountId, kind, campaignId, name }) => {
    const campaign = findCampaignTarget({ kind, sourceId: campaignId });
    if (!campaign) return;
    const placeholders = { subject: replaceTags(name) };
    await notifyBrowsers(tx, accountId, (language) => {
      const t = getTexts(language);
      const title = t('experimentWaits.subject', placeholders);
      return createNotice(campaign, title, t('notices.experiment_waits.body'));
    });
  }),
  on(messageHalted, async (tx, event) => {
    const campaign = findCampaignTarget(event);
    if (!campaign) return;
    const subject = await readPlainSubject(tx, event);
    await notifyBrowsers(tx, event.accountId, (language) => {
      const t = getTexts(language);
      // An SMS sender has no domain; for SMS the reason means that the number now has another
      // owner.
      const reason =
        campaign.kind === 'sms_campaign' && event.reason === 'sender_not_verified'
          ? 'sms_sender_not_verified'
          : event.reason;
      const title = t('notices.stopped.title', { subject });
      return createNotice(campaign, title, t(`notices.stopped.${reason}`));
    });
  }),
  on(healthChanged, async (tx, event) => {
    const [cause] = listUrgentCauses(event);
    if (!cause) return;
    await notifyBrowsers(tx, event.accountId, (language) => {
      const { domain, provider, problem } = formatHealthTexts(event, cause, language);
      const title = getTexts(language)('healthAct.subject', { domain, store: provider });
      const tag = `health ${event.domain} ${event.mailbox ?? ''}`;
      return { title, body: problem, path: '/settings/deliverability', tag };
    });
  }),
  on(campaignNotStarted, async (tx, { accountId, campaignId, subject, isResend }) => {
    const campaign: CampaignTarget = {
      kind: 'campaign',
      path: `/campaigns/${encodeId('campaign', campaignId)}`,
    };
    const placeholders = { subject: replaceTags(subject) };
    await notifyBrowsers(tx, accountId, (language) => {
      const t = getTexts(language);
      const title = t(`${isResend ? 'resendNotStarted' : 'notStarted'}.subject`, placeholders);
      return createNotice(campaign, title, t('notices.not_started.body'));
    });
  }),
];

const readPlainSubject = async (
  tx: Tx,
  { accountId, messageId }: Pick<MessageFacts, 'accountId' | 'messageId'>,
) => replaceTags(await readSubject(tx, accountId, messageId));
