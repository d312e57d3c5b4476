// A single-file backup as written up to the first release: zstd over frames of one letter, the
// length (uint32, big-endian) and the bytes (platform/server/snapshot.ts). Current backups are
// folders.
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { clock } from '#platform/server/clock.ts';
import type { FileStore } from '#platform/server/files.ts';
import { copyPartOut } from '#platform/server/backup/parts.sql.ts';
import * as tables from '#platform/server/snapshot.sql.ts';

const MOST_FRAME = 1 << 20;

type Instance = { databaseUrl: string; secret: string; files: FileStore };

export async function writeOldBackup(instance: Instance, out: Writable): Promise<void> {
  const client = new pg.Client({ connectionString: instance.databaseUrl });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await pipeline(Readable.from(frames(client, instance)), createZstdCompress(), out);
  } finally {
    await client.end();
  }
}

async function* frames(client: pg.Client, { secret, files }: Instance): AsyncGenerator<Buffer> {
  const migrations = await tables.readMigrationNames(client);
  const at = clock.now().toISOString();
  yield jsonFrame('H', { format: 1, product: 'sendloom', at, migrations, secret });
  const reached: Record<string, number> = {};
  const rows: Record<string, number> = {};
  for (const { name, columns, identity } of await tables.readTables(client)) {
    for (const column of identity) {
      reached[`${name}.${column}`] = await tables.readReached(client, name, column);
    }
    yield jsonFrame('T', { name, columns });
    const copy = client.query(copyTo(copyPartOut(name, columns)));
    yield* dataFrames(copy);
    rows[name] = copy.rowCount ?? 0;
  }
  for (const job of await tables.readJobs(client)) yield jsonFrame('J', job);
  let count = 0;
  for await (const key of files.list()) {
    const content = await files.get(key);
    if (!content) continue;
    yield jsonFrame('F', { key });
    yield* dataFrames(content);
    count += 1;
  }
  yield jsonFrame('Z', { rows, files: count, reached });
}

async function* dataFrames(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += MOST_FRAME) {
      yield frame('D', chunk.subarray(at, at + MOST_FRAME));
    }
  }
  yield frame('E', Buffer.alloc(0));
}

const jsonFrame = (letter: string, value: unknown) =>
  frame(letter, Buffer.from(JSON.stringify(value)));

function frame(letter: string, payload: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter, 0, 'latin1');
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}
