// A client as third-party developers write it: it calls the API over the network with plain fetch
// and expects the response shapes that such clients read. The shapes are written here independently
// of the contracts, so that an omission in a contract is found.
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { publicClient } from './public-client.ts';
import type { TestOwner, TestServer } from './server.ts';

type Json = Record<string, unknown>;
// oxlint-disable-next-line typescript/no-explicit-any
type ApiResponse = { status: number; body: any; headers: Headers };

export interface ForeignClient {
  base: string;
  token: string;
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ApiResponse>;
  get(path: string): Promise<ApiResponse>;
  /** Requires status 200, as plug-ins do; returns the body. */
  requireOk(method: string, path: string, body?: unknown): Promise<ApiResponse['body']>;
}

export async function foreignClient(server: TestServer, owner: TestOwner): Promise<ForeignClient> {
  if (!server.app.server.listening) await server.app.listen({ port: 0, host: '127.0.0.1' });
  const base = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}/v2`;
  const { token } = await publicClient(server, owner);
  const call: ForeignClient['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return {
    ...{ base, token, call },
    get: (path) => call('GET', path),
    requireOk: async (method, path, body) => {
      const response = await call(method, path, body);
      expect([response.status, method, path, response.status === 200 ? '' : response.body]).toEqual(
        [...[200, method, path, '']],
      );
      expect(response.headers.get('content-type')).toBe('application/json');
      return response.body;
    },
  };
}

export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
export const ID = expect.stringMatching(/^[A-Za-z0-9]{5,}$/);
export const TEXT = expect.any(String);
export const NUMBER = expect.any(Number);
export const BOOLEAN = expect.any(Boolean);
const flag = expect.toSatisfy((value) => value === 0 || value === 1);
export const orNull = (matcher: unknown) =>
  expect.toSatisfy((value) => {
    if (value === null) return true;
    expect(value).toEqual(matcher);
    return true;
  });
export const SUCCESS_BODY = { success: true, message: TEXT };

/** Expects the format of lists, with links to the requested host. */
export function expectPage(body: Json, row: unknown, extraFields: Json = {}): void {
  const link = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v2\//);
  expect(body).toEqual({
    data: expect.any(Array),
    links: { first: link, last: link, prev: orNull(link), next: orNull(link) },
    meta: {
      current_page: NUMBER,
      from: orNull(NUMBER),
      last_page: NUMBER,
      links: expect.any(Array),
      path: link,
      per_page: NUMBER,
      to: orNull(NUMBER),
      total: NUMBER,
    },
    has_more_resources: BOOLEAN,
    ...extraFields,
  });
  for (const value of body.data as unknown[]) expect(value).toEqual(row);
}

export const SUBSCRIBER = {
  id: ID,
  email: TEXT,
  firstname: orNull(TEXT),
  lastname: orNull(TEXT),
  phone: orNull(TEXT),
  phone_country: orNull({ phone_code: NUMBER, country_code: TEXT }),
  created: TIME,
  bounced_at: orNull(TIME),
  unsubscribed_at: orNull(TIME),
  location: orNull(TEXT),
  ip_address: orNull(TEXT),
  status: expect.objectContaining({
    email: expect.stringMatching(/^(active|unsubscribed|bounced|reported|non-subscribed)$/),
    temail: TEXT,
  }),
  subscriber_tags: expect.toSatisfy((tags: unknown[]) =>
    tags.every((tag) => {
      // oxlint-disable-next-line vitest/no-standalone-expect
      expect(tag).toEqual({ id: ID, title: TEXT });
      return true;
    }),
  ),
  columns: expect.toSatisfy((columns: unknown[]) =>
    columns.every((column) => {
      const value = expect.toSatisfy((value) => ['string', 'number'].includes(typeof value));
      // oxlint-disable-next-line vitest/no-standalone-expect
      expect(column).toEqual({ id: ID, title: TEXT, type: TEXT, default: BOOLEAN, value });
      return true;
    }),
  ),
  source: TEXT,
};
export const GROUP = {
  id: ID,
  title: TEXT,
  recipient_count: NUMBER,
  active_subscribers: NUMBER,
  unsubscribed_count: NUMBER,
  bounced_count: NUMBER,
  phone_count: NUMBER,
  active_phone_count: NUMBER,
  account_id: ID,
  user_id: orNull(ID),
  created: TIME,
  modified: TIME,
  is_recalculating_subscribers: BOOLEAN,
  is_favourite: BOOLEAN,
  used_in_integration: BOOLEAN,
};
export const FIELD = {
  id: ID,
  title: TEXT,
  account_id: ID,
  user_id: orNull(ID),
  created: TIME,
  modified: TIME,
  type: expect.stringMatching(/^(text|number|datetime)$/),
  show: flag,
  field_name: expect.stringMatching(/^\{\$[^}]+\}$/),
  position: NUMBER,
  default: BOOLEAN,
};
export const SEGMENT = {
  id: ID,
  account_id: ID,
  name: TEXT,
  conditions: expect.any(Array),
  subscribers: NUMBER,
  active_subscribers: NUMBER,
  phone_count: NUMBER,
  created: TIME,
  modified: TIME,
};
export const CAMPAIGN = {
  id: ID,
  subject: TEXT,
  reply_to: TEXT,
  language: orNull(TEXT),
  recipient_count: NUMBER,
  from: TEXT,
  schedule_time: orNull(TIME),
  last_action: expect.stringMatching(/^step\d$/),
  sent_time: orNull(TIME),
  status: expect.stringMatching(/^(DRAFT|SCHEDULED|SENDING|SENT)$/),
  created: TIME,
  modified: TIME,
  title: TEXT,
  domain_id: orNull(ID),
  preheader: TEXT,
  auto_followup_active: flag,
  auto_followup_subject: orNull(TEXT),
  auto_followup_delay: orNull(NUMBER),
  send_to_all: flag,
  sent_count: NUMBER,
  campaign_groups: expect.any(Array),
  segments: expect.any(Array),
  ecommerce_tracking_enabled: flag,
  experiment_id: null,
  opens: NUMBER,
  bounces_count: NUMBER,
  clicks: NUMBER,
  editor: orNull(expect.stringMatching(/^(editor|html|text)$/)),
  html: {
    id: orNull(ID),
    thumbnail_url: orNull(TEXT),
    has_preview: BOOLEAN,
    has_snapshots: BOOLEAN,
    html_content: orNull(TEXT),
  },
};
export const TEMPLATE = {
  id: ID,
  user_id: orNull(ID),
  account_id: ID,
  title: TEXT,
  subject: TEXT,
  from: TEXT,
  reply_to: TEXT,
  preheader: TEXT,
  domain_id: orNull(ID),
  created: TIME,
  modified: TIME,
  type: 'API',
  last_action: TEXT,
  editor: orNull(expect.stringMatching(/^(plain|html|builder)$/)),
  html: {
    id: orNull(ID),
    thumbnail_url: orNull(TEXT),
    has_preview: BOOLEAN,
    has_snapshots: BOOLEAN,
    styles: null,
  },
  purchaseCount: NUMBER,
};
export const REPORT = {
  ...{ sent: NUMBER, opened: NUMBER, clicked: NUMBER, unsubscribed: NUMBER, bounced: NUMBER },
  ...{ open_rate: NUMBER, click_rate: NUMBER, unsubscribe_rate: NUMBER, bounce_rate: NUMBER },
};
export const WEBHOOK = {
  id: ID,
  account_id: ID,
  url: TEXT,
  topic: TEXT,
  group: orNull(ID),
  total_deliveries: NUMBER,
  total_failures: NUMBER,
  response_time: NUMBER,
  status: 'ACTIVE',
};
export const HAS_MORE = { has_more_not_deleted_subscribers: BOOLEAN };
