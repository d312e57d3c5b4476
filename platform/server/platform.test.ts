// Tests small parts of the platform: configuration, IDs, lists, files, secrets, languages.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { idOf, line, listQuery } from '../contract.ts';
import { decodeId, decodePublicId, encodeId, encodePublicId, KINDS, type Kind } from '../ids.ts';
import { parseAcceptLanguage } from '../languages.ts';
import { ConfigError, loadConfig, findMisspelled, withFileSettings } from './config.ts';
import { diskFiles, type FileStore } from './files/files.ts';
import { s3Files } from './files/files-s3.ts';
import { fieldErrors } from './http/field-errors.ts';
import { buildListResponse, type Slice, toListMeta } from './database/lists.ts';
import { configureSecrets, computeKeyedHash, seal, unseal } from './secrets.ts';

const folder = await mkdtemp(path.join(os.tmpdir(), 'sendloom-platform-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('an empty environment gives laptop defaults: loopback, open sign-up, disk', () => {
  expect(loadConfig({})).toMatchObject({
    isProduction: false,
    port: 3000,
    host: '127.0.0.1',
    publicUrl: 'http://localhost:3000',
    signUp: 'open',
    files: { kind: 'disk' },
  });
});

test.each<[Record<string, string>, RegExp]>([
  [{ PORT: 'many' }, /^PORT is invalid/],
  [{ SMTP_URL: 'http://relay' }, /^SMTP_URL is invalid/],
  [{ SECRET: 'short' }, /^SECRET is invalid: needs at least 32 characters/],
  [{ PUBLIC_URL: 'https://news.shop.example' }, /^SECRET is required in production/],
  [{ NODE_ENV: 'production', SECRET: 'x'.repeat(32) }, /^SMTP_URL is required in production/],
  [{ FILES_BUCKET_URL: 'https://s3.example/b' }, /requires FILES_ACCESS_KEY/],
  [{ PORT: '70000' }, /^PORT is invalid: must be 65535 or less\.$/],
  [{ DATABASE_CONNECTIONS: '1.5' }, /^DATABASE_CONNECTIONS is invalid: must be a whole number\.$/],
  [{ LEDGER_DAYS: 'ninety' }, /^LEDGER_DAYS is invalid: must be a whole number\.$/],
  [{ SIGN_UP: 'yes' }, /^SIGN_UP is invalid: must be one of open, first, closed\.$/],
  [{ PUBLIC_URL: 'news.shop.example' }, /^PUBLIC_URL is invalid: must be an address that starts/],
  [{ DATABASE_URL: 'mysql://db' }, /^DATABASE_URL is invalid: must be .* postgres:\/\//],
  [{ LETTERS_FROM: 'news' }, /^LETTERS_FROM is invalid: must be an email address\.$/],
  [{ FONTS_URL: 'no' }, /^FONTS_URL is invalid: must be off, or an address/],
  ...['https://errors.example/1', 'https://key@errors.example', 'key@errors.example/1'].map(
    (value): [Record<string, string>, RegExp] => [
      { SENTRY_DSN: value },
      /^SENTRY_DSN is invalid: must be /,
    ],
  ),
  ...['https://chat.example; script-src *', 'chat.example wss://chat.example', '*', 'a,'].map(
    (value): [Record<string, string>, RegExp] => [
      { THIRD_PARTY_HOSTS: value },
      /^THIRD_PARTY_HOSTS is invalid: must be hosts, separated by commas/,
    ],
  ),
  ...['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET', 'MICROSOFT_CLIENT_ID'].map(
    (name): [Record<string, string>, RegExp] => [
      { [name]: 'x' },
      /^(GOOGLE|MICROSOFT)_CLIENT_ID and \1_CLIENT_SECRET must be set together\.$/,
    ],
  ),
  ...['yes', 'true', '10.0.0.0/33', '10.0.0.1, proxy', '-1', '::/129'].map(
    (value): [Record<string, string>, RegExp] => [
      { TRUST_PROXY: value },
      /^TRUST_PROXY is invalid: must be the number of proxies/,
    ],
  ),
  ...['foo', '1.1.1.1,', '1.1.1.1:0', '9.9.9.9:70000', '[::1'].map(
    (value): [Record<string, string>, RegExp] => [
      { DNS_SERVERS: value },
      /^DNS_SERVERS is invalid: must be IP addresses/,
    ],
  ),
  ...['bounces', 'https://bounces.shop.example', 'a..example', '127.0.0.1', 'b@shop.example'].map(
    (value): [Record<string, string>, RegExp] => [
      { BOUNCE_DOMAIN: value },
      /^BOUNCE_DOMAIN is invalid: must be a domain name/,
    ],
  ),
  ...['boss', 'boss@loom.example other'].map((value): [Record<string, string>, RegExp] => [
    { OPERATOR_EMAILS: value },
    /^OPERATOR_EMAILS is invalid: must be email/,
  ]),
  [{ SUBMISSION_PORT: '3000' }, /^PORT and SUBMISSION_PORT are both 3000 of the same address/],
  [{ PORT: '3000', METRICS_PORT: '3000' }, /^PORT and METRICS_PORT are both 3000/],
  [
    { SUBMISSION_PORT: '587', SUBMISSION_TLS_PORT: '587' },
    /^SUBMISSION_PORT and SUBMISSION_TLS_PORT are both 587/,
  ],
  [
    { HOST: '0.0.0.0', PORT: '2525', BOUNCE_DOMAIN: 'b.shop.example', RETURN_SMTP_PORT: '2525' },
    /^PORT and RETURN_SMTP_PORT are both 2525/,
  ],
])('an invalid environment prevents startup with a one-sentence error: %o', (env, sentence) => {
  expect(() => loadConfig(env)).toThrow(ConfigError);
  expect(() => loadConfig(env)).toThrow(sentence);
});

test('address, network and port settings are accepted in each valid form', () => {
  const valid = {
    TRUST_PROXY: '10.0.0.0/8, ::1, loopback',
    DNS_SERVERS: '9.9.9.9, 127.0.0.1:5353, ::1, [2620:fe::fe]:53',
    BOUNCE_DOMAIN: 'bounces.xn--bcher-kva.example',
    THIRD_PARTY_HOSTS: 'https://*.chat.example, wss://chat.example:8443,chat.example',
    SENTRY_DSN: 'https://key@errors.example/sentry/3',
    OPERATOR_EMAILS: 'Boss@loom.example, other@loom.example',
    SUBMISSION_HOST: '192.0.2.1',
    SUBMISSION_PORT: '3000',
    PORT: '3000',
    METRICS_PORT: '0',
    INBOX_SMTP_PORT: '0',
  };
  expect(loadConfig(valid)).toMatchObject({
    trustProxy: '10.0.0.0/8, ::1, loopback',
    dnsServers: ['9.9.9.9', '127.0.0.1:5353', '::1', '[2620:fe::fe]:53'],
    bounceDomain: 'bounces.xn--bcher-kva.example',
    thirdParties: {
      hosts: ['https://*.chat.example', 'wss://chat.example:8443', 'chat.example'],
      sentryDsn: 'https://key@errors.example/sentry/3',
    },
    billing: { operatorEmails: ['boss@loom.example', 'other@loom.example'] },
  });
  expect(loadConfig({ TRUST_PROXY: '2' }).trustProxy).toBe(2);
  expect(loadConfig({ TRUST_PROXY: 'none' }).trustProxy).toBe(false);
  // A sender that runs alone serves no pages, so it may use any port.
  expect(loadConfig({ METRICS_PORT: '3000' }).metrics?.port).toBe(3000);
});

test('only variables that resemble a setting are reported as misspelled', () => {
  const invalidEnv = {
    SMPT_URL: 'x',
    smtp_url: 'x',
    DATABASE_URI: 'x',
    DNS_SERVER: 'x',
    SECERT_FILE: 'x',
    METRIC_PORTS: 'x',
  };
  expect(findMisspelled(invalidEnv)).toEqual([
    { name: 'SMPT_URL', setting: 'SMTP_URL' },
    { name: 'smtp_url', setting: 'SMTP_URL' },
    { name: 'DATABASE_URI', setting: 'DATABASE_URL' },
    { name: 'DNS_SERVER', setting: 'DNS_SERVERS' },
    { name: 'SECERT_FILE', setting: 'SECRET' },
    { name: 'METRIC_PORTS', setting: 'METRICS_PORT' },
  ]);
  const commonNames =
    'PATH HOME USER SHELL TERM LANG PWD SHLVL LOGNAME MAIL HOSTNAME HOSTTYPE TMPDIR DISPLAY EDITOR NODE_OPTIONS ' +
    'NODE_PATH PGHOST PGPORT PGUSER XDG_DATA_DIRS XDG_DATA_HOME SSH_AUTH_SOCK DEBUG CI VITEST PORTS HOSTS ' +
    'INVOCATION_ID JOURNAL_STREAM KUBERNETES_PORT KUBERNETES_SERVICE_HOST npm_config_cache SMTP_URL SECRET_FILE BILLING_FILE';
  expect(
    findMisspelled(Object.fromEntries(commonNames.split(' ').map((name) => [name, 'x']))),
  ).toEqual([]);
});

test('a setting can be read from the file that its _FILE variable names', async () => {
  const file = path.join(folder, 'smtp-url');
  const env = (name: string, value = file) => ({ [name]: value }) as Record<string, string>;
  await writeFile(file, 'smtp://user:pass@relay:587\r\n\n');
  expect(loadConfig(env('SMTP_URL_FILE')).smtpUrl).toBe('smtp://user:pass@relay:587');
  expect(loadConfig({ ...env('SMTP_URL_FILE'), SMTP_URL: '' }).smtpUrl).toMatch('relay');
  expect(loadConfig(env('SMTP_URL_FILE', '')).smtpUrl).toBeUndefined();
  // The _FILE variable is removed, so that a process that inherits the environment finds only one
  // of the two variables.
  expect(withFileSettings({ ...env('SMTP_URL_FILE'), LANG: 'C' })).toEqual({
    SMTP_URL: 'smtp://user:pass@relay:587',
    LANG: 'C',
  });
  // BILLING_FILE is a separate setting, not the file that contains BILLING.
  const billing = loadConfig(env('BILLING_FILE')).billing;
  expect([billing.mode, billing.file]).toEqual(['test', file]);

  const refusal = (invalidEnv: Record<string, string>) => {
    try {
      loadConfig(invalidEnv);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as Error).message;
    }
    return 'no refusal';
  };
  const bothEnv = { ...env('SMTP_URL_FILE'), SMTP_URL: 'smtp://relay' };
  expect(refusal(bothEnv)).toBe('SMTP_URL and SMTP_URL_FILE are both set: remove one of them.');
  expect(refusal(env('SECRET_FILE', `${file}.gone`))).toBe(
    `SECRET_FILE refers to ${file}.gone, which cannot be read (the file does not exist).`,
  );
  expect(refusal(env('SECRET_FILE', folder))).toContain('it is a folder');
  expect(refusal(env('SECRET_FILE', '/dev/null'))).toContain('which is empty');
  expect(refusal(env('SECRET_FILE'))).toMatch(/^SECRET is invalid: needs at least 32/);
});

