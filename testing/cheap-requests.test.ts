// Requests that are cheap to send are answered quickly and without errors. Each of these once took
// seconds, used much memory, or failed.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from 'kysely';
import { isZone } from '#areas/accounts/server/zones.ts';
import { allRoutes } from '#main/wiring.ts';
import { encodeId } from '#platform/ids.ts';
import { testServer } from './setup/server.ts';

const server = await testServer();
const API = '/client-api/api';

async function expectWithin<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  expect(performance.now() - startedAt).toBeLessThan(ms);
  return result;
}

test.each(['0020-02-29', '0999-12-31', '0000-01-01', '1999-12-31', '2101-01-01', '9999-12-31'])(
  'the day %s is refused as a bound of a report',
  async (day) => {
    const owner = await server.owner();
    for (const name of ['dashboard_sending', 'dashboard_subscribers']) {
      for (const end of ['to', 'from']) {
        const url = `${API}/accounts/${name}?${end}=${day}`;
        const response = await expectWithin(5_000, () => owner.get(url));
        expect(response.status).toBe(422);
        expect(response.body.errors).toHaveProperty(end);
      }
    }
  },
);

test('unknown field names get an error that lists at most twenty, and too many fields are refused immediately', async () => {
  const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`x${i}`, 1]));
  const tooLarge = await expectWithin(2_000, () =>
    server.client().post('/auth/api/sign-in', fields),
  );
  expect(tooLarge.status).toBe(413);
  const owner = await server.owner();
  const manyFields = Object.fromEntries(Object.entries(fields).slice(0, 50_000));
  const refusal = await expectWithin(1_000, () => owner.patch(`${API}/accounts`, manyFields));
  expect(refusal.status).toBe(422);
  expect(Object.keys(refusal.body.errors)).toEqual(['body']);
  const fewFields = Object.fromEntries(Object.entries(fields).slice(0, 1_900));
  const response = await expectWithin(3_000, () => owner.patch(`${API}/accounts`, fewFields));
  expect(response.status).toBe(422);
  expect(Object.keys(response.body.errors)).toHaveLength(20);
  expect(response.text.length).toBeLessThan(5_000);
});

test('sign-in attempts from one address get 429 before their body is read', async () => {
  const client = server.client();
  const statuses = new Set<number>();
  for (let i = 0; i < 700 && !statuses.has(429); i++) {
    const response = await client.send({
      method: 'POST',
      url: '/auth/api/sign-in',
      payload: 'no JSON',
      headers: { 'content-type': 'application/json' },
      remoteAddress: '10.99.0.1',
    });
    statuses.add(response.status);
  }
  expect([...statuses]).toEqual([422, 429]);
});

test('IDs beyond the range of the database are not found', async () => {
  const owner = await server.owner();
  for (const id of ['z'.repeat(12), 'z'.repeat(20), 'z'.repeat(60), 'constructor', '__proto__']) {
    for (const label of ['tags', 'campaigns', 'filters', 'subscribers']) {
      expect((await owner.get(`${API}/${label}/${id}`)).status, `${label} ${id}`).toBe(404);
    }
  }
  expect((await owner.get(`${API}/tags/${encodeId('group', 2 ** 53 - 1)}`)).status).toBe(404);
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'the name %s is refused like any other unknown name',
  async (name) => {
    const owner = await server.owner();
    const hostileBody = JSON.parse(`{"${name}": {"${name}": [1]}, "type": {"toString": 1}}`);
    for (const [method, url] of [
      ['POST', '/auth/api/sign-in'],
      ['PATCH', `${API}/accounts`],
      ['POST', `${API}/tags`],
      ['POST', `${API}/fields`],
      ['POST', `${API}/filters`],
      ['POST', `${API}/subscribers`],
    ] as const) {
      const response = await owner.send({ method, url, payload: hostileBody });
      expect(response.status, url).toBeGreaterThanOrEqual(400);
      expect(response.status, url).toBeLessThan(500);
    }
    for (const label of ['tags', 'subscribers', 'campaigns']) {
      const query = `order=${name}&direction=${name}&filter=${name},${name},${name},1,and,and,${name}`;
      expect((await owner.get(`${API}/${label}?${query}`)).status).toBeLessThan(500);
      expect((await owner.get(`${API}/${label}?${name}=1`)).status).toBeLessThan(500);
    }
    expect((await owner.get(`/inbox/files/${name}`)).status).toBe(404);
  },
);

test('a multipart request without a boundary, or with a malformed boundary or body, is refused', async () => {
  const owner = await server.owner();
  for (const type of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=x',
    'multipart/mixed; boundary="',
  ]) {
    for (const url of [`${API}/images`, `${API}/imports/upload`]) {
      const response = await owner.send({
        method: 'POST',
        url,
        headers: { 'content-type': type },
        payload: '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nno end',
      });
      expect(response.status, `${type} ${url}`).toBeGreaterThanOrEqual(400);
      expect(response.status, `${type} ${url} ${response.text}`).toBeLessThan(500);
    }
  }
});

test('every accepted time zone is also valid in PostgreSQL', async () => {
  const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC', 'Etc/GMT+5', 'Asia/Kolkata'];
  expect(zones.filter((zone) => !isZone(zone))).toEqual([]);
  const text = sql.join(zones.map((zone) => sql`now() at time zone ${zone}`));
  await sql`select ${text}`.execute(server.db);
  const owner = await server.owner();
  for (const zone of ['US/Pacific-New', 'PST', 'SystemV/PST8PDT', '+05:00', 'Z']) {
    expect((await owner.patch(`${API}/accounts`, { timezone: zone })).status, zone).toBe(422);
  }
});

test('every call with a date or time refuses values outside this century', () => {
  const problems: string[] = [];
  let checkedCount = 0;
  for (const { call } of allRoutes(server.config)) {
    for (const pathPart of [call.query, call.body]) {
      if (!pathPart) continue;
      for (const [name, format] of datesOf(pathPart)) {
        checkedCount += 1;
        const timePart = format === 'date' ? '' : 'T00:00:00Z';
        for (const day of ['0000-01-01', '0020-02-29', '1999-12-31', '2101-01-01', '9999-12-31']) {
          const { error } = pathPart.safeParse({ [name]: day + timePart });
          if (!error?.issues.some(({ path }) => path[0] === name)) {
            problems.push(`${call.method} ${call.path}: ${name} accepts ${day}`);
          }
        }
      }
    }
  }
  expect(checkedCount).toBeGreaterThan(6);
  expect(problems).toEqual([]);
});

/** Returns the fields of a call that are days or instants, by its schema. */
function datesOf(schema: z.ZodType): [string, string][] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).flatMap(([name, property]): [string, string][] => {
    const format = typeof property === 'object' ? property.format : undefined;
    return format === 'date' || format === 'date-time' ? [[name, format]] : [];
  });
}
