// `npm run demo`: creates an account with two years of history, for demonstrations and
// measurements. All in one transaction; a second run only sets a new password.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { hashPassword, signUp } from '#areas/accounts/server/index.ts';
import {
  compileMessage,
  type MessageSource,
  messageTexts,
  saveContent,
} from '#areas/content/server/index.ts';
import { createField } from '#areas/fields/server/index.ts';
import { ensureGroup } from '#areas/groups/server/index.ts';
import { suppressionHash } from '#areas/subscribers/server/index.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import {
  analyse,
  analyseDraft,
  END_DEMO,
  endWithItsClient,
  hasDemo,
  setPassword,
  settleAccount,
} from './demo/account.sql.ts';
import {
  insertFinishedMessage,
  insertOpenCampaign,
  insertSentCampaign,
} from './demo/campaigns.sql.ts';
import * as history from './demo/history.sql.ts';
import { chooseSegments, insertSegments } from './demo/segments.ts';
import * as shop from './demo/shop.ts';
import { insertShop } from './demo/store.sql.ts';
import { boot } from './boot.ts';
import { prepareCommand } from './prepare.ts';

const DAY_MS = 86_400_000;
const SENDER = { name: 'Harbour Tea House', email: 'letters@harbourtea.example' };

async function demo(): Promise<void> {
  const { config, close } = await prepareCommand();
  if (config.isProduction)
    throw new CannotStart('The demo is not for production: it would invent people.');
  const app = await boot({ ...config, logLevel: 'warn' }, 'demo');
  const password = randomBytes(9).toString('base64url');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
    process.once(signal, () => void stop(config.databaseUrl));
  }
  try {
    const isNew = await inTransaction(app.db, (tx) => fill(tx, password, config.publicUrl));
    if (isNew) await inTransaction(app.db, analyse);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(
      isNew
        ? `${shop.PEOPLE} subscribers and ${shop.CAMPAIGNS} campaigns are in (${seconds} s).`
        : 'The demo account already exists; its password was reset.',
    );
    console.log(
      `Sign in at ${config.publicUrl}/auth as ${shop.OWNER_EMAIL} with the password ${password}`,
    );
  } finally {
    await app.close();
    await close();
  }
}

const startedAt = performance.now();

/** One line of output per part, since filling a used instance takes a minute or more. */
function logPart(part: string): void {
  console.log(
    `${String(Math.round((performance.now() - startedAt) / 1000)).padStart(4)} s  ${part} …`,
  );
}

/** An interrupted run leaves no data and no running statement in the database. */
async function stop(databaseUrl: string): Promise<never> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  await client
    .connect()
    .then(() => client.query(END_DEMO))
    .catch(() => {});
  console.error('Stopped. Nothing was added.');
  process.exit(1);
}

/** Returns false where the demo account exists. */
async function fill(tx: Tx, password: string, publicUrl: string): Promise<boolean> {
  const known = await hasDemo(tx, shop.OWNER_EMAIL);
  if (known) {
    await setPassword(tx, known.id, await hashPassword(password), clock.now());
    return false;
  }
  await endWithItsClient(tx);
  const { accountId, userId } = await signUp(
    tx,
    { email: shop.OWNER_EMAIL, password, timezone: shop.ACCOUNT.timezone },
    'open',
  );
  const past = await readyPast(tx, accountId, userId);
  await settleAccount(tx, past, shop.ACCOUNT);
  logPart(`${shop.PEOPLE} subscribers`);
  await history.insertPeople(tx, past);
  await history.insertMemberships(tx, past);
  await history.insertConsents(tx, past);
  await analyseDraft(tx, ['subscribers', 'group_members']);
  logPart(`${shop.CAMPAIGNS} campaigns`);
  const campaigns = await sentCampaigns(tx, past, publicUrl);
  logPart('What each of them was sent');
  await history.drawPast(tx, past, campaigns);
  await analyseDraft(tx, ['messages', 'campaigns']);
  await history.insertLedger(tx, past);
  logPart('Opens, clicks and goodbyes');
  await history.insertEvents(tx, past);
  logPart('Reports');
  await history.insertSums(tx, past);
  const leavers = await history.applyFates(tx, past);
  await history.insertSuppressions(
    tx,
    past,
    leavers.map(({ email_key, ...one }) => ({ ...one, hash: suppressionHash(email_key) })),
  );
  await history.countPeople(tx, accountId);
  logPart('A shop with orders, and segments');
  const segmentIds = await insertSegments(tx, past, await insertShop(tx, past), campaigns);
  await openCampaigns(tx, past, segmentIds);
  return true;
}

