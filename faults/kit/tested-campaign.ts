// A campaign with an experiment and waves, and its invariants after its end.
import { sql } from 'kysely';
import { computeBucket, computeRanges } from '#areas/experiments/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import type { Db } from '#platform/server/database/database.ts';
import { proveDomain } from '#testing/worlds/sending-helpers.ts';
import { readDeliveryOf, findDeliveryProblems, type Scene, stop } from '../kit.ts';
import { type CallAsOwner, createApiCall, draftCampaign, newOwner, signIn } from './owner.ts';
import { startRole } from './roles.ts';
import { Upstreams } from './upstreams.ts';
import { PUBLIC_URL } from './visitors.ts';

const SUBJECTS = ['First', 'Second'] as const;
const SHARES = { variants: SUBJECTS.length, testShare: 50, holdoutShare: 10 };
/** Messages of the campaign: one for each variant, and one for the remaining recipients. */
const MESSAGES = 3;
const WAVE_INTERVAL = '15 minutes';

export type TestedCampaign = { accountId: number; id: number; publicId: string };

const PORT = 21_000 + (process.pid % 10_000);

/**
 * Starts a web role and creates an owner with the given number of subscribers. `play` makes the
 * owner's API calls.
 */
export async function withOwner<T>(
  scene: Scene,
  subscriberCount: number,
  play: (callApi: CallAsOwner) => Promise<T>,
): Promise<T> {
  const web = await startRole(scene, 'web', {
    // BILLING off: no plan limits the number of emails.
    ...{ NODE_ENV: 'development', BILLING: 'off', SIGN_UP: 'open', TRUST_PROXY: '1' },
    ...{ PORT: `${PORT}`, PUBLIC_URL, SMTP_URL: `${scene.relay.url}?tls=none` },
  });
  const upstreams = new Upstreams();
  upstreams.ports.push(PORT);
  try {
    const prove = (accountId: number) => proveDomain(scene.db, accountId);
    const { cookie } = await newOwner(upstreams, prove, scene.db, subscriberCount);
    const firstCall = createApiCall(upstreams, cookie);
    const callApi: CallAsOwner = (method, path, body) =>
      firstCall(method, path, body).catch(async (error: Error) => {
        if (!error.message.includes(': 401 ')) throw error;
        return createApiCall(upstreams, await signIn(upstreams))(method, path, body);
      });
    return await play(callApi);
  } finally {
    await stop(web);
  }
}

/** Starts a campaign that sends each of the subjects to the same share of the subscribers. */
export async function startTest(
  db: Db,
  callApi: CallAsOwner,
  { subjects, ...plan }: { subjects: readonly string[]; test_share: number; holdout_share: number },
  spreadHours: number | null,
): Promise<TestedCampaign> {
  const [control = '', ...others] = subjects;
  const publicId = await draftCampaign(callApi, control);
  const { rows } = await sql<{ id: number }>`select id from accounts order by id limit 1`.execute(
    db,
  );
  const accountId = rows[0]?.id as number;
  const path = `/campaigns/${publicId}`;
  await callApi('PUT', `${path}/timing`, {
    timing: { when: 'time', past: 'now', window: null, spread_hours: spreadHours },
  });
  await callApi('PUT', `${path}/experiment`, {
    ...{ metric: 'opens', duration_hours: 4, decision: 'automatic', fallback: 'control' },
    ...plan,
    variants: [{}, ...others.map((subject) => ({ subject }))],
  });
  await callApi('POST', `${path}/schedule`, { schedule_time: null });
  return { accountId, id: decodeId('campaign', publicId) as number, publicId };
}

/** Tests two subjects on half of the subscribers, in four waves over an hour. */
export async function startTested(db: Db, callApi: CallAsOwner): Promise<TestedCampaign> {
  await sql`
    insert into webhook_endpoints (account_id, url, topic, created_at)
    select a.id, 'https://shop.example/hook', topic, now()
    from unnest(array['experiments/decided', 'campaigns/sent']) topic
    cross join (select id from accounts order by id limit 1) a`.execute(db);
  const { testShare, holdoutShare } = SHARES;
  const plan = { subjects: SUBJECTS, test_share: testShare, holdout_share: holdoutShare };
  return startTest(db, callApi, plan, 1);
}

type ExperimentResponse = {
  state: string;
  outcome: string | null;
  winner: number | null;
  chosen: number | null;
  tested_at: Date | null;
  rest_message_id: number | null;
  salt: string;
};

