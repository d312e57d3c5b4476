// Before sending: which merge tags have nothing to show, and for how many of those who would get it.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { addPeople } from '#testing/mailing.ts';
import { type TestServer, testServer } from '#testing/server.ts';

const CAMPAIGNS = '/client-api/api/campaigns';
let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});

test('a value that some recipients lack is counted; one that all have is no finding', async () => {
  const owner = await server.owner();
  const ids = await addPeople(server.db, owner.accountId, 10);
  const field = (await owner.post('/client-api/api/fields', { title: 'Tea', type: 'text' })).body
    .data;
  const empty = (await owner.post('/client-api/api/fields', { title: 'Cup', type: 'text' })).body
    .data;
  await sql`update subscribers set lastname = 'L',
      field_values = jsonb_build_object((select id::text from fields
        where account_id = ${owner.accountId} and name = ${field.name}), 'Sencha')
    where account_id = ${owner.accountId} and id <> all(${ids.slice(0, 3)}::bigint[])`.execute(
    server.db,
  );
  // Of the three who lack both, one gets nothing anyway.
  await sql`update subscribers set email_status = 'unsubscribed'
    where account_id = ${owner.accountId} and id = ${ids[0]}`.execute(server.db);
  const { data } = (await owner.post(CAMPAIGNS, { title: 'Spring' })).body;
  await owner.put(`${CAMPAIGNS}/${data.id}/content`, {
    revision: data.revision,
    editor: 'html',
    html: `<p>{{firstname}} {{lastname}} {{${field.name}}} {{${empty.name}}} {{phone | default: "none"}}</p>`,
  });
  const tags = async () =>
    (await owner.get(`${CAMPAIGNS}/${data.id}/checks`)).body.data
      .filter((one: { code: string }) => one.code.startsWith('tag_'))
      .map((one: { code: string; values: { name: string; count?: number } }) => [
        one.code,
        one.values.name,
        one.values.count,
      ]);
  // Nobody is chosen yet: then nobody can be counted.
  expect(await tags()).toEqual(
    ['firstname', 'lastname', field.name, empty.name].map((name) => [
      'tag_without_fallback',
      name,
      undefined,
    ]),
  );
  await owner.post(`${CAMPAIGNS}/${data.id}/tags/set`, { tags_arr: [], send_to_all: true });
  expect(await tags()).toEqual([
    ['tag_empty_for', 'lastname', 2],
    ['tag_empty_for', field.name, 2],
    ['tag_empty_for', empty.name, 9],
  ]);
});
