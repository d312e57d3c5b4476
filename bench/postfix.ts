// `npm run bench -- postfix` uses a real Postfix (Debian's package) as the relay, only on this
// machine. A campaign is sent to 10,000 subscribers; some are refused immediately and some bounce
// later. The bounce reports arrive at our return path and must be parsed.
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { processReturnedEmail, acceptsEmailFor } from '#areas/delivery/server/feedback/index.ts';
import type { Db } from '#platform/server/database/database.ts';
import { startReturnPath } from '#providers/return-path/index.ts';
import {
  type StartedCampaign,
  readDeliveryOf,
  withScene,
  waitUntil,
  waitUntilFinished,
} from '../faults/kit.ts';
import { isPostfixAvailable, startPostfix } from './postfix/server.ts';

const { values } = parseArgs({
  options: { recipients: { type: 'string', default: '10000' }, json: { type: 'boolean' } },
  allowPositionals: true,
});
const recipients = Number(values.recipients);

const BOUNCE_DOMAIN = 'bounces.tea.example';
/**
 * One of fifty recipients is refused immediately and one bounces. These four percent are below the
 * threshold that stops a campaign.
 */
const DOMAINS = Array.from({ length: 50 }, (_, n) =>
  n === 7 ? 'refused.example' : n === 31 ? 'gone.example' : 'home.example',
);
const SECONDS = 300;

if (!isPostfixAvailable()) {
  console.error("This benchmark needs Postfix (Debian's package postfix) and must be run as root.");
  process.exit(2);
}

const outcome = await withScene(async (scene) => {
  const { db } = scene;
  const returnedEmails = { mails: 0, trouble: [] as string[] };
  const returnPath = await startReturnPath({
    host: '127.0.0.1',
    port: 0,
    handlers: [
      {
        accepts: (address) => acceptsEmailFor(address, BOUNCE_DOMAIN),
        handle: (email) => {
          returnedEmails.mails++;
          return processReturnedEmail(db, email);
        },
        maxBytes: 512 * 1024,
      },
    ],
    onError: (error) => returnedEmails.trouble.push(String(error)),
  });
  const transports = {
    'gone.example': 'error:5.1.1 User unknown in virtual mailbox table',
    [BOUNCE_DOMAIN]: `smtp:[127.0.0.1]:${returnPath.port}`,
    '*': 'discard:',
  };
  const rejectedDomains = { 'refused.example': 'REJECT 5.1.1 No such user here' };
  const postfix = await startPostfix(scene.folder, transports, rejectedDomains);
  try {
    const campaign = await scene.campaign(recipients, DOMAINS);
    const startedAt = performance.now();
    const SMTP_URL = `smtp://127.0.0.1:${postfix.port}?tls=none&connections=10`;
    await scene.startSender({ env: { SMTP_URL, BOUNCE_DOMAIN } });
    const problems: string[] = [];
    if (!(await waitUntilFinished(db, campaign, SECONDS))) problems.push('It did not finish');
    const perSecond = Math.round((recipients * 1_000) / (performance.now() - startedAt));
    const perDomain = recipients / DOMAINS.length;
    const isBack = async () => (await bouncesOf(db, campaign)).returned >= perDomain;
    if (!(await waitUntil(isBack, SECONDS))) problems.push('Some reports did not arrive');
    const { counts } = await readDeliveryOf(db, campaign);
    const bounces = await bouncesOf(db, campaign);
    const expected = { accepted: recipients - perDomain, failed: perDomain, unknown: 0 };
    for (const [state, count] of Object.entries(expected)) {
      const actual = counts[state as keyof typeof counts];
      if (actual !== count) problems.push(`${actual} are ${state}, not ${count}`);
    }
    if (bounces.returned !== perDomain)
      problems.push(`${bounces.returned} bounces arrived, expected ${perDomain}`);
    if (bounces.people !== 2 * perDomain)
      problems.push(`${bounces.people} people bounced, not ${2 * perDomain}`);
    problems.push(...returnedEmails.trouble.slice(0, 5));
    const summary = `${counts.accepted} accepted at ${perSecond} a second, ${counts.failed} refused, ${bounces.returned} bounced later and were recognized`;
    return { problems, facts: summary };
  } finally {
    await postfix.stop();
    await returnPath.close();
  }
});

console.log(outcome.facts);
for (const problem of outcome.problems) console.log(`  ${problem}`);
if (values.json) console.log(JSON.stringify({ bench: 'postfix', ...outcome }));
process.exit(outcome.problems.length === 0 ? 0 : 1);

async function bouncesOf(db: Db, { accountId, messageId }: StartedCampaign) {
  const { rows } = await sql<{ returned: number; people: number }>`
    select coalesce((select returned from engagement_counts where account_id = ${accountId}
        and message_id = ${messageId}), 0) as returned,
      (select count(*) from subscribers where account_id = ${accountId}
        and email_status = 'bounced') as people`.execute(db);
  return rows[0] ?? { returned: 0, people: 0 };
}
