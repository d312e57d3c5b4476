// Opens the connections of a backup or a restore.
import pg from 'pg';

export async function connect(url: string, name = 'backup'): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}
