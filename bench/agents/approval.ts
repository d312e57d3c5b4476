// Opens a request for approval of a campaign to very many subscribers, as its approver does. The
// response counts recipients and exclusions and is compared with a count of the group in
// hand-written SQL.
import type pg from 'pg';
import { decodeId } from '#platform/ids.ts';
import type { Db } from '#platform/server/database/database.ts';
import { proveDomain } from '#testing/worlds/sending-helpers.ts';
import type { Measurement } from './figure.ts';
import { median, measureDuration } from '../kit/figures.ts';
import { newOwner } from '../kit/owner.ts';
import { createApiCall, createToken } from './clients.ts';

const MAX_MS = 1_500;
const API = '/client-api/api';
const HTML =
  '<p>Dear {{ firstname | default: "friend" }}, fresh tea.</p><a href="{{unsubscribe_link}}">Leave</a>';

export async function measureApprovalPage(
  { db, database, base }: { db: Db; database: pg.Client; base: string },
  { rounds, people }: { rounds: number; people: number },
): Promise<Measurement> {
  const owner = await newOwner(base);
  const call = createApiCall(base, owner.headers);
  await call('PATCH', `${API}/account_questionnaire`, {
    ...{ address: 'Storgata 1', city: 'Oslo', state: 'Oslo', timezone: 'Europe/Oslo' },
    ...{ country: 'NO', zip_code: '0155' },
  });
  await proveDomain(db, owner.account);
  const group = (await call('POST', `${API}/tags`, { title: 'Everyone' })).data.id;
  await fill(database, owner.account, decodeId('group', group) as number, people);
  const { id, revision } = (
    await call('POST', `${API}/campaigns`, {
      ...{ title: 'Spring', subject: 'Hello', preheader: 'Fresh leaves' },
      ...{ from_name: 'Nordic Tea', from_email: 'news@tea.example', reply_to: 'news@tea.example' },
    })
  ).data;
  const campaignUrl = `${API}/campaigns/${id}`;
  await call('PUT', `${campaignUrl}/content`, { revision, editor: 'html', html: HTML });
  await call('POST', `${campaignUrl}/tags/set`, { tags_arr: [group] });
  const token = await createToken(base, owner, ['read', 'people', 'drafts']);
  const program = createApiCall(base, { authorization: `Bearer ${token}` }, 403);
  const approval = await program('POST', `${campaignUrl}/schedule`, { schedule_time: null });
  if (!approval.approval) throw new Error(JSON.stringify(approval));
  const page: number[] = [];
  const counts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    counts.push(
      await measureDuration(() =>
        database.query(
          `select count(*) from subscribers s where account_id = $1 and email_status = 'active'
            and deleted_at is null and exists (select 1 from group_members m
              where m.account_id = $1 and m.group_id = $2 and m.subscriber_id = s.id)`,
          [owner.account, decodeId('group', group)],
        ),
      ),
    );
    page.push(
      await measureDuration(async () => {
        const { data } = await call('GET', `${API}/approvals/${approval.approval}`);
        const count: unknown = data.audience?.count;
        if (count !== people) throw new Error(`${String(count)} recipients`);
      }),
    );
  }
  const [value, bare] = [median(page), median(counts)];
  return {
    name: `request for approval, ${people.toLocaleString('en')} recipients`,
    ...{ value, unit: 'ms', max: MAX_MS },
    baseline: { value: bare, ratio: value / bare },
  };
}

async function fill(database: pg.Client, account: number, group: number, subscriberCount: number) {
  await database.query(
    `insert into subscribers (account_id, email, email_key, firstname, email_status, created_at,
        modified_at)
      select $1, e, e, 'Name', 'active', at, at
      from (select 'person' || n || '@home' || n % 997 || '.example' as e,
        timestamptz '2025-01-01' + n * interval '1 second' as at
        from generate_series(1, $2::int) n) x`,
    [account, subscriberCount],
  );
  await database.query(
    `insert into group_members (account_id, group_id, subscriber_id, created_at)
      select account_id, $2, id, created_at from subscribers where account_id = $1`,
    [account, group],
  );
  await database.query('update accounts set subscriber_count = $2 where id = $1', [
    account,
    subscriberCount,
  ]);
  await database.query('vacuum analyze subscribers');
  await database.query('vacuum analyze group_members');
}
