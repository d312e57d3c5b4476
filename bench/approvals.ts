// Measures requests for approval: creating one, and opening its page, which counts the recipients.
// The campaigns are sent to all subscribers, to all except a group and a segment, and to one group.
// npm run bench -- approvals [--json] [--rows 1000000] [--rounds 7]
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { decodeId } from '#platform/ids.ts';
import { median, ms, percentile, measureDuration } from './kit/figures.ts';
import { withProduct } from './kit/own-product.ts';
import { newOwner } from './kit/owner.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '7' },
  },
  allowPositionals: true,
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);
const MAX_PAGE_MS = 1500;

const API = '/client-api/api';
const CAMPAIGNS = `${API}/campaigns`;
const HTML =
  '<p>Fresh tea has come in from the mountains this week.</p>' +
  '<a href="https://tea.example/new">New</a><a href="{{unsubscribe_link}}">Unsubscribe</a>';

type ApiResponse = {
  approval?: string;
  data: { id: string; revision: number; audience?: { count: number } };
};
type ApiCall = (method: string, path: string, body?: object) => Promise<ApiResponse>;

/** Throws unless the call succeeds or creates a request for approval. */
const apiOf =
  (base: string, headers: Record<string, string>): ApiCall =>
  async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as ApiResponse;
    if (!response.ok && !answer.approval) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  };

/** Inserts subscribers: one in twenty is unsubscribed, and a third are in the group. */
async function insertSubscribers(
  database: pg.Client,
  account: number,
  groupId: number,
): Promise<void> {
  await database.query(
    `insert into subscribers (account_id, email, email_key, firstname, email_status, created_at,
        modified_at)
      select $1, e, e, 'First' || n % 1009,
        (case when n % 20 = 0 then 'unsubscribed' else 'active' end)::subscription_status,
        timestamptz '2024-01-01' + n * interval '1 minute', now()
      from (select n, 'person' || n || '@example' || n % 997 || '.com' as e
        from generate_series(1, $2::int) n) x`,
    [account, rows],
  );
  await database.query(
    `insert into group_members (account_id, group_id, subscriber_id, created_at)
      select account_id, $2, id, created_at from subscribers where account_id = $1 and id % 3 = 0`,
    [account, groupId],
  );
  await database.query('update accounts set subscriber_count = $2 where id = $1', [account, rows]);
  await database.query('vacuum analyze subscribers');
  await database.query('vacuum analyze group_members');
}

async function newCampaign(
  call: ApiCall,
  recipients: readonly [string, object][],
): Promise<string> {
  const settings = { title: 'Spring', subject: 'Spring', from_name: 'Tea' };
  const sender = { from_email: 'news@tea.example' };
  const { data } = await call('POST', CAMPAIGNS, { ...settings, ...sender });
  const campaignUrl = `${CAMPAIGNS}/${data.id}`;
  await call('PUT', `${campaignUrl}/content`, {
    revision: data.revision,
    editor: 'html',
    html: HTML,
  });
  for (const [path, body] of recipients) await call('POST', `${campaignUrl}/${path}`, body);
  return campaignUrl;
}

await withProduct('approvals', async ({ database, base }) => {
  const { account, headers } = await newOwner(base);
  const call = apiOf(base, headers);
  const address = { address: 'Storgata 1', city: 'Oslo', state: 'Oslo', zip_code: '0155' };
  const region = { timezone: 'Europe/Oslo', country: 'NO' };
  await call('PATCH', `${API}/account_questionnaire`, { ...address, ...region });
  const group = (await call('POST', `${API}/tags`, { title: 'A third' })).data.id;
  const conditions = [{ type: 'email', operator: 'includes', operand: 'example7' }];
  const segment = (await call('POST', `${API}/filters`, { title: 'Some', conditions })).data.id;
  await insertSubscribers(database, account, decodeId('group', group) as number);
  const sendToAll = ['tags/set', { tags_arr: [], send_to_all: true }] as const;
  const cases: [string, [string, object][]][] = [
    ['all subscribers', [[...sendToAll]]],
    [
      'all but a group and a segment',
      [
        [...sendToAll],
        ['exclude_tags/set', { tags_arr: [group] }],
        ['exclude_filters/set', { filters_arr: [segment] }],
      ],
    ],
    ['a group with a third', [['tags/set', { tags_arr: [group] }]]],
  ];
  const results = [];
  for (const [name, recipients] of cases) {
    const campaignUrl = await newCampaign(call, recipients);
    let approval = '';
    const filing = await measureDuration(async () => {
      const approvalRequest = await call('POST', `${campaignUrl}/schedule?ask=1`, {
        schedule_time: null,
      });
      approval = approvalRequest.approval ?? '';
    });
    const times: number[] = [];
    let count = 0;
    for (let round = 0; round < rounds; round++) {
      times.push(
        await measureDuration(async () => {
          const { data } = await call('GET', `${API}/approvals/${approval}`);
          count = data.audience?.count ?? 0;
        }),
      );
    }
    const p95 = percentile(times, 0.95);
    results.push({ name, count, filing, median: median(times), p95 });
    console.log(
      `${name.padEnd(30)} ${count.toLocaleString('en').padStart(9)} recipients: filed in ${ms(filing)} ms, page ${ms(median(times))} ms, p95 ${ms(p95)} ms (at most ${MAX_PAGE_MS})`,
    );
  }
  if (values.json) console.log(JSON.stringify({ bench: 'approvals', rows, results }));
  if (results.some(({ p95, count }) => p95 > MAX_PAGE_MS || count === 0)) process.exitCode = 1;
});
