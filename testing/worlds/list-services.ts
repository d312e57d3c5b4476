// Test servers of Mailchimp and GetResponse: their calls, paging, headers and errors, with
// documented response shapes.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListServiceSubscriber {
  email: string;
  /** Mailchimp's status; GetResponse's is derived from it. */
  status: 'subscribed' | 'unsubscribed' | 'cleaned' | 'pending';
  list: string;
  fields?: Record<string, unknown>;
  name?: string;
  tags?: string[];
  /** Mailchimp's own groups, by name. */
  interests?: string[];
}

export interface ListServices {
  address: string;
  /** Every call: method, path and query, headers and body. */
  calls: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  subscribers: ListServiceSubscriber[];
  /** Errors of the next calls, in order. */
  refusals: { status: number; headers?: Record<string, string>; isJson?: boolean }[];
  /** Called before each call is answered. */
  onRequest: (url: string) => void;
  close(): Promise<void>;
}

export const MAILCHIMP_KEY = `${'0123456789abcdef'.repeat(2)}-us21`;
export const GETRESPONSE_KEY = 'gr0123456789abcdefghijklmn';

const LISTS = [
  { id: 'a1b2c3d4e5', name: 'Newsletter' },
  { id: 'f6a7b8c9d0', name: 'Customers' },
];
const MERGE_FIELDS = [
  { tag: 'FNAME', name: 'First Name' },
  { tag: 'LNAME', name: 'Last Name' },
  { tag: 'PHONE', name: 'Phone Number' },
  { tag: 'ADDRESS', name: 'Address' },
  { tag: 'MMERGE5', name: 'Shoe size' },
];

const CATEGORIES = [{ id: 'c0ffee0001', title: 'Likes' }];
const INTERESTS = [
  { id: '9143cf3bd1', name: 'Tea' },
  { id: '3a2a927344', name: 'Coffee, black' },
];

