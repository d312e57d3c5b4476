// 29: kill -9 of the worker while a scheduled campaign starts, repeatedly: there is one message,
// with every recipient in its ledger once.
import { sql } from 'kysely';
import { createCampaign } from '#areas/campaigns/server/campaigns.ts';
import { decodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { killWorkerDuring, type WorkProgress, type WorkerTask } from './kit/worker-killed.ts';
import { type FaultTest, type Scene, withScene } from './kit.ts';

const KILLS = Number(process.env.START_KILLS ?? 3);
const SUBSCRIBERS = Number(process.env.START_PEOPLE ?? 300_000);

type Starting = { accountId: number; campaignId: number };

export const fault: FaultTest = {
  number: 29,
  title: `kill -9 of the worker in a scheduled start, ${KILLS} times`,
  run: (print) =>
    withScene(async (scene) => {
      const starting = await newCampaign(scene);
      const work: WorkerTask = {
        state: () => stateOf(scene, starting),
        problems: () => problemsOf(scene, starting),
        facts: `${SUBSCRIBERS} recipients, each once`,
      };
      return killWorkerDuring(scene, work, KILLS, print);
    }),
};

/** The campaign becomes due while the first worker starts. */
async function newCampaign({ db }: Scene): Promise<Starting> {
  const createdAt = new Date(Date.now() - 60_000);
  const { rows } = await sql<{ id: number }>`
    insert into accounts (title, subscriber_count, created_at, modified_at)
    values ('Nordic Tea', ${SUBSCRIBERS}, ${createdAt}, ${createdAt}) returning id`.execute(db);
  const accountId = rows[0]?.id as number;
  await sql`
    insert into subscribers (account_id, email, email_key, mailbox, created_at, modified_at)
    select ${accountId}, e, e, n % 3, ${createdAt}, ${createdAt}
    from (select n, 'person' || n || '@example.com' as e from generate_series(1, ${SUBSCRIBERS}::int) n) x
  `.execute(db);
  const settings = {
    title: 'Spring tea',
    subject: 'Hello',
    from_name: 'Nordic Tea',
    from_email: 'news@tea.example',
  };
  const { id } = await inTransaction(db, (tx) =>
    createCampaign(tx, { accountId, userId: 1 }, settings),
  );
  const campaignId = decodeId('campaign', id) as number;
  await sql`update campaigns set status = 'SCHEDULED', send_to_all = true,
      scheduled_at = ${new Date(Date.now() + 1_000)}
    where account_id = ${accountId} and id = ${campaignId}`.execute(db);
  return { accountId, campaignId };
}

async function stateOf({ db }: Scene, { accountId, campaignId }: Starting): Promise<WorkProgress> {
  const { rows } = await sql<{ written: number; is_whole: boolean }>`
    select coalesce(sum(c.audience), 0) as written, coalesce(bool_and(m.is_audience_complete), false) as is_whole
    from messages m
    join delivery_counts c on c.account_id = m.account_id and c.message_id = m.id
    where m.account_id = ${accountId} and m.kind = 'campaign'
      and m.source_id = ${campaignId}`.execute(db);
  const writtenCount = Number(rows[0]?.written ?? 0);
  const progress = `${writtenCount} recipients written`;
  return { reached: writtenCount, summary: progress, isFinished: rows[0]?.is_whole === true };
}

async function problemsOf({ db }: Scene, starting: Starting): Promise<string[]> {
  const { accountId, campaignId } = starting;
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from messages where account_id = ${accountId}
        and source_id = ${campaignId}) as messages,
      (select count(*) from messages m join campaigns c on c.account_id = m.account_id
        and c.message_id = m.id where m.account_id = ${accountId}) as known,
      (select count(*) from recipients where account_id = ${accountId}) as recipients,
      (select count(distinct subscriber_id) from recipients
        where account_id = ${accountId}) as people,
      (select sum(written) from lanes where account_id = ${accountId}) as lanes,
      (select sum(audience) from delivery_counts where account_id = ${accountId}) as counted
  `.execute(db);
  const expectedCounts: Record<string, number> = {
    messages: 1,
    known: 1,
    recipients: SUBSCRIBERS,
    people: SUBSCRIBERS,
    lanes: SUBSCRIBERS,
    counted: SUBSCRIBERS,
  };
  return Object.entries(expectedCounts).flatMap(([name, count]) =>
    Number(rows[0]?.[name]) === count ? [] : [`${name}: ${rows[0]?.[name]} instead of ${count}`],
  );
}
