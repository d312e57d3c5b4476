// Fields over HTTP, the names made from titles, and the parsing of values.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSubscriber, readSubscriber } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { DEFAULT_MERGE_TAGS, FIELD_TYPES, toFieldName, readValue } from '../shared.ts';
import { fieldUsedBy } from './events.ts';
import { deleteField, readFieldValue } from './fields.ts';

const FIELDS = '/client-api/api/fields';
let server: TestServer;
let ada: TestOwner;

beforeAll(async () => {
  server = await testServer();
  ada = await server.owner();
});

describe('over HTTP', () => {
  test('a field is created, listed, renamed and deleted with its values', async () => {
    const created = await ada.post(FIELDS, { title: 'Favorite color', type: 'text' });
    expect(created.body.data).toMatchObject({
      name: 'favorite_color',
      title: 'Favorite color',
      type: 'text',
      show: true,
    });
    const { id } = created.body.data;
    const renameResponse = await ada.patch(`${FIELDS}/${id}`, { title: 'Colour', show: false });
    expect(renameResponse.body.data).toMatchObject({
      name: 'favorite_color',
      title: 'Colour',
      show: false,
    });
    expect((await ada.get(`${FIELDS}?no_paginate=1`)).body.data).toHaveLength(1);
    const fieldId = decodeId('field', id) as number;
    const subscriber = await inTransaction(server.db, (tx) =>
      createSubscriber(tx, ada.accountId, {
        email: 'blue@x.example',
        source: 'manual',
        fieldValues: { [fieldId]: 'blue' },
      }),
    );
    expect((await ada.delete(`${FIELDS}/${id}`)).body).toEqual({ success: true });
    expect((await ada.delete(`${FIELDS}/${id}`)).status).toBe(404);
    await server.runJobs();
    expect((await readSubscriber(server.db, ada.accountId, subscriber.id)).field_values).toEqual(
      {},
    );
  });

  test('a value that is set while its field is being deleted is refused', async () => {
    const { id } = (await ada.post(FIELDS, { title: 'Shade', type: 'text' })).body.data;
    const fieldId = decodeId('field', id) as number;
    const { setting } = await inTransaction(server.db, async (tx) => {
      await deleteField(tx, ada.accountId, fieldId, 'eng');
      const setting = inTransaction(server.db, (concurrentTx) =>
        readFieldValue(concurrentTx, ada.accountId, fieldId, 'dark'),
      ).catch((error: unknown) => error);
      return { setting };
    });
    expect(await setting).toMatchObject({ code: 'not_found' });
  });

  test('titles are unique regardless of case and under concurrency, and the type cannot be changed', async () => {
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => ada.post(FIELDS, { title: 'Size', type: 'number' })),
    );
    expect(responses.map((response) => response.status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect((await ada.post(FIELDS, { title: 'SIZE', type: 'text' })).body.code).toBe('title_taken');
    const id = responses.find((response) => response.status === 200)?.body.data.id;
    expect((await ada.patch(`${FIELDS}/${id}`, { type: 'text' })).status).toBe(422);
    const twin = await ada.post(FIELDS, { title: 'Size!', type: 'number' });
    expect(twin.body.data.name).toBe('size_2');
  });

  test.each([
    [{}],
    [{ title: '' }],
    [{ title: 'x'.repeat(101) }],
    [{ title: 'ok', type: 'boolean' }],
    [{ title: 'ok', name: 'mine' }],
  ])('%j is refused', async (body) => {
    expect((await ada.post(FIELDS, body)).status).toBe(422);
  });

  test("another account's field and IDs of other kinds are not found", async () => {
    const bob = await server.owner();
    const { id } = (await bob.post(FIELDS, { title: 'Theirs', type: 'text' })).body.data;
    for (const unknownId of [id, encodeId('group', 1), 'nonsense']) {
      expect((await ada.patch(`${FIELDS}/${unknownId}`, { title: 'Mine' })).status).toBe(404);
      expect((await ada.delete(`${FIELDS}/${unknownId}`)).status).toBe(404);
    }
    expect((await bob.get(FIELDS)).body.data[0].title).toBe('Theirs');
  });

  test('a field in use is not deleted, and the error names what uses it', async () => {
    const { id } = (await ada.post(FIELDS, { title: 'Used', type: 'text' })).body.data;
    const stop = fieldUsedBy.handle(async (_, { name }) =>
      name === 'used' ? [{ kind: 'campaign', id: 'c', title: 'May letter' }] : [],
    );
    const response = await ada.delete(`${FIELDS}/${id}`);
    stop();
    expect(response).toMatchObject({ status: 409, body: { code: 'field_in_use' } });
    expect(response.body.message).toContain('May letter');
  });
});

describe('toFieldName', () => {
  test.each([
    ['Favorite color', 'favorite_color'],
    ['  Größe (cm) ', 'grosse_cm'],
    ['Født', 'fodt'],
    ['2nd name', 'field_2nd_name'],
    ['تاریخ تولد', 'field'],
    ['Email', 'email_2'],
    ['Unsubscribe link', 'unsubscribe_link_2'],
  ])('the title %j becomes the name %s', (title, name) => {
    expect(toFieldName(title, () => false)).toBe(name);
  });

  test('a name is a valid merge tag that is neither used nor predefined', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (title, names) => {
        const name = toFieldName(title, (name) => names.includes(name));
        expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
        expect(names).not.toContain(name);
        expect(DEFAULT_MERGE_TAGS).not.toContain(name);
      }),
    );
  });
});

describe('readValue', () => {
  test.each([
    ['number', '12.5', { value: 12.5 }],
    ['number', ' ', { fault: 'not_a_number' }],
    ['number', 'Infinity', { fault: 'not_a_number' }],
    ['number', 0, { value: 0 }],
    ['datetime', '2026-02-28', { value: '2026-02-28 00:00:00' }],
    ['datetime', '2026-02-28T23:59', { value: '2026-02-28 23:59:00' }],
    ['datetime', '2026-02-30', { fault: 'not_a_date' }],
    ['datetime', '2026-01-01 24:00:00', { fault: 'not_a_date' }],
    ['birthday', '05-12', { value: '05-12' }],
    ['birthday', '5/12', { value: '05-12' }],
    ['birthday', '--0512', { fault: 'not_a_birthday' }],
    ['birthday', '02-29', { value: '02-29' }],
    ['birthday', '02-30', { fault: 'not_a_birthday' }],
    ['birthday', '13-01', { fault: 'not_a_birthday' }],
    ['birthday', '00-10', { fault: 'not_a_birthday' }],
    ['birthday', 512, { fault: 'not_a_birthday' }],
    ['birthday', '1990-05-12', { value: '05-12' }],
    ['birthday', '', { value: null }],
    ['text', 5, { value: '5' }],
    ['text', '', { value: null }],
    ['text', 'x'.repeat(10_001), { fault: 'text_too_long' }],
  ] as const)('the %s value %j is read as %j', (type, value, expected) => {
    expect(readValue(type, value)).toEqual(expected);
  });

  test('reading a value again returns the same value', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FIELD_TYPES),
        fc.oneof(
          fc.string(),
          fc.double(),
          fc.date({ noInvalidDate: true }).map((d) => d.toISOString().slice(0, 10)),
        ),
        (type, value) => {
          const result = readValue(type, value);
          if ('value' in result && result.value !== null)
            expect(readValue(type, result.value)).toEqual(result);
        },
      ),
    );
  });
});