export async function readExperiment(
  db: Db,
  { accountId, id }: TestedCampaign,
): Promise<ExperimentResponse> {
  const { rows } = await sql<ExperimentResponse>`
    select state, outcome, winner, chosen, tested_at, rest_message_id, salt
    from campaign_experiments where account_id = ${accountId} and campaign_id = ${id}`.execute(db);
  return rows[0] as ExperimentResponse;
}

/**
 * Makes the poller check the experiment at its next turn. Once all open waves are sent, the next
 * waves open a quarter of an hour earlier, as if that time had passed.
 */
export async function advanceTime(db: Db, { accountId, id }: TestedCampaign): Promise<void> {
  await sql`
    update campaign_experiments set next_look_at = now()
    where account_id = ${accountId} and campaign_id = ${id} and state = 'testing'`.execute(db);
  const { rows } = await sql<{ is_idle: boolean }>`
    select not exists (select 1 from messages where account_id = ${accountId} and kind = 'campaign'
        and not is_audience_complete)
      and not exists (select 1 from lanes where account_id = ${accountId} and leased < written
        and coalesce(opens_at, now()) <= now()) as is_idle`.execute(db);
  if (!rows[0]?.is_idle) return;
  await sql`
    with moved as (
      update lanes set opens_at = opens_at - ${WAVE_INTERVAL}::interval
      where account_id = ${accountId} and leased < written and opens_at > now()
    )
    update messages set opens_at = opens_at - ${WAVE_INTERVAL}::interval
    where account_id = ${accountId} and opens_at > now()`.execute(db);
}

/**
 * Records opens of one in fifty recipients of the first variant, and of one in five of the second.
 */
export async function openVariants(db: Db, { accountId, id }: TestedCampaign): Promise<void> {
  await sql`
    insert into outcomes (account_id, subscriber_id, message_id, first_open_at,
      first_human_open_at, opens, human_opens)
    select r.account_id, r.subscriber_id, r.message_id, a.at, a.at, 1, 1
    from campaign_variants v
    join recipients r on r.account_id = ${accountId} and r.message_id = v.message_id
    join results a on a.account_id = ${accountId} and a.message_id = r.message_id
      and a.lane = r.lane and a.ordinal = r.ordinal and a.state = 'accepted'
    where v.account_id = ${accountId} and v.campaign_id = ${id}
      and r.ordinal % 50 < case v.number when 1 then 1 else 10 end
    on conflict do nothing`.execute(db);
}