test('by default, production allows only the first account to sign up', () => {
  const env = {
    PUBLIC_URL: 'https://news.shop.example/',
    SECRET: 'x'.repeat(32),
    SMTP_URL: 'smtp://relay:587',
  };
  expect(loadConfig(env)).toMatchObject({
    signUp: 'first',
    publicUrl: 'https://news.shop.example',
  });
  expect(loadConfig({ ...env, SIGN_UP: 'closed' }).signUp).toBe('closed');
});

test('an ID decodes only as its own kind and in its exact spelling', () => {
  const kinds = Object.keys(KINDS) as Kind[];
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds),
      fc.constantFrom(...kinds),
      fc.nat(2 ** 40),
      (kind, other, n) => {
        const id = encodeId(kind, n);
        expect(id.length).toBeGreaterThanOrEqual(6);
        expect(decodeId(kind, id)).toBe(n);
        if (other !== kind) expect(decodeId(other, id)).toBeUndefined();
        expect(decodePublicId(kind, id)).toBeUndefined();
        expect(decodePublicId(kind, encodePublicId(kind, 7, n))).toEqual({ accountId: 7, id: n });
      },
    ),
  );
  fc.assert(
    fc.property(fc.string(), (nonsense) => {
      const id = decodeId('group', nonsense);
      return id === undefined || encodeId('group', id) === nonsense;
    }),
  );
});

