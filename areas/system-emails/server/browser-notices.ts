// Browser notifications: a campaign was sent, was stopped, failed to start, or waits for a decision
// about its experiment; or the health of a domain became bad.
import { type BrowserNotice, notifyBrowsers } from '#areas/accounts/server/index.ts';
import {
  broadcastFinished,
  broadcastNotStarted,
  experimentWaits,
} from '#areas/broadcasts/server/index.ts';
import { replaceTags, resendNotStarted } from '#areas/campaigns/server/index.ts';
import { healthChanged } from '#areas/deliverability/server/index.ts';
import { messageHalted } from '#areas/delivery/server/index.ts';
import { readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { type Language, LOCALE } from '#platform/languages.ts';
import { on } from '#platform/server/area.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { type ServerText, serverTexts } from '#platform/server/texts.ts';
import { getStopTextKey } from './campaign-notices.ts';
import { type CampaignTarget, findCampaignTarget, readCampaignName } from './campaign-target.ts';
import { formatHealthTexts, listUrgentCauses } from './health-alerts.ts';

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
    const subject = await readPlainName(tx, message);
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
    const subject = await readPlainName(tx, event);
    await notifyBrowsers(tx, event.accountId, (language) => {
      const t = getTexts(language);
      const key = getStopTextKey(campaign.kind, event.reason);
      const title = t('notices.stopped.title', { subject });
      return createNotice(campaign, title, t(`notices.stopped.${key}`));
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
  on(broadcastNotStarted, async (tx, { accountId, kind, campaignId, name }) => {
    const campaign = findCampaignTarget({ kind, sourceId: campaignId });
    if (campaign) await notifyOfFailedStart(tx, accountId, campaign, 'notStarted', name);
  }),
  on(resendNotStarted, async (tx, { accountId, campaignId, subject }) => {
    const campaign = findCampaignTarget({ kind: 'campaign', sourceId: campaignId });
    if (campaign) await notifyOfFailedStart(tx, accountId, campaign, 'resendNotStarted', subject);
  }),
];

function notifyOfFailedStart(
  tx: Tx,
  accountId: number,
  campaign: CampaignTarget,
  textKey: 'notStarted' | 'resendNotStarted',
  name: string,
): Promise<void> {
  const placeholders = { subject: replaceTags(name) };
  const bodyKey = textKey === 'notStarted' ? 'not_started' : 'resend_not_started';
  return notifyBrowsers(tx, accountId, (language) => {
    const t = getTexts(language);
    const title = t(`${textKey}.subject`, placeholders);
    return createNotice(campaign, title, t(`notices.${bodyKey}.body`));
  });
}

const readPlainName = async (tx: Tx, event: Parameters<typeof readCampaignName>[1]) =>
  replaceTags(await readCampaignName(tx, event));
