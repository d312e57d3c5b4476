// References to a field: the check of a line of text and the query find the same ones.
import { beforeAll, expect, test } from 'vitest';
import { inTransaction } from '#platform/server/database/database.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { saveContent } from '../contents.ts';
import { contentsNaming, lineNames } from './naming.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});

const TITLES: [string, boolean][] = [
  ['Hi {{ city | default: "there" }}', true],
  ['Hi {{city}}', true],
  ['Hi {$city}', true],
  ['Hi {{ city_2 }} {$city_2}', false],
  ['Hi {{ capacity }}, city', false],
];

test('contents of an owner are searched for references by their current revision', async () => {
  const { accountId } = await server.owner();
  const stranger = await server.owner();
  const save = (account: number, id: number | null, html: string) =>
    inTransaction(server.db, (tx) =>
      saveContent(tx, account, id, { kind: 'html', html, plain_text: null }, null),
    );
  const saved: number[] = [];
  for (const [html] of TITLES) saved.push((await save(accountId, null, html)).content_id);
  const expected = new Set(saved.filter((_, index) => TITLES[index]?.[1]));
  const named = { field: 'city' };
  expect(await contentsNaming(server.db, accountId, named, [...saved, null])).toEqual(expected);
  expect(TITLES.map(([line]) => lineNames(line, 'city'))).toEqual(TITLES.map(([, is]) => is));
  expect(await contentsNaming(server.db, stranger.accountId, named, saved)).toEqual(new Set());
  expect(await contentsNaming(server.db, accountId, named, [])).toEqual(new Set());
  await save(accountId, saved[0] as number, 'Nothing of it');
  const later = await contentsNaming(server.db, accountId, named, saved);
  expect(later.has(saved[0] as number)).toBe(false);
});
