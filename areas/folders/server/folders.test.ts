// Folders, labels, archive, bulk actions and comments over HTTP, for each kind of item.
import { beforeAll, describe, expect, test } from 'vitest';
import { CAMPAIGNS, campaignShop, createReadyCampaign } from '#testing/worlds/campaign-shop.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';

const FOLDERS = '/client-api/api/folders';
const LABELS = '/client-api/api/labels';

let server: TestServer;
let ada: TestOwner;
let bob: TestOwner;

beforeAll(async () => {
  server = await testServer();
  ada = await server.owner();
  bob = await server.owner();
});

const KINDS = [
  { kind: 'campaign', base: CAMPAIGNS, body: { title: 'First' } },
  { kind: 'sms', base: '/client-api/api/sms/campaign', body: { title: 'First' } },
  { kind: 'workflow', base: '/client-api/api/workflows', body: { title: 'First' } },
  { kind: 'form', base: '/client-api/api/forms', body: { title: 'First', type: 'embed' } },
];

const create = async (owner: TestOwner, url: string, body: object): Promise<string> => {
  const response = await owner.post(url, body);
  expect(response.status).toBe(200);
  return response.body.data.id;
};

const idsOf = async (owner: TestOwner, base: string, query: string): Promise<string[]> =>
  (await owner.get(`${base}?${query}`)).body.data.map((row: { id: string }) => row.id);

describe.each(KINDS)('$kind', ({ kind, base, body }) => {
  test('a list contains archived items, the rest, or both, as requested', async () => {
    const owner = await server.owner();
    const [first, second] = [await create(owner, base, body), await create(owner, base, body)];
    const archiving = await owner.post(`${base}/bulk`, { action: 'archive', ids: [first] });
    expect(archiving.body.data).toEqual({ ids: [first], skipped: 0 });
    expect(await idsOf(owner, base, 'archived=false')).toEqual([second]);
    expect(await idsOf(owner, base, 'archived=true')).toEqual([first]);
    expect(await idsOf(owner, base, '')).toHaveLength(2);
    await owner.post(`${base}/bulk`, { action: 'unarchive', ids: [first] });
    expect(await idsOf(owner, base, 'archived=true')).toEqual([]);
  });

  test('items are found by folder and label, and copies keep both', async () => {
    const owner = await server.owner();
    const [first, second] = [await create(owner, base, body), await create(owner, base, body)];
    const folder = await create(owner, FOLDERS, { kind, title: 'Spring' });
    const label = await create(owner, LABELS, { title: 'Sale', color: 'red' });
    const ids = [first];
    expect((await owner.post(`${base}/bulk`, { action: 'move', ids, folder })).status).toBe(200);
    for (const time of ['once', 'twice']) {
      const labeling = await owner.post(`${base}/bulk`, { action: 'add_label', ids, label });
      expect(labeling.status, time).toBe(200);
    }
    const { data } = (await owner.get(`${base}?folder=${folder}`)).body;
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      id: first,
      place: {
        folder: { id: folder, title: 'Spring' },
        labels: [{ id: label, title: 'Sale', color: 'red' }],
        is_archived: false,
      },
    });
    expect(await idsOf(owner, base, `label=${label}`)).toEqual([first]);
    const duplication = await owner.post(`${base}/bulk`, { action: 'duplicate', ids });
    const [copy] = duplication.body.data.ids;
    expect(new Set(await idsOf(owner, base, `folder=${folder}&label=${label}`))).toEqual(
      new Set([first, copy]),
    );
    const listedItems = (await owner.get(`${base}?no_paginate=1`)).body.data;
    expect(listedItems.find((row: { id: string }) => row.id === copy).title).toBe('First (copy)');
    await owner.post(`${base}/bulk`, { action: 'remove_label', ids, label });
    expect(await idsOf(owner, base, `label=${label}`)).toEqual([copy]);
    await owner.post(`${base}/bulk`, { action: 'move', ids, folder: null });
    expect(await idsOf(owner, base, `folder=${folder}`)).toEqual([copy]);
    expect(await idsOf(owner, base, '')).toContain(second);
  });

  test('drafts are deleted together, and a request with an unknown item changes nothing', async () => {
    const owner = await server.owner();
    const [first, second] = [await create(owner, base, body), await create(owner, base, body)];
    const foreignId = await create(bob, base, body);
    for (const action of ['archive', 'duplicate', 'delete_drafts']) {
      const rejection = await owner.post(`${base}/bulk`, { action, ids: [first, foreignId] });
      expect([rejection.status, Object.keys(rejection.body.errors)], action).toEqual([
        422,
        ['ids'],
      ]);
    }
    expect(await idsOf(owner, base, 'archived=false')).toHaveLength(2);
    const deletion = await owner.post(`${base}/bulk`, {
      action: 'delete_drafts',
      ids: [first, second, first],
    });
    expect(deletion.body.data.skipped).toBe(0);
    expect(new Set(deletion.body.data.ids)).toEqual(new Set([first, second]));
    expect(await idsOf(owner, base, '')).toEqual([]);
    const repeatedDeletion = await owner.post(`${base}/bulk`, {
      action: 'delete_drafts',
      ids: [first],
    });
    expect(repeatedDeletion.status).toBe(422);
    expect(await idsOf(bob, base, '')).toContain(foreignId);
  });

  test('comments are added, listed newest first, and deleted', async () => {
    const owner = await server.owner();
    const url = `${base}/${await create(owner, base, body)}/notes`;
    const firstNote = await create(owner, url, { text: 'Ask Kari first' });
    await create(owner, url, { text: '<b>Then</b>\nsend' });
    const { data } = (await owner.get(url)).body;
    expect(data.map((note: { text: string }) => note.text)).toEqual([
      '<b>Then</b>\nsend',
      'Ask Kari first',
    ]);
    expect(data[0].author).not.toBe('');
    expect((await bob.get(url)).status).toBe(404);
    expect((await bob.post(url, { text: 'Mine' })).status).toBe(404);
    expect((await bob.delete(`${url}/${firstNote}`)).status).toBe(404);
    expect((await owner.post(url, { text: '  ' })).status).toBe(422);
    expect((await owner.delete(`${url}/${firstNote}`)).status).toBe(200);
    expect((await owner.delete(`${url}/${firstNote}`)).status).toBe(404);
    expect((await owner.get(url)).body.data).toHaveLength(1);
  });
});

