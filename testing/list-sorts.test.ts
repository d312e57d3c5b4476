// Every list with a title, a creation time and a modification time can be sorted by these, in both
// its call and its screen's sort control.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { allRoutes } from '#main/wiring.ts';
import { loadConfig } from '#platform/server/config.ts';
import { testServer } from './setup/server.ts';

const ROOT = join(import.meta.dirname, '..');
const COMMON = ['title', 'created', 'modified'] as const;

const RECORDS = 'records of events, which have one time and no name';
const REPORT_FIGURES = 'figures of a report, which are sorted by value';
const UNCHANGED = 'SMTP users are created and deleted, but never edited';
const EVENT = 'an event type has no modification time; only its description can change';
const WEBHOOK = 'a webhook has no modification time';
const ACCOUNT = 'an account has no modification time';
const SYNCED = 'a product changes in its store, and the time of its sync is meaningless';
const NAMELESS = 'an export has no name';
const INVOICE = 'invoices are numbered in the order of their creation, and never change';
const SUPPRESSION = 'only a keyed hash of the address is stored, without a modification time';

type Exceptions = Record<string, { lacks: readonly (typeof COMMON)[number][]; reason: string }>;

const API = '/client-api/api';
const calls: Exceptions = {
  [`${API}/transactional/{id}/activity`]: { lacks: COMMON, reason: RECORDS },
  [`${API}/smtp_users`]: { lacks: ['modified'], reason: UNCHANGED },
  [`${API}/operator/accounts`]: { lacks: ['modified'], reason: ACCOUNT },
  [`${API}/exports`]: { lacks: ['title'], reason: NAMELESS },
  [`${API}/store-orders`]: { lacks: COMMON, reason: RECORDS },
  [`${API}/store-products`]: { lacks: ['modified'], reason: SYNCED },
  [`${API}/custom_events`]: { lacks: ['modified'], reason: EVENT },
  [`${API}/custom_events/{id}/feed`]: { lacks: COMMON, reason: RECORDS },
  [`${API}/sms/campaign/{id}/report/links/{link}`]: {
    lacks: ['title', 'modified'],
    reason: RECORDS,
  },
  [`${API}/sms/campaign/{id}/report/unsubscribes`]: {
    lacks: ['title', 'modified'],
    reason: RECORDS,
  },
  [`${API}/sms/campaign/{id}/report/failed`]: { lacks: ['title', 'modified'], reason: RECORDS },
  [`${API}/sms/campaign/{id}/report/replies`]: { lacks: ['title', 'modified'], reason: RECORDS },
  [`${API}/workflows/{id}/steps/{stepId}/actions`]: { lacks: COMMON, reason: RECORDS },
  [`${API}/workflows/{id}/people`]: {
    lacks: COMMON,
    reason: 'a run has no name; it is sorted by its start or end',
  },
  [`${API}/billing/email-usage`]: { lacks: ['title', 'modified'], reason: RECORDS },
  [`${API}/invoices`]: { lacks: ['title', 'modified'], reason: INVOICE },
  [`${API}/webhooks`]: { lacks: ['modified'], reason: WEBHOOK },
  [`${API}/webhooks/{id}/deliveries`]: { lacks: ['title', 'modified'], reason: RECORDS },
  [`${API}/campaigns/{id}/report/clicks`]: { lacks: COMMON, reason: REPORT_FIGURES },
  [`${API}/campaigns/{id}/report/links/{link_id}/clicks`]: { lacks: COMMON, reason: RECORDS },
  [`${API}/campaigns/{id}/report/actions`]: { lacks: COMMON, reason: RECORDS },
  [`${API}/campaigns/{id}/report/groups`]: {
    lacks: ['created', 'modified'],
    reason: REPORT_FIGURES,
  },
  [`${API}/suppressions`]: { lacks: ['title', 'modified'], reason: SUPPRESSION },
};

const screens: Exceptions = {
  'transactional/web/smtp-screen.tsx': { lacks: ['modified'], reason: UNCHANGED },
  'transactional/web/activity-screen.tsx': { lacks: COMMON, reason: RECORDS },
  'operator/web/accounts-screen.tsx': { lacks: ['modified'], reason: ACCOUNT },
  'exports/web/exports-screen.tsx': { lacks: ['title'], reason: NAMELESS },
  'stores/web/orders-screen.tsx': { lacks: COMMON, reason: RECORDS },
  'stores/web/products-screen.tsx': { lacks: ['modified'], reason: SYNCED },
  'sms/web/report/report-list.tsx': { lacks: ['title', 'modified'], reason: RECORDS },
  'workflows/web/step-report-screen.tsx': { lacks: COMMON, reason: RECORDS },
  'events/web/events-screen.tsx': { lacks: ['modified'], reason: EVENT },
  'events/web/event-screen.tsx': { lacks: COMMON, reason: RECORDS },
  'billing/web/email-usage.tsx': { lacks: ['title', 'modified'], reason: RECORDS },
  'billing/web/invoices.tsx': { lacks: ['title', 'modified'], reason: INVOICE },
  'webhooks/web/endpoint-screen.tsx': { lacks: ['title', 'modified'], reason: RECORDS },
  'webhooks/web/endpoints-screen.tsx': { lacks: ['modified'], reason: WEBHOOK },
  'reports/web/actions-screen.tsx': { lacks: COMMON, reason: RECORDS },
  'reports/web/links-screen.tsx': { lacks: COMMON, reason: REPORT_FIGURES },
  'reports/web/groups-screen.tsx': { lacks: ['created', 'modified'], reason: REPORT_FIGURES },
  'reports/web/link-screen.tsx': { lacks: COMMON, reason: RECORDS },
  'audience/web/suppressions-screen.tsx': { lacks: ['title', 'modified'], reason: SUPPRESSION },
};