export async function isOver(db: Db, campaign: TestedCampaign): Promise<boolean> {
  const { state, rest_message_id: rest } = await readExperiment(db, campaign);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from messages
    where account_id = ${campaign.accountId} and kind = 'campaign' and state <> 'finished'`.execute(
    db,
  );
  return state === 'decided' && rest !== null && rows[0]?.count === 0;
}

/** Returns the violated invariants and the sums. */
export async function checkTested(
  scene: Scene,
  campaign: TestedCampaign,
  callApi: CallAsOwner,
): Promise<{ problems: string[]; facts: string }> {
  const { db } = scene;
  const { accountId } = campaign;
  const { rows } = await sql<{ id: number }>`
    select id from messages where account_id = ${accountId} and kind = 'campaign'
    order by id`.execute(db);
  const messageIds = rows.map(({ id }) => id);
  const problems: string[] = [];
  const totals = { audience: 0, accepted: 0, unknown: 0 };
  for (const messageId of messageIds) {
    problems.push(...(await findDeliveryProblems(db, { accountId, messageId }, scene.log())));
    const { audience, counts } = await readDeliveryOf(db, { accountId, messageId });
    totals.audience += audience;
    totals.accepted += counts.accepted;
    totals.unknown += counts.unknown;
  }
  problems.push(
    ...(await assignmentProblems(db, campaign, messageIds)),
    ...(await decisionProblems(db, campaign, messageIds)),
    ...(await leftoverProblems(db, accountId)),
    ...(await figureProblems(callApi, campaign, totals)),
    ...subjectProblems(scene),
  );
  const summary = `${totals.audience} recipients in ${messageIds.length} messages, ${totals.accepted} accepted, ${totals.unknown} unknown`;
  return { problems, facts: summary };
}

/**
 * Checks that each subscriber is where the salt assigns them: in a variant, in the rest, or held
 * out.
 */
async function assignmentProblems(
  db: Db,
  campaign: TestedCampaign,
  messageIds: readonly number[],
): Promise<string[]> {
  const { accountId } = campaign;
  const { salt } = await readExperiment(db, campaign);
  const { variants, rest } = computeRanges(SHARES);
  const { rows } = await sql<{ id: number; messages: number[] }>`
    select s.id, coalesce(array_agg(r.message_id) filter (where r.message_id is not null), '{}')::bigint[]
      as messages
    from subscribers s
    left join recipients r on r.account_id = ${accountId} and r.subscriber_id = s.id
      and r.message_id = any(${[...messageIds]}::bigint[])
    where s.account_id = ${accountId}
    group by s.id`.execute(db);
  const misplacedRows = rows.filter(({ id, messages }) => {
    const position = computeBucket(salt, id);
    const rangeIndex = [...variants, rest].findIndex(
      ({ from, to }) => position >= from && position < to,
    );
    const expectedMessages = rangeIndex < 0 ? [] : [messageIds[rangeIndex]];
    return messages.join() !== expectedMessages.join();
  });
  return misplacedRows.length > 0
    ? [`${misplacedRows.length} subscribers are in a message that the salt does not assign`]
    : [];
}

async function decisionProblems(
  db: Db,
  campaign: TestedCampaign,
  messageIds: readonly number[],
): Promise<string[]> {
  const {
    state,
    outcome,
    winner,
    chosen,
    rest_message_id: rest,
  } = await readExperiment(db, campaign);
  const decision = [state, outcome, winner, chosen, rest].join(' ');
  const expectedDecision = ['decided', 'early', 2, 2, messageIds.at(-1)].join(' ');
  const problems =
    decision === expectedDecision ? [] : [`The decision is ${decision}, not ${expectedDecision}`];
  if (messageIds.length !== MESSAGES) problems.push(`${messageIds.length} messages`);
  const { rows } = await sql<{ topic: string; count: number }>`
    select e.topic, count(d.id)::int as count
    from webhook_endpoints e
    left join webhook_deliveries d on d.account_id = ${campaign.accountId} and d.endpoint_id = e.id
    where e.account_id = ${campaign.accountId} group by e.topic`.execute(db);
  for (const { topic, count } of rows)
    if (count !== 1) problems.push(`${topic} was reported ${count} times`);
  return problems;
}

/** Reports recipients that no process would ever send to. */
async function leftoverProblems(db: Db, accountId: number): Promise<string[]> {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*)::int from lanes where account_id = ${accountId}
        and leased < written) as lanes,
      (select count(*)::int from leases where account_id = ${accountId} and not is_done) as leases,
      (select count(*)::int from deferrals where account_id = ${accountId}) as deferrals`.execute(
    db,
  );
  return Object.entries(rows[0] ?? {}).flatMap(([name, count]) =>
    count === 0 ? [] : [`${count} ${name} remain`],
  );
}

type ReportedCounts = { audience: number; accepted: number; unknown: number; remaining: number };

/** Checks that the campaign's screen shows the sums of the ledgers. */
async function figureProblems(
  callApi: CallAsOwner,
  { publicId }: TestedCampaign,
  totals: { audience: number; accepted: number; unknown: number },
): Promise<string[]> {
  const { delivery } = (await callApi('GET', `/campaigns/${publicId}`)) as {
    delivery: ReportedCounts;
  };
  const { audience, accepted, unknown, remaining } = delivery;
  const reported = JSON.stringify({ audience, accepted, unknown, remaining });
  const expectedReport = JSON.stringify({ ...totals, remaining: 0 });
  return reported === expectedReport
    ? []
    : [`The campaign shows ${reported} instead of ${expectedReport}`];
}

/** Checks that no address receives two emails and the rest receive the winner's subject. */
function subjectProblems({ relay }: Scene): string[] {
  const emails = relay.accepted.filter(({ to }) => to[0]?.startsWith('person'));
  const duplicateCount = emails.length - new Set(emails.map(({ to }) => to[0])).size;
  const problems =
    duplicateCount > 0
      ? [`${duplicateCount} emails arrived at an address that already had one`]
      : [];
  const counts = SUBJECTS.map(
    (subject) => emails.filter(({ source }) => source.includes(`Subject: ${subject}\r\n`)).length,
  );
  const [first = 0, second = 0] = counts;
  if (first + second !== emails.length) problems.push(`Emails by subject: ${counts.join(', ')}`);
  // A quarter gets the first subject; a quarter and the rest get the second.
  if (second < 2 * first)
    problems.push(`The rest did not receive the winner: ${counts.join(', ')}`);
  return problems;
}