test('deleting drafts skips a scheduled campaign', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const scheduledId = await createReadyCampaign(owner, groupId);
  const draft = await create(owner, CAMPAIGNS, { title: 'Draft' });
  const scheduling = await owner.post(`${CAMPAIGNS}/${scheduledId}/schedule`, {
    schedule_time: '2090-05-01 09:00:00',
  });
  expect(scheduling.status).toBe(200);
  const ids = [scheduledId, draft];
  const deletion = await owner.post(`${CAMPAIGNS}/bulk`, { action: 'delete_drafts', ids });
  expect(deletion.body.data).toEqual({ ids: [draft], skipped: 1 });
  expect(await idsOf(owner, CAMPAIGNS, '')).toEqual([scheduledId]);
});

test('deleting drafts skips a published form', async () => {
  const form = await create(ada, '/client-api/api/forms', { title: 'Join', type: 'embed' });
  const publication = await ada.patch(`/client-api/api/forms/${form}`, { is_active: 1 });
  expect(publication.status).toBe(200);
  const body = { action: 'delete_drafts', ids: [form] };
  const deletion = await ada.post('/client-api/api/forms/bulk', body);
  expect(deletion.body.data).toEqual({ ids: [], skipped: 1 });
});

test('a folder is renamed and deleted, and its items remain', async () => {
  const folder = await create(ada, FOLDERS, { kind: 'campaign', title: 'Autumn' });
  const conflict = await ada.post(FOLDERS, { kind: 'campaign', title: 'AUTUMN' });
  expect([conflict.status, conflict.body.code]).toEqual([409, 'folder_title_taken']);
  // Each kind has its own folders.
  await create(ada, FOLDERS, { kind: 'sms', title: 'Autumn' });
  const renaming = await ada.patch(`${FOLDERS}/${folder}`, { title: 'Winter' });
  expect(renaming.body.data).toEqual({ id: folder, title: 'Winter' });
  const item = await create(ada, CAMPAIGNS, { title: 'Snow' });
  const into = { action: 'move', ids: [item], folder };
  expect((await ada.post(`${CAMPAIGNS}/bulk`, into)).status).toBe(200);
  expect((await bob.patch(`${FOLDERS}/${folder}`, { title: 'Mine' })).status).toBe(404);
  expect((await bob.delete(`${FOLDERS}/${folder}`)).status).toBe(404);
  expect((await ada.delete(`${FOLDERS}/${folder}`)).status).toBe(200);
  expect((await ada.delete(`${FOLDERS}/${folder}`)).status).toBe(404);
  const { data } = (await ada.get(`${CAMPAIGNS}?search=Snow`)).body;
  expect(data[0].place.folder).toBeNull();
  expect((await ada.post(`${CAMPAIGNS}/bulk`, into)).status).toBe(422);
});

