// Trials of an unsaved relay over HTTP. Replies of relays are covered by the tests of each kind.
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { relaySettings } from '#testing/worlds/relay-settings.ts';
import { type TestClient, testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';

const URL_ = '/client-api/api/relays';
const server = await testServer();

beforeEach(() => allowPrivateAddresses(true));

async function startServer(options: Parameters<typeof startSmtpServer>[0] = {}) {
  const relay = await startSmtpServer(options);
  onTestFinished(() => relay.close());
  return relay;
}

async function add(owner: TestClient, port: number, changes: object = {}) {
  return (await owner.post(URL_, relaySettings(port, changes))).body.data;
}

const typedSettings = (port: number, changes: object = {}) => {
  const { title, kind, host, tls, username, password, chunking } = relaySettings(port);
  const settings = { title, kind, host, port, tls, username, password, chunking };
  return { from: 'news@tea.example', ...settings, ...changes };
};

test('a relay trial uses the entered or stored password and stores nothing', async () => {
  const auth = { user: 'ada', password: 'sesame open' };
  const relay = await startServer({ auth });
  const otherRelay = await startServer();
  const owner = await server.owner('typed@shop.example');
  const typedRelay = (changes: object = {}) =>
    typedSettings(relay.port, { username: auth.user, ...changes });
  const attempt = (body: object, client = owner) => client.post(`${URL_}/test`, body);
  const result = await attempt(typedRelay({ password: auth.password }));
  expect(result.body.data).toMatchObject({ accepted: true, code: 'accepted' });
  expect(result.text).not.toContain('sesame');
  expect(relay.accepted.map(({ to }) => to)).toEqual([['typed@shop.example']]);
  expect((await owner.get(URL_)).body.data).toEqual([]);
  expect((await attempt(typedRelay({ password: 'wrong' }))).body.data.code).toBe('sign_in');

  const created = await add(owner, relay.port, { username: auth.user, password: auth.password });
  expect((await attempt(typedRelay({ known: created.id }))).body.data.accepted).toBe(true);
  const relayBefore = (await owner.get(`${URL_}/${created.id}`)).body.data;
  expect(relayBefore.health).toMatchObject({ state: 'unknown', reply: null });
  // The stored password is sent to no other host.
  for (const elsewhere of [{ port: otherRelay.port }, { host: 'localhost' }]) {
    const { status, body } = await attempt(typedRelay({ known: created.id, ...elsewhere }));
    expect([status, Object.keys(body.errors)]).toEqual([422, ['password']]);
  }
  const outsider = await server.owner();
  expect((await attempt(typedRelay({ known: created.id }), outsider)).status).toBe(404);
  expect(otherRelay.connections.total).toBe(0);
});

test('a relay trial validates settings as saving does, and shares a rate limit with trials of saved relays', async () => {
  const relay = await startServer();
  const owner = await server.owner();
  const attempt = (changes: object) =>
    owner.post(`${URL_}/test`, typedSettings(relay.port, changes));
  const fieldsOf = async (changes: object) => {
    const { status, body } = await attempt(changes);
    expect(status).toBe(422);
    return Object.keys(body.errors);
  };
  expect(await fieldsOf({ host: 'mail.tea.example' })).toEqual(['tls']);
  expect(await fieldsOf({ kind: 'ses', tls: 'implicit' })).toEqual(['username']);
  expect(await fieldsOf({ port: 0, from: 'nobody' })).toEqual(['from', 'port']);
  allowPrivateAddresses(false);
  expect(await fieldsOf({})).toEqual(['host']);
  allowPrivateAddresses(true);
  expect(relay.connections.total).toBe(0);
  const created = await add(owner, relay.port);
  const statuses = [];
  for (let i = 0; i < 12; i++) statuses.push((await attempt({})).status);
  expect(statuses.at(-1)).toBe(429);
  const response = await owner.post(`${URL_}/${created.id}/test`, { from: 'news@tea.example' });
  expect(response.status).toBe(429);
});
