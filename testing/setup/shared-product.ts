// The product that most e2e tests share, because starting one per file took seconds of processor
// time. Each test has its own owners. Tests that configure or kill the product start their own.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { type Records, testDns } from '#testing/servers/dns-server.ts';
import { TEMPLATE } from './global-setup.ts';
import { findProductPort, type RunningProduct, startProduct } from './product.ts';

export type SharedProduct = Pick<RunningProduct, 'address' | 'dataDir'> & {
  /** The installation's SECRET. */
  secret: string;
  databaseUrl: string;
  /** Where the product expects Mailchimp; one test starts a server there. */
  mailchimpPort: number;
  /** The records of the product's DNS server, a file per name. */
  zoneFolder: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    sharedProduct: SharedProduct;
  }
}

const SECRET = 'a secret of all journeys, thirty-two characters and more';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = new URL(project.getProvidedContext().databaseServer);
  await runStatement(url.href, `CREATE DATABASE journeys TEMPLATE ${TEMPLATE}`);
  url.pathname = '/journeys';
  const zoneFolder = mkdtempSync(join(tmpdir(), 'sendloom-zone-'));
  const dns = await testDns(zoneIn(zoneFolder));
  const mailchimpPort = await findProductPort();
  const product = await startProduct({
    DATABASE_URL: url.href,
    DNS_SERVERS: dns.address,
    MAILCHIMP_URL: `http://127.0.0.1:${mailchimpPort}`,
    // Relays of tests listen on the loopback interface.
    PRIVATE_HOSTS: 'yes',
    SECRET,
    OPERATOR_EMAILS: 'operator@shop.example gardanande@forushgah.example',
  });
  const { address, dataDir } = product;
  project.provide('sharedProduct', {
    ...{ address, dataDir, secret: SECRET, databaseUrl: url.href },
    ...{ mailchimpPort, zoneFolder },
  });
  return async () => {
    await product.remove();
    await dns.close();
    rmSync(zoneFolder, { recursive: true });
  };
}

/** Publishes the records of a name on the product's DNS server; other names do not exist. */
export function publish({ zoneFolder }: SharedProduct, name: string, records: Records): void {
  writeFileSync(join(zoneFolder, name), JSON.stringify(records));
}

function zoneIn(folder: string) {
  const hasFile = (name: string) => existsSync(join(folder, name));
  const readFile = (name: string) =>
    hasFile(name) ? (JSON.parse(readFileSync(join(folder, name), 'utf8')) as Records) : undefined;
  return { has: hasFile, get: readFile };
}

/**
 * Deletes the counts of sign-ups because all e2e tests share one IP address, which may sign up five
 * owners per hour.
 */
export function deleteSignUps({ databaseUrl }: SharedProduct): Promise<void> {
  return runStatement(databaseUrl, `DELETE FROM rate_buckets WHERE key LIKE 'sign-up:%'`);
}

async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
