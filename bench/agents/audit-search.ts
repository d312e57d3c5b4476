// Searches a large audit log over HTTP, compared with hand-written SQL for the same rows.
import type pg from 'pg';
import type { Measurement } from './figure.ts';
import { median, measureDuration } from '../kit/figures.ts';
import { newOwner } from '../kit/owner.ts';
import { createApiCall } from './clients.ts';

const MAX_MS = 50;
const AUDIT = '/client-api/api/audit';
const FIRST_DAY = '2020-01-01';
/**
 * Of this many actions, one is by a user about a campaign, one is by an assistant, and all others
 * are by programs.
 */
const RARE = 50_000;

type SearchCase = { name: string; query: string; where: string };

/** Rare and frequent values, and values that no action has. */
const SEARCH_CASES: SearchCase[] = [
  { name: 'newest', query: '', where: '' },
  { name: 'by users', query: '?actor=session', where: "and actor = 'session'" },
  { name: 'by programs', query: '?actor=token', where: "and actor = 'token'" },
  { name: 'by assistants', query: '?actor=agent', where: "and actor = 'agent'" },
  { name: 'by the product', query: '?actor=system', where: "and actor = 'system'" },
  { name: 'a rare area', query: '?action=campaigns', where: "and action like 'campaigns.%'" },
  { name: 'a frequent area', query: '?action=audience', where: "and action like 'audience.%'" },
  {
    name: 'a call',
    query: '?action=campaigns.schedule',
    where: "and action = 'campaigns.schedule'",
  },
  { name: 'an object', query: '?subject=c7', where: "and subject = 'c7'" },
  {
    name: 'a day',
    query: '?from=2021-03-01&to=2021-03-01',
    where: "and at >= '2021-03-01' and at < '2021-03-02'",
  },
  {
    name: 'a rare area by programs',
    query: '?action=campaigns&actor=token',
    where: "and action like 'campaigns.%' and actor = 'token'",
  },
];

export async function measureAuditSearches(
  { database, base }: { database: pg.Client; base: string },
  { rounds, acts }: { rounds: number; acts: number },
): Promise<Measurement[]> {
  const owner = await newOwner(base);
  const call = createApiCall(base, owner.headers);
  await fill(database, owner.account, acts);
  const measurements: Measurement[] = [];
  for (const { name, query, where } of SEARCH_CASES) {
    const timesMs: number[] = [];
    const raw: number[] = [];
    const statement = `select * from audit where account_id = ${owner.account} ${where}
      order by at desc, id desc limit 51`;
    for (let round = 0; round < rounds; round++) {
      raw.push(await measureDuration(() => database.query(statement)));
      timesMs.push(await measureDuration(() => call('GET', AUDIT + query)));
    }
    const [value, bare] = [median(timesMs), median(raw)];
    measurements.push({
      name: `audit log of ${acts.toLocaleString('en')}: ${name}`,
      ...{ value, unit: 'ms', max: MAX_MS },
      baseline: { value: bare, ratio: value / bare },
    });
  }
  return measurements;
}

async function fill(database: pg.Client, account: number, actionCount: number): Promise<void> {
  await database.query(
    `insert into audit (account_id, at, action, subject, user_id, actor, actor_id, ip, fields)
      select $1, timestamptz '${FIRST_DAY}' + n * interval '15 seconds',
        case when n % ${RARE} = 0 then 'campaigns.schedule'
          else (array['audience.createSubscriber', 'audience.updateSubscriber', 'groups.add'])[1 + n % 3]
        end,
        case when n % ${RARE} = 0 then 'c' || n / ${RARE} else 's' || n % 1000003 end,
        case when n % ${RARE} = 0 then n % 7 end,
        case n % ${RARE} when 0 then 'session' when 1 then 'agent' else 'token' end,
        1, '192.0.2.1', array['email', 'firstname']
      from generate_series(1, $2::int) n`,
    [account, actionCount],
  );
  await database.query('vacuum analyze audit');
}
