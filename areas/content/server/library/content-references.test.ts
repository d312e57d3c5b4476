// The query for stored content and the check of a line of text find the same references to a field.
import { beforeAll, expect, test } from 'vitest';
import { inTransaction } from '#platform/server/database/database.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { saveContent } from '../contents.ts';
import { listContentsNaming, lineNames } from './content-references.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});

const LINES: [string, boolean][] = [
  ['Hi {{ city | default: "there" }}', true],
  ['Hi {{city}}', true],
  ['Hi {$city}', true],
  ['Hi {{ city_2 }} {$city_2}', false],
  ['Hi {{ capacity }}, city', false],
];

test("the query finds the same references as the check of a single line, and only in the account's current revisions", async () => {
  const { accountId } = await server.owner();
  const outsider = await server.owner();
  const save = (account: number, id: number | null, html: string) =>
    inTransaction(server.db, (tx) =>
      saveContent(tx, account, id, { kind: 'html', html, plain_text: null }, null),
    );
  const contentIds: number[] = [];
  for (const [html] of LINES) contentIds.push((await save(accountId, null, html)).content_id);
  const expectedIds = new Set(contentIds.filter((_, index) => LINES[index]?.[1]));
  const resource = { field: 'city' };
  expect(await listContentsNaming(server.db, accountId, resource, [...contentIds, null])).toEqual(
    expectedIds,
  );
  expect(LINES.map(([line]) => lineNames(line, 'city'))).toEqual(
    LINES.map(([, isNamed]) => isNamed),
  );
  expect(await listContentsNaming(server.db, outsider.accountId, resource, contentIds)).toEqual(
    new Set(),
  );
  expect(await listContentsNaming(server.db, accountId, resource, [])).toEqual(new Set());
  await save(accountId, contentIds[0] as number, 'No reference');
  const laterIds = await listContentsNaming(server.db, accountId, resource, contentIds);
  expect(laterIds.has(contentIds[0] as number)).toBe(false);
});