async function readyPast(tx: Tx, accountId: number, userId: number): Promise<history.Past> {
  const mergeFields: { id: number; name: string }[] = [];
  for (const field of shop.FIELDS) mergeFields.push(await createField(tx, accountId, field));
  const groups: number[] = [];
  for (const title of shop.GROUPS) groups.push(await ensureGroup(tx, accountId, title));
  const [tea = 0, cups = 0, birthday = 0] = mergeFields.map((field) => field.id);
  const [newsletter = 0, loyal = 0, visitors = 0, tasting = 0] = groups;
  return {
    accountId,
    userId,
    now: clock.now(),
    people: shop.PEOPLE,
    firstNames: shop.FIRST_NAMES,
    lastNames: shop.LAST_NAMES,
    hosts: shop.EMAIL_HOSTS,
    teas: shop.TEAS,
    fields: { tea, cups, birthday },
    mergeFields: mergeFields.map(({ id, name }) => ({ id, name })),
    groups: { newsletter, loyal, visitors, tasting },
  };
}

async function sentCampaigns(
  tx: Tx,
  past: history.Past,
  publicUrl: string,
): Promise<history.PastCampaign[]> {
  const campaigns: history.PastCampaign[] = [];
  for (let index = 0; index < shop.CAMPAIGNS; index++) {
    // Thursdays around ten; the newest campaign is three days old.
    const age = (shop.CAMPAIGNS - 1 - index) * shop.RHYTHM_DAYS + 3;
    const sentAt = new Date(past.now.getTime() - age * DAY_MS - ((index * 37) % 180) * 60_000);
    const story = shop.storyOf(index, sentAt);
    const html = shop.newsletterHtml(story, index);
    const content = await saveContent(
      tx,
      past.accountId,
      null,
      { kind: 'html', html, plain_text: null },
      past.userId,
    );
    const campaignId = await insertSentCampaign(tx, past, {
      title: story.title,
      subject: story.subject,
      preheader: story.preheader,
      fromName: SENDER.name,
      fromEmail: SENDER.email,
      contentId: content.content_id,
      contentRevision: content.revision,
      sentAt,
    });
    const { messageId, links } = await insertFinishedMessage(tx, past, campaignId, sentAt, (id) => {
      const source = sourceOf(past, story, html, publicUrl, id);
      return { source, links: compileMessage(source).links };
    });
    campaigns.push({ campaignId, messageId, sentAt, appeal: 0.8 + ((index * 7) % 13) / 26, links });
  }
  return campaigns;
}

function sourceOf(
  past: history.Past,
  story: ReturnType<typeof shop.storyOf>,
  html: string,
  publicUrl: string,
  messageId: number,
): MessageSource {
  const { address, city, zip_code } = shop.ACCOUNT;
  return {
    kind: 'marketing',
    account_id: past.accountId,
    message_id: messageId,
    company: shop.ACCOUNT.title,
    street: address,
    postal_address: [address, city, zip_code, 'Ireland'].join(', '),
    subject: story.subject,
    preheader: story.preheader,
    from: SENDER,
    reply_to: SENDER.email,
    html,
    text: null,
    language: 'eng',
    words: messageTexts('eng', shop.ACCOUNT.title),
    public_url: publicUrl,
    unsubscribe_mailbox: '',
    is_tracked: true,
  };
}

/** Four drafts, one at each step of the wizard, and two scheduled campaigns. */
async function openCampaigns(
  tx: Tx,
  past: history.Past,
  segmentIds: readonly number[],
): Promise<void> {
  const steps = ['step1', 'editor', 'step3', 'step4', 'step4', 'step4'] as const;
  for (const [index, step] of steps.entries()) {
    const story = shop.storyOf(index + 3, past.now);
    const content =
      step === 'step3' || step === 'step4'
        ? await saveContent(
            tx,
            past.accountId,
            null,
            { kind: 'html', html: shop.newsletterHtml(story, index), plain_text: null },
            past.userId,
          )
        : undefined;
    const campaignId = await insertOpenCampaign(tx, past.accountId, {
      title: index > 3 ? `${story.title} (next)` : `${story.title} (draft)`,
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

try {
  await demo();
  process.exit(0);
} catch (error) {
  console.error(error instanceof CannotStart ? error.message : error);
  process.exit(1);
}
