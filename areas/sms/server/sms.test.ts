// The list of SMS campaigns over HTTP: empty, filled, filtered, sorted, another account's.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { type TestServer, testServer } from '#testing/server.ts';

let server: TestServer;
const LIST = '/client-api/api/sms/campaign';

beforeAll(async () => {
  server = await testServer();
});

test('is a real, paginated list', async () => {
  const owner = await server.owner();
  const empty = await owner.get(`${LIST}?limit=5&status=SENT&order=created&direction=desc&page=1`);
  expect(empty).toMatchObject({ status: 200, body: { data: [], meta: { total: 0, perPage: 5 } } });
  for (const [n, status] of ['DRAFT', 'SENT', 'DRAFT'].entries()) {
    await sql`
      insert into sms_campaigns (account_id, title, status, created_at, modified_at)
      values (${owner.accountId}, ${`Spring ${n}`}, ${status}, ${new Date(2026, 0, n + 1)},
        ${new Date(2026, 0, 9 - n)})`.execute(server.db);
  }
  const drafts = await owner.get(`${LIST}?status=DRAFT&order=modified&direction=desc&limit=1`);
  expect(drafts.body.meta).toMatchObject({ total: 2, pageCount: 2, perPage: 1 });
  expect(drafts.body.data[0]).toMatchObject({
    title: 'Spring 0',
    status: 'DRAFT',
    add_organization_name: true,
    append_opt_out: true,
    send_to_all: false,
    google_analytics: false,
    last_action: 'step1',
  });
  expect((await owner.get(`${LIST}?search=ring%202`)).body.data).toHaveLength(1);
  expect((await owner.get(`${LIST}?status=LOST`)).status).toBe(422);
  const other = await server.owner();
  expect((await other.get(LIST)).body.data).toEqual([]);
  expect((await server.client().get(LIST)).status).toBe(401);
});
