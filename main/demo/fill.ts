// Fills an account with two years of a tea shop: subscribers, campaigns, SMS, forms, workflows,
// transactional emails, custom events, orders and the revenue that they are attributed to. For
// `npm run demo` and for the sample data of new owners.
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
import * as history from './history.sql.ts';
import { chooseSegments, insertSegments } from './segments.ts';
import * as shop from './shop.ts';
import { insertSmsHistory } from './sms.ts';
import { SENDER, type SourceOf, sourcesOf } from './source.ts';
import { insertShop } from './store.sql.ts';
import { demoLanguageOf, fillIn } from './texts.ts';
import { insertTransactional } from './transactional.ts';
import { createWorkflows, fillWorkflows } from './workflows.ts';

const DAY_MS = 86_400_000;

/** The account that is filled, and how many subscribers it gets. */
export type SampleOf = { accountId: number; userId: number; people: number; publicUrl: string };

/** @param logPart is called at the start of each part */
export async function fillSample(
  tx: Tx,
  sample: SampleOf,
  logPart: (part: string) => void = () => {},
): Promise<void> {
  const past = await readyPast(tx, sample);
  const { publicUrl } = sample;
  await settleAccount(tx, past, shop.ACCOUNT);
  const workflows = await createWorkflows(tx, past, publicUrl);
  logPart(`${past.people} subscribers`);
  await history.insertPeople(tx, past);
  await history.insertMemberships(tx, past);
  await history.insertConsents(tx, past);
  await analyzeDraft(tx, ['subscribers', 'group_members']);
  logPart('Forms with sign-ups, and custom events');
  await insertForms(tx, past);
  await insertCustomEvents(tx, past);
  logPart(`${shop.CAMPAIGNS} campaigns with their recipients`);
  const sourceOf = sourcesOf(past, publicUrl);
  const campaigns = await sentCampaigns(tx, past, sourceOf);
  await history.drawPast(tx, past, campaigns);
  await history.drawEvents(tx, past, 'campaigns');
  logPart('A store with orders and carts');
  const store = await insertShop(tx, past);
  logPart('Workflows and transactional emails');
  await fillWorkflows(tx, past, workflows);
  await insertTransactional(tx, past, sourceOf);
  await history.drawEvents(tx, past, 'automation');
  await analyzeDraft(tx, ['messages', 'campaigns']);
  logPart('Deliveries, opens and clicks');
  await history.insertLedger(tx, past);
  await history.insertEvents(tx, past);
  logPart('SMS campaigns');
  await insertSmsHistory(tx, past, publicUrl);
  logPart('Reports and attributed revenue');
  await insertReports(tx, past);
  const segmentIds = await insertSegments(tx, past, store, campaigns);
  await openCampaigns(tx, past, segmentIds);
}

async function insertReports(tx: Tx, past: history.Past): Promise<void> {
  await history.insertSums(tx, past);
  const leavers = await history.applyFates(tx, past);
  await history.insertSuppressions(
    tx,
    past,
    'email',
    leavers.map(({ email_key, ...one }) => ({ ...one, hash: suppressionHash(email_key) })),
  );
  await history.countPeople(tx, past.accountId);
  await analyzeDraft(tx, ['events', 'orders', 'recipients', 'sms_results']);
  await attributeOrders(tx, past);
}

async function readyPast(tx: Tx, { accountId, userId, people }: SampleOf): Promise<history.Past> {
  const demoLanguage = demoLanguageOf((await readAccount(tx, accountId)).language);
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
    people,
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
  past: history.Past,
  sourceOf: SourceOf,
): Promise<history.PastCampaign[]> {
  const campaigns: history.PastCampaign[] = [];
  for (let index = 0; index < shop.CAMPAIGNS; index++) {
    // Thursdays around ten; the newest campaign is three days old.
    const age = (shop.CAMPAIGNS - 1 - index) * shop.RHYTHM_DAYS + 3;
    const sentAt = new Date(past.now.getTime() - age * DAY_MS - ((index * 37) % 180) * 60_000);
    const story = shop.storyOf(past, index, sentAt);
    const html = shop.newsletterHtml(past, story, index);
    const content = await saveContent(
      tx,
      past.accountId,
      null,
      { kind: 'html', html, plain_text: null },
      past.userId,
    );
    const { title, subject, preheader } = story;
    const campaignId = await insertSentCampaign(tx, past, {
      ...{ title, subject, preheader },
      fromName: SENDER.name,
      fromEmail: SENDER.email,
      contentId: content.content_id,
      contentRevision: content.revision,
      sentAt,
    });
    const { messageId, links } = await insertFinishedMessage(
      tx,
      past,
      { kind: 'campaign', channel: 'email', sourceId: campaignId, sentAt },
      (id) => {
        const source = sourceOf({ kind: 'marketing', subject, preheader, html }, id);
        return {
          frozen: { source, fields: past.mergeFields },
          links: compileMessage(source).links,
        };
      },
    );
    await setMessageOfCampaign(tx, past, campaignId, messageId);
    campaigns.push({ campaignId, messageId, sentAt, appeal: 0.8 + ((index * 7) % 13) / 26, links });
  }
  return campaigns;
}

/** Four drafts, one at each step of the wizard, and two scheduled campaigns. */
async function openCampaigns(
  tx: Tx,
  past: history.Past,
  segmentIds: readonly number[],
): Promise<void> {
  const { copies } = past.texts;
  const steps = ['step1', 'editor', 'step3', 'step4', 'step4', 'step4'] as const;
  for (const [index, step] of steps.entries()) {
    const story = shop.storyOf(past, index + 3, past.now);
    const content =
      step === 'step3' || step === 'step4'
        ? await saveContent(
            tx,
            past.accountId,
            null,
            { kind: 'html', html: shop.newsletterHtml(past, story, index), plain_text: null },
            past.userId,
          )
        : undefined;
    const campaignId = await insertOpenCampaign(tx, past.accountId, {
      title: fillIn(index > 3 ? copies.next : copies.draft, 'title', story.title),
      subject: step === 'step1' ? '' : story.subject,
      preheader: step === 'step1' ? '' : story.preheader,
      fromEmail: SENDER.email,
      fromName: SENDER.name,
      step,
      content,
      schedule: index > 3 ? scheduleIn(past.now, (index - 3) * 7) : undefined,
      at: new Date(past.now.getTime() - (6 - index) * DAY_MS),
    });
    if (step === 'step3') await chooseSegments(tx, past, campaignId, segmentIds);
  }
}

/** Ten in the morning, `days` ahead, in the shop's time zone. */
function scheduleIn(now: Date, days: number): { wall: string; zone: string; at: Date } {
  const zone = shop.ACCOUNT.timezone;
  const at = new Date(Math.ceil((now.getTime() + days * DAY_MS) / 900_000) * 900_000);
  const wall = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(at);
  return { wall, zone, at };
}
