// A restore point is confirmed only after the WAL up to it is archived. The test uses a server
// without an archive, with a failing archive and with a working archive.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../database/embedded-postgres.ts';
import { makePoint, settleNodes } from './point.ts';

const folder = mkdtempSync(join(tmpdir(), `sendloom-test-${process.pid}-point-`));
const archive = join(folder, 'archive');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the work on a separate server, because changed settings would affect other tests. */
async function onServer(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const server = await startEmbeddedPostgres({ folder: join(folder, 'data'), isTemporary: true });
  const client = new pg.Client({ connectionString: server.url });
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
    await server.stop();
  }
}

const setArchiveCommand = async (client: pg.Client, command: string) => {
  await client.query(`alter system set archive_command = ${pg.escapeLiteral(command)}`);
  await client.query('select pg_reload_conf()');
};

test('a restore point needs a superuser and is confirmed only once its WAL is archived', async () => {
  // The server may run as another user of the system.
  await chmod(folder, 0o755);
  await mkdir(archive);
  await chmod(archive, 0o777);
  await onServer(async (client) => {
    await expect(makePoint(client, 'first', 1_000)).rejects.toThrow(
      /does not archive its WAL.*archive_mode=on/,
    );
    await client.query("alter system set archive_mode = 'on'");
  });
  await onServer(async (client) => {
    await setArchiveCommand(client, 'false');
    await expect(makePoint(client, 'second', 3_000)).rejects.toThrow(
      /(fails to archive|has not archived) [0-9A-F]{24}.*restore to second is not possible yet/,
    );
    await setArchiveCommand(client, `cp %p ${archive}/%f`);
    const [endFile, ...otherFiles] = await makePoint(client, 'third', 90_000);
    expect(otherFiles).toEqual([]);
    const file = join(archive, endFile?.value ?? '');
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file).includes('third')).toBe(true);
    const user = "create role nobody_much login password 'x'; set role nobody_much";
    await client.query(user);
    await expect(makePoint(client, 'fourth', 1_000)).rejects.toThrow(
      'needs a PostgreSQL superuser',
    );
    await client.query('reset role');
    // A single server has no other nodes to agree with.
    expect(await settleNodes(client)).toBeUndefined();
  });
});
