// Fills an account with two years of a tea shop: subscribers, campaigns, SMS, forms, workflows,
// transactional emails, custom events, orders and their attributed revenue. `npm run demo` and the
// sample data of new owners use it.
import { readAccount } from '#areas/accounts/server/index.ts';
import { compileMessage, saveContent } from '#areas/content/server/index.ts';
import { createField } from '#areas/fields/server/index.ts';
import { ensureGroup } from '#areas/groups/server/index.ts';
import { suppressionHash } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { analyzeDraft, settleAccount } from './account.sql.ts';
import { attributeOrders } from './attribution.ts';
import {
  insertFinishedMessage,
  insertOpenCampaign,
  insertSentCampaign,
  setMessageOfCampaign,
} from './campaigns.sql.ts';
import { insertCustomEvents } from './custom-events.ts';
import { insertForms } from './forms.ts';
import * as rows from './history.sql.ts';
import { selectSegments, insertSegments } from './segments.ts';
import * as shop from './shop.ts';
import { insertSmsHistory } from './sms.ts';
import { SENDER, type CreateSource, createSourceFactory } from './source.ts';
import { insertShop } from './store.sql.ts';
import { resolveDemoLanguage, fillIn } from './texts.ts';
import { insertTransactional } from './transactional.ts';
import { createWorkflows, fillWorkflows } from './workflows.ts';

const DAY_MS = 86_400_000;

/** The account to fill, and the number of its subscribers. */
export type FillTarget = {
  accountId: number;
  userId: number;
  subscriberCount: number;
  publicUrl: string;
};

/** @param logPart is called at the start of each part */
export async function fillSample(
  tx: Tx,
  sample: FillTarget,
  logPart: (stepName: string) => void = () => {},
): Promise<void> {
  const history = await readyHistory(tx, sample);
  const { publicUrl } = sample;
  await settleAccount(tx, history, shop.ACCOUNT);
  const workflows = await createWorkflows(tx, history, publicUrl);
  logPart(`${history.subscriberCount} subscribers`);
  await rows.insertPeople(tx, history);
  await rows.insertMemberships(tx, history);
  await rows.insertConsents(tx, history);
  await analyzeDraft(tx, ['subscribers', 'group_members']);
  logPart('Forms with sign-ups, and custom events');
  await insertForms(tx, history);
  await insertCustomEvents(tx, history);
  logPart(`${shop.CAMPAIGNS} campaigns with their recipients`);
  const sourceOf = createSourceFactory(history, publicUrl);
  const campaigns = await sentCampaigns(tx, history, sourceOf);
  await rows.drawPast(tx, history, campaigns);
  await rows.drawEvents(tx, history, 'campaigns');
  logPart('A store with orders and carts');
  const store = await insertShop(tx, history);
  logPart('Workflows and transactional emails');
  await fillWorkflows(tx, history, workflows);
  await insertTransactional(tx, history, sourceOf);
  await rows.drawEvents(tx, history, 'automation');
  await analyzeDraft(tx, ['messages', 'campaigns']);
  logPart('Deliveries, opens and clicks');
  await rows.insertLedger(tx, history);
  await rows.insertEvents(tx, history);
  logPart('SMS campaigns');
  await insertSmsHistory(tx, history, publicUrl);
  logPart('Reports and attributed revenue');
  await insertReports(tx, history);
  const segmentIds = await insertSegments(tx, history, store, campaigns);
  await openCampaigns(tx, history, segmentIds);
}

async function insertReports(tx: Tx, history: rows.DemoHistory): Promise<void> {
  await rows.insertSums(tx, history);
  const leavers = await rows.applyLosses(tx, history);
  await rows.insertSuppressions(
    tx,
    history,
    'email',
    leavers.map(({ email_key, ...one }) => ({ ...one, hash: suppressionHash(email_key) })),
  );
  await rows.updateSubscriberCounts(tx, history.accountId);
  await analyzeDraft(tx, ['events', 'orders', 'recipients', 'sms_results']);
  await attributeOrders(tx, history);
}

