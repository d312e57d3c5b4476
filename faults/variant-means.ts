// 36: four variants over two senders and a provider that accepts few emails a second: the mean
// times of their first attempts must be close because a variant that is sent later gets fewer opens
// for that reason alone.
import { sql } from 'kysely';
import { type FaultTest, type FaultResult, type Scene, stop, waitUntil, withScene } from './kit.ts';
import type { CallAsOwner } from './kit/owner.ts';
import { startRole } from './kit/roles.ts';
import { startTest, type TestedCampaign, withOwner } from './kit/tested-campaign.ts';

const SUBSCRIBERS = Number(process.env.VARIANT_PEOPLE ?? 2_000);
const SUBJECTS = ['First', 'Second', 'Third', 'Fourth'];
/** Emails per second of each sender. */
const PER_SECOND = 10;
const MAX_SPREAD_SECONDS = 15;

export const fault: FaultTest = {
  number: 36,
  title: 'four variants over two senders and a capped provider',
  run: () => withScene((scene) => withOwner(scene, SUBSCRIBERS, (callApi) => play(scene, callApi))),
};

async function play(scene: Scene, callApi: CallAsOwner): Promise<FaultResult> {
  const { db } = scene;
  const plan = { subjects: SUBJECTS, test_share: 100, holdout_share: 0 };
  const campaign = await startTest(db, callApi, plan, null);
  const worker = await startRole(scene, 'worker');
  const relay = `connections=4&rate=${PER_SECOND}`;
  const senders = [await scene.startSender({ relay }), await scene.startSender({ relay })];
  const problems: string[] = [];
  const seconds = SUBSCRIBERS / PER_SECOND / senders.length;
  const isSent = async () => (await attemptsOf(scene, campaign)).people === SUBSCRIBERS;
  if (!(await waitUntil(isSent, seconds * 3 + 60))) problems.push('The campaign was not sent');
  await Promise.all([worker, ...senders].map(stop));
  const { means, last } = await attemptsOf(scene, campaign);
  const spread = Math.max(...means) - Math.min(...means);
  if (means.length !== SUBJECTS.length) problems.push(`${means.length} variants were sent`);
  if (spread > MAX_SPREAD_SECONDS) problems.push(`The means are ${spread.toFixed(1)} s apart`);
  const summary = `${SUBSCRIBERS} emails in ${last.toFixed(0)} s, means at ${means.map((mean) => mean.toFixed(1)).join(', ')} s`;
  return { problems, facts: summary };
}

/**
 * Considers the first attempt for each recipient. Returns the number of these attempts, and the
 * seconds from the very first of them to the mean of each variant and to the last of all.
 */
async function attemptsOf(
  { db }: Scene,
  { accountId }: TestedCampaign,
): Promise<{ people: number; means: number[]; last: number }> {
  const { rows } = await sql<{ people: number; mean: number; first: number; last: number }>`
    select count(*)::int as people, avg(extract(epoch from at))::float8 as mean,
      min(extract(epoch from at))::float8 as first, max(extract(epoch from at))::float8 as last
    from results r
    join messages m on m.account_id = r.account_id and m.id = r.message_id
    where r.account_id = ${accountId} and r.attempt = 1 and m.kind = 'campaign'
    group by r.message_id order by r.message_id`.execute(db);
  const start = Math.min(...rows.map(({ first }) => first));
  return {
    people: rows.reduce((sum, { people }) => sum + people, 0),
    means: rows.map(({ mean }) => mean - start),
    last: Math.max(...rows.map(({ last }) => last)) - start,
  };
}