test('only one of two folders or labels is renamed when both get the same title concurrently', async () => {
  for (let attempt = 0; attempt < 4; attempt++) {
    const folders = ['A', 'B'].map((title) =>
      create(ada, FOLDERS, { kind: 'campaign', title: `${title}${attempt}` }),
    );
    const labels = ['A', 'B'].map((title) =>
      create(ada, LABELS, { title: `${title}${attempt}`, color: 'red' }),
    );
    const title = `One ${attempt}`;
    const renameConcurrently = async (path: string, ids: Promise<string>[], fields: object) =>
      (
        await Promise.all(
          (await Promise.all(ids)).map((id) => ada.patch(`${path}/${id}`, { title, ...fields })),
        )
      )
        .map(({ status }) => status)
        .sort();
    expect(await renameConcurrently(FOLDERS, folders, {})).toEqual([200, 409]);
    expect(await renameConcurrently(LABELS, labels, { color: 'red' })).toEqual([200, 409]);
  }
});

test('a folder of another kind or account and a label of another account are refused', async () => {
  const item = await create(ada, CAMPAIGNS, { title: 'Mine' });
  const folders = [
    await create(ada, FOLDERS, { kind: 'form', title: 'Forms' }),
    await create(bob, FOLDERS, { kind: 'campaign', title: 'Foreign' }),
  ];
  const label = await create(bob, LABELS, { title: 'Foreign', color: 'blue' });
  const bulk = (body: object) => ada.post(`${CAMPAIGNS}/bulk`, { ids: [item], ...body });
  for (const folder of folders) {
    expect((await bulk({ action: 'move', folder })).status).toBe(422);
  }
  expect((await bulk({ action: 'move' })).status).toBe(422);
  expect((await bulk({ action: 'add_label', label })).status).toBe(422);
  expect((await bulk({ action: 'add_label' })).status).toBe(422);
  expect((await bulk({ action: 'burn' })).status).toBe(422);
  expect((await ada.post(`${CAMPAIGNS}/bulk`, { action: 'archive', ids: [] })).status).toBe(422);
  expect((await ada.get(`${CAMPAIGNS}?search=Mine`)).body.data[0].place).toEqual({
    folder: null,
    labels: [],
    is_archived: false,
  });
});

test('a label is renamed, recolored, and on deletion removed from all its items', async () => {
  const label = await create(ada, LABELS, { title: 'Teas', color: 'green' });
  const conflict = await ada.post(LABELS, { title: 'teas', color: 'red' });
  expect([conflict.status, conflict.body.code]).toEqual([409, 'label_title_taken']);
  const update = await ada.patch(`${LABELS}/${label}`, { title: 'Tea', color: 'violet' });
  expect(update.body.data).toEqual({ id: label, title: 'Tea', color: 'violet' });
  const item = await create(ada, CAMPAIGNS, { title: 'Labeled' });
  await ada.post(`${CAMPAIGNS}/bulk`, { action: 'add_label', ids: [item], label });
  const placeOf = async () => (await ada.get(`${CAMPAIGNS}?search=Labeled`)).body.data[0].place;
  expect((await placeOf()).labels).toEqual([update.body.data]);
  expect((await bob.delete(`${LABELS}/${label}`)).status).toBe(404);
  expect((await ada.delete(`${LABELS}/${label}`)).status).toBe(200);
  expect((await placeOf()).labels).toEqual([]);
});