async function readyHistory(
  tx: Tx,
  { accountId, userId, subscriberCount }: FillTarget,
): Promise<rows.DemoHistory> {
  const demoLanguage = resolveDemoLanguage((await readAccount(tx, accountId)).language);
  const { fields, groups } = demoLanguage.texts;
  const field = (title: string, type: 'text' | 'number' | 'datetime') =>
    createField(tx, accountId, { title, type });
  const tea = await field(fields.tea, 'text');
  const cups = await field(fields.cups, 'number');
  const birthday = await field(fields.birthday, 'datetime');
  const group = (title: string) => ensureGroup(tx, accountId, title);
  return {
    accountId,
    userId,
    now: clock.now(),
    subscriberCount,
    firstNames: shop.FIRST_NAMES,
    lastNames: shop.LAST_NAMES,
    hosts: shop.EMAIL_HOSTS,
    ...demoLanguage,
    teas: demoLanguage.texts.teas,
    fields: { tea: tea.id, cups: cups.id, birthday: birthday.id },
    mergeFields: [tea, cups, birthday].map(({ id, name }) => ({ id, name })),
    groups: {
      newsletter: await group(groups.newsletter),
      loyal: await group(groups.loyal),
      visitors: await group(groups.visitors),
      tasting: await group(groups.tasting),
    },
  };
}

async function sentCampaigns(
  tx: Tx,
  history: rows.DemoHistory,
  sourceOf: CreateSource,
): Promise<rows.PastCampaign[]> {
  const campaigns: rows.PastCampaign[] = [];
  for (let index = 0; index < shop.CAMPAIGNS; index++) {
    // One campaign every two weeks, at varying times; the newest is three days old.
    const age = (shop.CAMPAIGNS - 1 - index) * shop.RHYTHM_DAYS + 3;
    const sentAt = new Date(history.now.getTime() - age * DAY_MS - ((index * 37) % 180) * 60_000);
    const story = shop.findStory(history, index, sentAt);
    const html = shop.newsletterHtml(history, story, index);
    const content = await saveContent(
      tx,
      history.accountId,
      null,
      { kind: 'html', html, plain_text: null },
      history.userId,
    );
    const { title, subject, preheader } = story;
    const campaignId = await insertSentCampaign(tx, history, {
      ...{ title, subject, preheader },
      fromName: SENDER.name,
      fromEmail: SENDER.email,
      contentId: content.content_id,
      contentRevision: content.revision,
      sentAt,
    });
    const { messageId, links } = await insertFinishedMessage(
      tx,
      history,
      { kind: 'campaign', channel: 'email', sourceId: campaignId, sentAt },
      (id) => {
        const source = sourceOf({ kind: 'marketing', subject, preheader, html }, id);
        return {
          frozen: { source, fields: history.mergeFields },
          links: compileMessage(source).links,
        };
      },
    );
    await setMessageOfCampaign(tx, history, campaignId, messageId);
    campaigns.push({ campaignId, messageId, sentAt, appeal: 0.8 + ((index * 7) % 13) / 26, links });
  }
  return campaigns;
}

/** Creates four drafts, one at each step of the wizard, and two scheduled campaigns. */
async function openCampaigns(
  tx: Tx,
  history: rows.DemoHistory,
  segmentIds: readonly number[],
): Promise<void> {
  const { copies } = history.texts;
  const steps = ['step1', 'editor', 'step3', 'step4', 'step4', 'step4'] as const;
  for (const [index, step] of steps.entries()) {
    const story = shop.findStory(history, index + 3, history.now);
    const content =
      step === 'step3' || step === 'step4'
        ? await saveContent(
            tx,
            history.accountId,
            null,
            { kind: 'html', html: shop.newsletterHtml(history, story, index), plain_text: null },
            history.userId,
          )
        : undefined;
    const campaignId = await insertOpenCampaign(tx, history.accountId, {
      title: fillIn(index > 3 ? copies.next : copies.draft, 'title', story.title),
      subject: step === 'step1' ? '' : story.subject,
      preheader: step === 'step1' ? '' : story.preheader,
      fromEmail: SENDER.email,
      fromName: SENDER.name,
      step,
      content,
      schedule: index > 3 ? scheduleIn(history.now, (index - 3) * 7) : undefined,
      at: new Date(history.now.getTime() - (6 - index) * DAY_MS),
    });
    if (step === 'step3') await selectSegments(tx, history, campaignId, segmentIds);
  }
}

/** Returns the next quarter-hour `days` from now, and its local time in the shop's time zone. */
function scheduleIn(now: Date, days: number): { localTime: string; zone: string; at: Date } {
  const zone = shop.ACCOUNT.timezone;
  const instant = new Date(Math.ceil((now.getTime() + days * DAY_MS) / 900_000) * 900_000);
  const localTime = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(instant);
  return { localTime, zone, at: instant };
}
