// Mailchimp and GetResponse lists, tags and groups, in their documented shapes, become row cells
// that imports read groups from.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OutsideRows } from '#areas/imports/server/list-provider.ts';
import { splitGroupNames } from '#areas/imports/server/reading/group-names.ts';
import { getresponse } from '#providers/getresponse/index.ts';
import contact from '#providers/getresponse/recorded/contact.json' with { type: 'json' };
import found from '#providers/getresponse/recorded/search.json' with { type: 'json' };
import { mailchimp } from './index.ts';
import members from './recorded/members.json' with { type: 'json' };

let service: Server;
let base: string;
/** Responses by path without query, optionally with a status; other paths are not found. */
let responses: Record<string, unknown> = {};
let requests: URL[] = [];

beforeAll(async () => {
  service = createServer((request, response) => {
    request.resume();
    const url = new URL(request.url ?? '', 'http://service');
    requests.push(url);
    const { pathname, searchParams } = url;
    const responseBody =
      responses[`${pathname} ${searchParams.get('status') ?? ''}`] ?? responses[pathname];
    response.writeHead(responseBody === undefined ? 404 : 200, {
      'content-type': 'application/json',
      TotalPages: '1',
      TotalCount: '2',
    });
    response.end(JSON.stringify(responseBody ?? { title: 'Resource Not Found' }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
});
afterAll(() => {
  service.close();
});

/** Returns each row as an object keyed by column heading. */
async function peopleOf({ titles, pages }: OutsideRows): Promise<Record<string, string>[]> {
  const contacts: Record<string, string>[] = [];
  for await (const page of pages)
    for (const row of page)
      contacts.push(Object.fromEntries(titles.map((title, i) => [title, row[i] ?? ''])));
  return contacts;
}

test('Mailchimp rows contain each member’s list, tags and interests', async () => {
  const root = '/3.0/lists/57afe96172';
  responses = {
    [`${root}/merge-fields`]: {
      merge_fields: [
        { tag: 'ADDRESS', name: 'Address', type: 'address' },
        { tag: 'BIRTHDAY', name: 'Birthday', type: 'birthday' },
      ],
    },
    [`${root}/interest-categories`]: { categories: [{ id: 'a1e9f4b7f6', title: 'Jokes' }] },
    [`${root}/interest-categories/a1e9f4b7f6/interests`]: {
      interests: [
        { id: '9143cf3bd1', name: 'Dry, short' },
        { id: '3a2a927344', name: 'Long' },
      ],
    },
    [`${root}/members`]: { members: [], total_items: 0 },
    [`${root}/members subscribed`]: {
      ...members,
      members: members.members.map((member) => ({
        ...member,
        merge_fields: { ...member.merge_fields, BIRTHDAY: '05/12' },
      })),
    },
  };
  const key = `${'0123456789abcdef'.repeat(2)}-us1`;
  const lists = [{ id: '57afe96172', title: 'Freddie’s Jokes, daily' }];
  const rows = await mailchimp({ baseUrl: base }).rows(key, lists, AbortSignal.timeout(5_000));
  const [urist, freddie] = await peopleOf(rows);
  expect(urist).toMatchObject({
    Email: 'urist.mcvankab@freddiesjokes.com',
    'First name': 'Urist',
    'Last name': 'McVankab',
    'Consent date': '2015-09-15T14:31:36Z',
    Address: '675 Ponce de Leon Ave, Atlanta, GA, 30308, US',
    Birthday: '--05-12',
  });
  expect(splitGroupNames(urist?.List ?? '')).toEqual(['Freddie’s Jokes, daily']);
  expect(splitGroupNames(urist?.Tags ?? '')).toEqual(['Influencer', 'Spring, "early" birds']);
  expect(splitGroupNames(urist?.Groups ?? '')).toEqual(['Jokes: Dry, short']);
  expect([freddie?.Tags, freddie?.Groups]).toEqual(['', '']);
  // Mailchimp omits properties that `fields` does not name.
  const fields = requests
    .find((url) => url.pathname.endsWith('/members'))
    ?.searchParams.get('fields');
  expect(fields?.split(',')).toEqual(expect.arrayContaining(['members.tags', 'members.interests']));
});

test('GetResponse rows contain each contact’s tags and fields; a removed contact has none', async () => {
  responses = {
    '/v3/custom-fields': [{ customFieldId: '4klkN', name: 'age' }],
    '/v3/search-contacts/contacts': found,
    '/v3/contacts/pV3r': contact,
  };
  const lists = [{ id: 'C', title: 'Promo' }];
  const provider = getresponse({ baseUrl: base });
  const rows = await provider.rows('a'.repeat(32), lists, AbortSignal.timeout(5_000));
  expect(rows.titles.slice(0, 2)).toEqual(['Email', 'Name']);
  const contacts = await peopleOf(rows);
  const [john, deleted] = contacts.filter((importedContact) => importedContact.Status === 'active');
  expect(john).toMatchObject({
    Email: 'john.doe@example.com',
    Name: 'John Doe',
    'Consent date': '2017-03-02T07:30:49Z',
    age: '18-35',
  });
  expect(splitGroupNames(john?.List ?? '')).toEqual(['Promo campaign']);
  expect(splitGroupNames(john?.Tags ?? '')).toEqual(['super_promo', 'My_Tag']);
  // A list without a name in the response gets its name from the list of lists.
  expect(deleted).toMatchObject({
    Email: 'left.meanwhile@example.com',
    Name: '',
    Tags: '',
    age: '',
  });
  expect(splitGroupNames(deleted?.List ?? '')).toEqual(['Promo']);
});