const lacking = (exceptions: Exceptions): Record<string, string[]> =>
  Object.fromEntries(Object.entries(exceptions).map(([name, { lacks }]) => [name, [...lacks]]));

test('the calls of all lists can sort by title, created and modified, apart from declared exceptions', () => {
  const ordersByList: Record<string, string[]> = {};
  let lists = 0;
  for (const { call } of allRoutes(loadConfig({ NODE_ENV: 'test' }))) {
    if (call.method !== 'GET' || call.path.startsWith('/v2/') || !call.query) continue;
    const query = call.query;
    const orderOf = (order: string): string | undefined => {
      // A list of records of one kind requires the parameter `kind`.
      const parsedInputs = [{ order }, { order, kind: 'sent' }].map((input) =>
        query.safeParse(input),
      );
      const parsedInput = parsedInputs.find(({ success }) => success)?.data as {
        list?: { order: string };
      };
      return parsedInput?.list?.order;
    };
    if (orderOf('title') === undefined) continue;
    lists += 1;
    const missing = COMMON.filter((sort) => orderOf(sort) !== sort);
    if (missing.length > 0) ordersByList[call.path] = missing;
  }
  expect(lists).toBeGreaterThan(30);
  expect(ordersByList).toEqual(lacking(calls));
});

test('the screens of all lists offer these sort orders, apart from declared exceptions', () => {
  const files = globSync('*/web/**/*.tsx', { cwd: join(ROOT, 'areas') }).filter(
    (file) => !file.includes('.test.'),
  );
  const ordersByList: Record<string, string[]> = {};
  let lists = 0;
  for (const file of files) {
    const source = readFileSync(join(ROOT, 'areas', file), 'utf8');
    if (
      !/\buseListAddress\(|: ListAddress</.test(source) ||
      !/^const (sorts|SORTS)\b/m.test(source)
    ) {
      expect(source, file).not.toContain('useListAddress(');
      continue;
    }
    lists += 1;
    const [, sorts = ''] = /^const (?:sorts|SORTS) = \[([^\]]*)\]/m.exec(source) ?? [];
    const missing = COMMON.filter((sort) => !sorts.includes(`'${sort}'`));
    if (missing.length > 0) ordersByList[file] = missing;
  }
  expect(lists).toBeGreaterThan(28);
  expect(ordersByList).toEqual(lacking(screens));
});

test('webhooks, SMTP users and SMS senders are sorted in both directions', async () => {
  const server = await testServer({ PRIVATE_HOSTS: 'yes' });
  const owner = await server.owner();
  const names = ['beta', 'alpha', 'gamma'];
  for (const [index, name] of names.entries()) {
    const url = `http://127.0.0.1:8123/${name}`;
    const title = index === 1 ? 'Alpha' : name;
    await owner.post(`${API}/webhooks`, { url, topic: 'bounces/new' });
    await owner.post(`${API}/smtp_users`, { title });
    await sql`
      insert into phones (account_id, kind, value, value_key, use_case, created_at, modified_at)
      values (${owner.accountId}, 'alphanumeric', ${name}, ${`${owner.accountId}${name}`}, 'Offers',
        now() + ${index} * interval '1 s', now() - ${index} * interval '1 s')`.execute(server.db);
  }
  const readList = async (list: string, order: string, direction: string) => {
    const { body } = await owner.get(`${API}/${list}?order=${order}&direction=${direction}`);
    return body.data.map((row: { url?: string; title?: string; value?: string }) =>
      (row.url?.split('/').at(-1) ?? row.title ?? row.value)?.toLowerCase(),
    );
  };
  for (const list of ['webhooks', 'smtp_users', 'phone']) {
    expect(await readList(list, 'title', 'asc')).toEqual(['alpha', 'beta', 'gamma']);
    expect(await readList(list, 'title', 'desc')).toEqual(['gamma', 'beta', 'alpha']);
    expect(await readList(list, 'created', 'asc')).toEqual(names);
    expect(await readList(list, 'created', 'desc')).toEqual(names.toReversed());
  }
  expect(await readList('phone', 'modified', 'asc')).toEqual(names.toReversed());
});
