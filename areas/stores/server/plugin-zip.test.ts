// The plugins that the stores screen offers: their files, their preconfigured connection, and the
// PrestaShop module against this server, with a stub of PrestaShop's API. Parts that need PHP run
// only if it is installed.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import yauzl from 'yauzl';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { createColleague } from '#testing/worlds/colleagues.ts';
import { PLUGIN_PLATFORMS } from '../shared.ts';
import { buildPluginZip } from './plugin-zip.ts';

const CLIENTS = join(import.meta.dirname, '../../../clients');
const API = '/client-api/api/store-plugins';
const hasPhp = spawnSync('php', ['-v']).status === 0;
const hasCurl =
  spawnSync('php', ['-r', 'exit(function_exists("curl_init") ? 0 : 1);']).status === 0;
/** Whether the operating system's packages of WordPress and its database server are installed. */
const hasWordPress =
  existsSync('/usr/share/wordpress/wp-load.php') &&
  spawnSync('mariadbd', ['--version']).status === 0;
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

const openZip = promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer);

async function filesOf(zip: Buffer): Promise<Map<string, string>> {
  const archive = await openZip(zip, { lazyEntries: true });
  const files = new Map<string, string>();
  await new Promise<void>((resolve, fail) => {
    archive.on('end', resolve).on('error', fail);
    archive.on('entry', (entry: yauzl.Entry) => {
      archive.openReadStream(entry, async (error, stream) => {
        if (error) return fail(error);
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        files.set(entry.fileName, Buffer.concat(chunks).toString());
        archive.readEntry();
      });
    });
    archive.readEntry();
  });
  return files;
}

test.each(PLUGIN_PLATFORMS)(
  'the %s plugin has its own files and a working token',
  async (platform) => {
    const owner = await server.owner();
    const { status, body } = await owner.post(API, { platform });
    expect([status, body.data.name]).toEqual([200, `sendloom-${platform}.zip`]);
    const files = await filesOf(Buffer.from(body.data.content, 'base64'));
    const connection = files.get('sendloom/connection.php') ?? '';
    const [, token = ''] = /'token' => '(sl_[\w-]+)'/.exec(connection) ?? [];
    const bearer = { authorization: `Bearer ${token}` };
    expect((await server.client().get('/v2/users', bearer)).status).toBe(200);
    // The token cannot download a plugin, and unknown platforms are refused.
    expect((await server.client().post(API, { platform }, bearer)).status).toBe(403);
    expect((await owner.post(API, { platform: 'magento' })).status).toBe(422);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['sendloom/LICENSE', 'sendloom/sendloom.php']),
    );
    for (const [name, text] of files) {
      expect(name).toMatch(/^sendloom\/[\w./-]+$/);
      expect(name).not.toContain('test/');
      if (name === 'sendloom/connection.php') continue;
      expect(text).toBe(
        readFileSync(join(CLIENTS, platform, name.slice('sendloom/'.length)), 'utf8'),
      );
    }
  },
);

test('a user without all rights of the token cannot download a plugin', async () => {
  const owner = await server.owner();
  const colleague = await createColleague(server, owner, ['people.change']);
  const { status, body } = await colleague.post(API, { platform: 'wordpress' });
  expect([status, body]).toMatchObject([
    403,
    { code: 'right_not_yours', message: expect.stringContaining('rights that you have yourself') },
  ]);
});

test('quotes in connection values are escaped', async () => {
  const files = await filesOf(
    await buildPluginZip('wordpress', { address: "x'\\.evil(", token: 't' }),
  );
  expect(files.get('sendloom/connection.php')).toContain(String.raw`'address' => 'x\'\\.evil('`);
});

test('the WordPress plugin has at most a thousand lines of PHP, and none of its files runs on direct request', async () => {
  const files = await filesOf(await buildPluginZip('wordpress', { address: 'x', token: 't' }));
  files.delete('sendloom/connection.php');
  const php = [...files].filter(([name]) => name.endsWith('.php'));
  expect(php.reduce((lines, [, text]) => lines + text.split('\n').length - 1, 0)).toBeLessThan(
    1001,
  );
  for (const [name, text] of php)
    expect(text, name).toMatch(/defined\( '(ABSPATH|WP_UNINSTALL_PLUGIN)' \) \|\| exit;/);
  expect(files.get('sendloom/sendloom.php')).toContain('License:           GPL-2.0-or-later');
});

/** Returns the output of a process that must succeed. */
function outputOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve, fail) =>
    child.on('close', (status) => {
      const text = Buffer.concat(output).toString();
      if (status === 0) resolve(text);
      else fail(new Error(text));
    }),
  );
}

async function listening(): Promise<{ port: number }> {
  if (!server.app.server.listening) await server.app.listen({ port: 0, host: '127.0.0.1' });
  return server.app.server.address() as { port: number };
}

describe('with PHP', () => {
  test.skipIf(!hasPhp).each(PLUGIN_PLATFORMS)(
    'all PHP files of the %s plugin have valid syntax',
    async (platform) => {
      const files = await filesOf(await buildPluginZip(platform, { address: "a'\\", token: 't' }));
      for (const [name, text] of files) {
        if (!name.endsWith('.php')) continue;
        const { status, stdout } = spawnSync('php', ['-l'], { input: text, encoding: 'utf8' });
        expect(status, `${name}: ${stdout}`).toBe(0);
      }
    },
  );

  test.skipIf(!hasCurl)(
    'the PrestaShop module connects, syncs, reports carts, orders and consent, and leaves no settings',
    async () => {
      const owner = await server.owner();
      await server.app.listen({ port: 0, host: '127.0.0.1' });
      const { port } = server.app.server.address() as { port: number };
      const client = await publicClient(server, owner);
      const group = (await client.post('/groups', { title: 'Buyers' })).body.data;
      const args = [`http://127.0.0.1:${port}`, client.token, String(group.id)];
      const script = join(CLIENTS, 'prestashop/test/try.php');
      const output: unknown = JSON.parse(await outputOf(spawn('php', [script, ...args])));
      expect(output).toEqual({ isConnected: true, waiting: 0, sync: '', settings: [] });
      const stores = (await owner.get('/client-api/api/connected-stores')).body.data;
      // The uninstallation disconnected the store; its data remains.
      expect(stores).toEqual([]);
      const orders = (await owner.get('/client-api/api/store-orders')).body.data;
      expect(orders).toMatchObject([{ total: 30, email: 'bo@mail.example', state: 'placed' }]);
      const subscribers = (await owner.get('/client-api/api/subscribers')).body.data;
      expect(subscribers).toMatchObject([
        { email: 'bo@mail.example', firstname: 'Bo', status: { email: 'active' } },
      ]);
      const members = (await client.get(`/groups/${group.id}/subscribers`)).body.data;
      expect(members).toMatchObject([{ email: 'bo@mail.example' }]);
    },
  );

  test.skipIf(!hasWordPress)(
    'the WordPress plugin works on a real WordPress installation',
    { timeout: 180_000 },
    async () => {
      const owner = await server.owner();
      const { port } = await listening();
      const { token } = await publicClient(server, owner);
      const script = join(CLIENTS, 'wordpress/test/try.sh');
      const child = spawn('sh', [script, `http://127.0.0.1:${port}`, token]);
      expect(await outputOf(child)).toContain('All steps passed.');
      expect((await owner.get('/client-api/api/connected-stores')).body.data).toEqual([]);
    },
  );
});
