// Uploads files over HTTP, starts and runs their imports.
import { beforeAll, expect } from 'vitest';
import { type TestClient, type TestOwner, type TestServer, testServer } from '../setup/server.ts';

export let server: TestServer;
export let owner: TestOwner;
export let otherOwner: TestOwner;

beforeAll(async () => {
  server = await testServer({ IMPORT_MAX_MB: '120' });
  owner = await server.owner();
  otherOwner = await server.owner();
});

function multipart(name: string, content: Buffer) {
  const boundary = '----contacts';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return {
    payload: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}

export const UPLOADS = '/client-api/api/imports/uploads';
export const upload = (client: TestClient, content: string | Buffer, name = 'contacts.csv') =>
  client.send({
    method: 'POST',
    url: '/client-api/api/subscribers/import_file',
    ...multipart(name, Buffer.from(content as string)),
  });

export const start = (client: TestClient, body: object) =>
  client.post('/client-api/api/subscribers/start_import', {
    consent: { attested: true },
    columns: [],
    ...body,
  });

/** Uploads a file, imports it with the suggested mapping, and returns the finished import. */
export async function importFile(
  client: TestClient,
  content: string | Buffer,
  extraOptions: object = {},
) {
  const preview = (await upload(client, content)).body.data;
  const columns = preview.columns.map((column: { column: number; target: string }) => ({
    column: column.column,
    target: column.target,
  }));
  const startResponse = await start(client, { source: preview.source, columns, ...extraOptions });
  expect(startResponse.status, startResponse.text).toBe(200);
  await server.runJobs();
  return (await client.get(`/client-api/api/imports/${preview.id}`)).body.data;
}

export const readSubscribers = (accountId: number) =>
  server.db
    .selectFrom('subscribers')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .orderBy('email_key')
    .execute();
export const readCounts = (counts: Record<string, number>) => [
  counts.created_count,
  counts.updated_count,
  counts.unchanged_count,
  counts.rejected_count,
  counts.noted_count,
];
