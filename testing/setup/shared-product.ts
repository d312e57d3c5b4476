// The product that most e2e tests share, each with its own owners, since starting one per file took
// seconds of processor time. Tests that configure or kill the product start their own.
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { TEMPLATE } from './global-setup.ts';
import { type Product, startProduct } from './product.ts';

/** `secret` is the installation's SECRET, `databaseUrl` the URL of its database. */
export type SharedProduct = Pick<Product, 'address' | 'dataDir'> & {
  secret: string;
  databaseUrl: string;
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
  const product = await startProduct({
    DATABASE_URL: url.href,
    SECRET,
    OPERATOR_EMAILS: 'operator@shop.example gardanande@forushgah.example',
  });
  const { address, dataDir } = product;
  project.provide('sharedProduct', { address, dataDir, secret: SECRET, databaseUrl: url.href });
  return () => product.remove();
}

/**
 * Deletes the counts of sign-ups, since all e2e tests share one IP address, which may sign up five
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