/** Starts the services. Without a `port`, a free one is used. */
export async function startListServices(
  contacts: ListServiceSubscriber[],
  port = 0,
): Promise<ListServices> {
  const services: ListServices = {
    address: '',
    calls: [],
    subscribers: contacts,
    refusals: [],
    onRequest: () => {},
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      services.calls.push({ method, url, headers, body });
      services.onRequest(url);
      respond(services, request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  services.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return services;
}

function respond(
  services: ListServices,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): void {
  const refusal = services.refusals.shift();
  if (refusal !== undefined) {
    const type = refusal.isJson === false ? 'text/html' : 'application/problem+json';
    response.writeHead(refusal.status, { 'content-type': type, ...refusal.headers });
    response.end(refusal.isJson === false ? '<html></html>' : '{"title":"Refused"}');
    return;
  }
  const url = new URL(request.url ?? '', services.address);
  if (url.pathname.startsWith('/3.0/')) mailchimp(services, request, url, response);
  else if (url.pathname.startsWith('/v3/')) getresponse(services, request, url, response, body);
  else json(response, 404, { title: 'Resource Not Found' });
}

function json(
  response: ServerResponse,
  status: number,
  data: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(data));
}

function mailchimp(
  { subscribers }: ListServices,
  request: IncomingMessage,
  url: URL,
  response: ServerResponse,
): void {
  const expectedAuthorization = `Basic ${Buffer.from(`sendloom:${MAILCHIMP_KEY}`).toString('base64')}`;
  if (request.headers.authorization !== expectedAuthorization) {
    json(response, 401, { title: 'API Key Invalid', status: 401 });
    return;
  }
  const [, , , id, kind, category] = url.pathname.split('/');
  const count = Number(url.searchParams.get('count') ?? 10);
  const offset = Number(url.searchParams.get('offset') ?? 0);
  const status = url.searchParams.get('status');
  const onList = subscribers.filter(
    (contact) => contact.list === id && (!status || contact.status === status),
  );
  if (id === undefined)
    json(response, 200, {
      lists: LISTS.map((list) => ({
        ...list,
        stats: {
          member_count: subscribers.filter(
            (contact) => contact.list === list.id && contact.status === 'subscribed',
          ).length,
        },
      })),
      total_items: LISTS.length,
    });
  else if (kind === 'merge-fields') json(response, 200, { merge_fields: MERGE_FIELDS });
  else if (kind === 'interest-categories')
    json(
      response,
      200,
      category === undefined ? { categories: CATEGORIES } : { interests: INTERESTS },
    );
  else
    json(response, 200, {
      members: onList.slice(offset, offset + count).map((contact) =>
        pickFields(url, {
          email_address: contact.email,
          status: contact.status,
          merge_fields: {
            FNAME: '',
            LNAME: '',
            PHONE: '',
            ADDRESS: '',
            MMERGE5: '',
            ...contact.fields,
          },
          timestamp_signup: '',
          timestamp_opt: '2019-05-06T07:08:09+00:00',
          last_changed: '2023-02-03T04:05:06+00:00',
          tags_count: contact.tags?.length ?? 0,
          tags: (contact.tags ?? []).map((name, i) => ({ id: 1000 + i, name })),
          interests: Object.fromEntries(
            INTERESTS.map(({ id: key, name }) => [key, contact.interests?.includes(name) ?? false]),
          ),
        }),
      ),
      list_id: id,
      total_items: onList.length,
    });
}

/** Mailchimp returns only the fields listed in `fields`. */
function pickFields(url: URL, member: Record<string, unknown>): Record<string, unknown> {
  const fields = new Set(url.searchParams.get('fields')?.split(','));
  if (fields.size === 0) return member;
  return Object.fromEntries(
    Object.entries(member).filter(([name]) => fields.has(`members.${name}`)),
  );
}

const statusByType: Record<string, ListServiceSubscriber['status']> = {
  subscribed: 'subscribed',
  removed: 'unsubscribed',
  undelivered: 'cleaned',
  unconfirmed: 'pending',
};

function getresponse(
  { subscribers }: ListServices,
  request: IncomingMessage,
  url: URL,
  response: ServerResponse,
  body: string,
): void {
  if (request.headers['x-auth-token'] !== `api-key ${GETRESPONSE_KEY}`) {
    json(response, 401, { httpStatus: 401, code: 1014, message: 'Problem during authentication' });
    return;
  }
  const [, , resource, id] = url.pathname.split('/');
  const page = Number(url.searchParams.get('page') ?? 1);
  const perPage = Number(url.searchParams.get('perPage') ?? 100);
  if (resource === 'campaigns')
    json(
      response,
      200,
      LISTS.map((list) => ({ campaignId: list.id, name: list.name })),
    );
  else if (resource === 'custom-fields')
    json(response, 200, [{ customFieldId: 'n', name: 'shoe_size', fieldType: 'text' }]);
  else if (resource === 'contacts') {
    const contact = subscribers[Number(id?.slice(1))];
    if (contact?.status !== 'subscribed') {
      json(response, 404, { httpStatus: 404, code: 1013, message: 'Resource not found' });
      return;
    }
    json(response, 200, {
      contactId: id,
      email: contact?.email,
      customFieldValues: contact?.fields?.MMERGE5
        ? [{ customFieldId: 'n', name: 'shoe_size', value: [String(contact.fields.MMERGE5)] }]
        : [],
      tags: (contact.tags ?? []).map((name, i) => ({ tagId: `t${i}`, name, color: '' })),
    });
  } else {
    const search = JSON.parse(body) as {
      subscribersType: [string];
      section: [{ campaignIdsList: string[] }];
    };
    const matches = subscribers
      .map((contact, i) => ({ person: contact, id: `c${i}` }))
      .filter(
        ({ person }) =>
          person.status === statusByType[search.subscribersType[0]] &&
          search.section[0].campaignIdsList.includes(person.list),
      );
    json(
      response,
      200,
      matches.slice((page - 1) * perPage, page * perPage).map(({ person, id: contactId }) => ({
        contactId,
        email: person.email,
        name: person.name ?? null,
        campaign: {
          campaignId: person.list,
          name: LISTS.find((list) => list.id === person.list)?.name,
        },
        createdOn: '2019-05-06T07:08:09+0000',
        deletedOn: person.status === 'unsubscribed' ? '2023-02-03T04:05:06+0000' : null,
      })),
      {
        TotalCount: String(matches.length),
        TotalPages: String(Math.ceil(matches.length / perPage)),
        CurrentPage: String(page),
      },
    );
  }
}