test('lists parse order, direction and no_paginate in each spelling', () => {
  const schema = listQuery(
    { sorts: ['title', 'created'], order: 'created' },
    { status: z.string().optional() },
  );
  const parseQuery = (query: Record<string, string>) => schema.parse(query);
  expect(parseQuery({}).list).toEqual({
    page: 1,
    perPage: 10,
    order: 'created',
    direction: 'desc',
    isUnpaginated: false,
    search: undefined,
  });
  expect(parseQuery({ order: 'title', direction: 'ASC' }).list).toMatchObject({
    order: 'title',
    direction: 'asc',
  });
  expect(parseQuery({ order: 'title DESC' }).list).toMatchObject({
    order: 'title',
    direction: 'desc',
  });
  const links = listQuery({ sorts: ['position', 'url'], sortAliases: { title: 'url' } });
  expect(links.parse({ order: 'title', direction: 'desc' }).list).toMatchObject({
    order: 'url',
    direction: 'desc',
  });
  // A list without the requested column uses its default order.
  expect(parseQuery({ order: 'modified', page: '3', limit: '25' }).list).toMatchObject({
    order: 'created',
    page: 3,
    perPage: 25,
  });
  expect(parseQuery({ no_paginate: 'true', status: 'SENT' })).toMatchObject({
    status: 'SENT',
    list: { isUnpaginated: true },
  });
  for (const invalid of [
    { page: '0' },
    { page: 'x' },
    { limit: '100000' },
    { unknown: '1' },
    { order: 'drop table' },
    { direction: 'sideways' },
  ]) {
    expect(schema.safeParse(invalid).success).toBe(false);
  }
  expect(toListMeta(parseQuery({ page: '3' }).list, 25, 5)).toEqual({
    from: 21,
    to: 25,
    page: 3,
    pageCount: 3,
    total: 25,
    perPage: 10,
  });
  expect(toListMeta(parseQuery({}).list, 0, 0)).toEqual({
    from: null,
    to: null,
    page: 1,
    pageCount: 1,
    total: 0,
    perPage: 10,
  });
});

