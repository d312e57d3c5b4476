// Comments on each kind of item over HTTP: mentions, the resolved state, rights, and items that are
// deleted.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { createEmailDocument } from '#areas/content/document-factory.ts';
import { encodeId } from '#platform/ids.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { CAMPAIGNS } from '#testing/worlds/campaign-shop.ts';
import { createColleague, createProgram } from '#testing/worlds/colleagues.ts';
import { MAX_MENTIONS } from '../shared.ts';
import { commentAdded } from './events.ts';

const API = '/client-api/api';
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

const [title, isErased] = ['First', true];
/**
 * A deletion erases items with `isErased` and their comments immediately; it only marks other
 * items.
 */
const KINDS = [
  { kind: 'campaign', base: CAMPAIGNS, body: { title } },
  { kind: 'sms', base: `${API}/sms/campaign`, body: { title } },
  { kind: 'workflow', base: `${API}/workflows`, body: { title } },
  { kind: 'form', base: `${API}/forms`, body: { title, type: 'embed' }, isErased },
  {
    kind: 'template',
    base: `${API}/saved_templates`,
    body: { title, document: createEmailDocument() },
    isErased,
  },
];

async function create(owner: TestOwner, url: string, body: object): Promise<string> {
  const response = await owner.post(url, body);
  expect(response.status, response.text).toBe(200);
  return response.body.data.id;
}

const userId = ({ userId: id }: { userId: number }) => encodeId('user', id);

async function deleteItem(owner: TestOwner, url: string): Promise<void> {
  const response = await owner.delete(url, {});
  expect(response.status, response.text).toBe(200);
}

test('a restored campaign has its comments again', async () => {
  const owner = await server.owner();
  const item = `${CAMPAIGNS}/${await create(owner, CAMPAIGNS, { title: 'First' })}`;
  const id = await create(owner, `${item}/notes`, { text: 'Check the price' });
  await deleteItem(owner, item);
  expect((await owner.post(`${item}/restore`, {})).status).toBe(200);
  expect((await owner.get(`${item}/notes`)).body.data).toMatchObject([{ id }]);
});

describe.each(KINDS)('$kind', ({ base, body, isErased }) => {
  test('a comment mentions only users of the account and notifies them except its author', async () => {
    const owner = await server.owner();
    const colleague = await createColleague(server, owner);
    const outsider = await server.owner();
    const url = `${base}/${await create(owner, base, body)}/notes`;
    const announcedMentions: number[][] = [];
    const stopListening = commentAdded.on(async (_, comment) => {
      if (comment.accountId === owner.accountId) announcedMentions.push(comment.mentions);
    });
    const mentions = [userId(colleague), userId(owner), userId(colleague)];
    const created = await owner.post(url, { text: 'Please read', block: 'b1', mentions });
    const outsiderMention = await owner.post(url, { text: 'Hi', mentions: [userId(outsider)] });
    const tooMany = Array.from({ length: MAX_MENTIONS + 1 }, () => userId(colleague));
    const excessMentions = await owner.post(url, { text: 'Hi', mentions: tooMany });
    const malformedBlock = await owner.post(url, { text: 'Hi', block: 'a b' });
    stopListening();
    expect(created.body.data).toMatchObject({ text: 'Please read', block: 'b1', resolved: null });
    expect(created.body.data.mentions).toHaveLength(2);
    expect(announcedMentions).toEqual([[colleague.userId]]);
    for (const response of [outsiderMention, excessMentions, malformedBlock])
      expect(response.status).toBe(422);
    expect((await colleague.get(url)).body.data).toEqual([created.body.data]);
  });

  test('a comment can be resolved and reopened only under its item and in its account', async () => {
    const owner = await server.owner();
    const [first, second] = [await create(owner, base, body), await create(owner, base, body)];
    const url = `${base}/${first}/notes`;
    const id = await create(owner, url, { text: 'Check the price' });
    const resolve = (client: Pick<TestOwner, 'patch'>, commentUrl: string, is_resolved: boolean) =>
      client.patch(commentUrl, { is_resolved });
    const resolution = await resolve(owner, `${url}/${id}`, true);
    expect(resolution.body.data.resolved).toEqual({
      at: expect.any(String),
      by: resolution.body.data.author,
    });
    expect((await owner.get(url)).body.data).toEqual([resolution.body.data]);
    const outsider = await server.owner();
    for (const [client, commentUrl] of [
      [owner, `${base}/${second}/notes/${id}`],
      [owner, `${url}/${encodeId('item_note', 999_999)}`],
      [outsider, `${url}/${id}`],
    ] as const) {
      expect((await resolve(client, commentUrl, false)).status).toBe(404);
      expect((await client.delete(commentUrl, {})).status).toBe(404);
    }
    expect((await owner.get(`${base}/${second}/notes`)).body.data).toEqual([]);
    const reopening = await resolve(owner, `${url}/${id}`, false);
    expect(reopening.body.data).toMatchObject({ id, resolved: null });
  });

  test('comments are read with the right to read and written with the right to draft', async () => {
    const owner = await server.owner();
    const url = `${base}/${await create(owner, base, body)}/notes`;
    const id = await create(owner, url, { text: 'Check the price' });
    const reader = await createProgram(server, owner, ['read']);
    expect((await reader.get(url)).body.data).toHaveLength(1);
    for (const response of [
      await reader.post(url, { text: 'Mine' }),
      await reader.patch(`${url}/${id}`, { is_resolved: true }),
      await reader.delete(`${url}/${id}`),
    ]) {
      expect(response).toMatchObject({ status: 403, body: { code: 'missing_right' } });
    }
    expect((await owner.get(url)).body.data).toMatchObject([{ id, resolved: null }]);
  });

  test('a deleted item shows no comments and accepts none', async () => {
    const owner = await server.owner();
    const item = `${base}/${await create(owner, base, body)}`;
    const url = `${item}/notes`;
    const id = await create(owner, url, { text: 'Check the price' });
    await deleteItem(owner, item);
    for (const response of [
      await owner.get(url),
      await owner.post(url, { text: 'Late' }),
      await owner.patch(`${url}/${id}`, { is_resolved: true }),
      await owner.delete(`${url}/${id}`, {}),
    ]) {
      expect(response.status).toBe(404);
    }
    const { rows } = await sql`select 1 from item_notes
      where account_id = ${owner.accountId}`.execute(server.db);
    expect(rows).toHaveLength(isErased ? 0 : 1);
  });
});