test.each([
  [9_999, undefined],
  [10_000, undefined],
  [10_001, { from: 1, to: 10_000, page: 1, pageCount: 2, total: 10_001, perPage: 10_000 }],
])('a request for all of %i rows has meta only if rows are missing', async (total, meta) => {
  const { list } = listQuery({ sorts: ['title'] }).parse({ no_paginate: '1' });
  const rows = async ({ limit, offset }: Slice) =>
    Array.from({ length: total }, (_, row) => row).slice(offset, offset + limit);
  const answer = await buildListResponse(list, { rows, total: async () => total }, (row) => row);
  expect([answer.data.length, answer.meta]).toEqual([Math.min(total, 10_000), meta]);
});

test('each invalid field has the code of its error', () => {
  const schema = z.strictObject({
    email: z.email(),
    title: line(5, 1),
    group: idOf('group'),
    list: z.array(z.number()).max(1),
  });
  const invalidBody = { email: 'no', title: 'a\r\nb', group: 'nonsense', list: [1, 2], extra: 1 };
  expect(fieldErrors(schema.safeParse(invalidBody).error?.issues ?? [])).toEqual({
    email: ['errors.fields.email'],
    title: ['errors.fields.characters'],
    group: ['errors.unknown_id'],
    list: ['errors.fields.many?max=1'],
    extra: ['errors.fields.unknown'],
  });
  expect(fieldErrors(schema.safeParse({}).error?.issues ?? [])).toMatchObject({
    email: ['errors.fields.required'],
    title: ['errors.fields.required'],
  });
});

test('the supported language with the highest preference is chosen', () => {
  expect(parseAcceptLanguage('de-DE, lv;q=0.8, en;q=0.9')).toBe('eng');
  expect(parseAcceptLanguage('nb-NO,nb;q=0.9')).toBe('nor');
  expect(parseAcceptLanguage('de')).toBeUndefined();
  expect(parseAcceptLanguage(undefined)).toBeUndefined();
  fc.assert(
    fc.property(fc.string(), (header) => {
      parseAcceptLanguage(header);
    }),
  );
});

test('a sealed value can be unsealed only for its purpose and only if unmodified', () => {
  configureSecrets('a secret of the tests, thirty-two characters and more');
  const sealedText = seal('relay password', 'gehéim');
  expect(unseal('relay password', sealedText)).toBe('gehéim');
  expect(() => unseal('something else', sealedText)).toThrow();
  // A shorter tag would be easier to forge.
  const sealedEmpty = seal('relay password', '');
  expect(unseal('relay password', sealedEmpty)).toBe('');
  expect(() => unseal('relay password', sealedEmpty.subarray(0, 12 + 8))).toThrow();
  sealedText[sealedText.length - 1] = (sealedText.at(-1) ?? 0) ^ 1;
  expect(() => unseal('relay password', sealedText)).toThrow();
  expect(computeKeyedHash('a', 'x').equals(computeKeyedHash('b', 'x'))).toBe(false);
});

async function readAll(stream: Readable | undefined): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream ?? []) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

async function expectStoresFiles(store: FileStore): Promise<void> {
  expect(await store.get('imports/1/none.csv')).toBeUndefined();
  expect(await store.put('imports/1/people.csv', Readable.from(['a,b\n', '1,2\n']))).toBe(8);
  expect(await store.size('imports/1/people.csv')).toBe(8);
  expect(await readAll(await store.get('imports/1/people.csv'))).toBe('a,b\n1,2\n');
  const range = { start: 2, end: 5 };
  expect(await readAll(await store.get('imports/1/people.csv', range))).toBe('b\n1');
  expect(await store.get('imports/1/none.csv', range)).toBeUndefined();
  expect(await Array.fromAsync(store.list())).toEqual(['imports/1/people.csv']);
  await store.remove('imports/1/people.csv');
  await store.remove('imports/1/people.csv');
  expect(await store.size('imports/1/people.csv')).toBeUndefined();
}

test('disk files are written completely or not at all, never outside their folder', async () => {
  const store = diskFiles(path.join(folder, 'files'));
  await expectStoresFiles(store);
  const broken = Readable.from(
    (async function* () {
      yield 'half';
      throw new Error('the upload was interrupted');
    })(),
  );
  await expect(store.put('imports/2/half.csv', broken)).rejects.toThrow('was interrupted');
  expect(await store.get('imports/2/half.csv')).toBeUndefined();
  expect(await readdir(path.join(folder, 'files/imports/2'))).toEqual([]);
  for (const key of ['../secret', '/etc/passwd', 'a/../../b', '']) {
    await expect(store.put(key, Readable.from(['x']))).rejects.toThrow('Not a file key');
  }
});

test('files in an S3-compatible bucket are stored with signed requests and behave like files on disk', async () => {
  const objects = new Map<string, Buffer>();
  const authorizations: string[] = [];
  const bucket = createServer(async (request, response) => {
    const key = request.url ?? '';
    authorizations.push(String(request.headers.authorization));
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    if (request.method === 'PUT') {
      expect(Number(request.headers['content-length'])).toBe(body.length);
      objects.set(key, body);
      response.end();
    } else if (request.method === 'DELETE') {
      objects.delete(key);
      response.writeHead(204).end();
    } else if (key.includes('list-type=2')) {
      const keys = [...objects.keys()].map((key) => `<Key>${key.slice('/bucket/'.length)}</Key>`);
      response.end(`<ListBucketResult>${keys.join('')}</ListBucketResult>`);
    } else if (!objects.has(key)) response.writeHead(404).end();
    else {
      const [, start, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      const object = objects.get(key) as Buffer;
      const content =
        start === undefined ? object : object.subarray(Number(start), Number(last) + 1);
      response.writeHead(start === undefined ? 200 : 206, { 'content-length': content.length });
      response.end(request.method === 'HEAD' ? undefined : content);
    }
  });
  await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve));
  const { port } = bucket.address() as { port: number };
  try {
    await expectStoresFiles(
      s3Files({
        kind: 's3',
        bucketUrl: `http://127.0.0.1:${port}/bucket`,
        accessKey: 'AKIDEXAMPLE',
        secretKey: 'secret',
        region: 'eu-north-1',
      }),
    );
    expect(
      authorizations.every((value) =>
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-north-1\/s3\/aws4_request, /.test(
          value,
        ),
      ),
    ).toBe(true);
  } finally {
    bucket.close();
  }
});
