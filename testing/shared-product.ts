// The product that most journeys share, each as owners of their own: a start for every file took seconds of
// a processor. Those that set it up in their own way, or kill it, start their own.
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { TEMPLATE } from './global-setup.ts';
import { type Product, startProduct } from './product.ts';

/** `secret` is the installation's SECRET, `databaseUrl` where its tables are. */
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
  await tell(url.href, `CREATE DATABASE journeys TEMPLATE ${TEMPLATE}`);
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

/** All journeys come from one address, which may sign five owners up in an hour. */
export function forgetSignUps({ databaseUrl }: SharedProduct): Promise<void> {
  return tell(databaseUrl, `DELETE FROM rate_buckets WHERE key LIKE 'sign-up:%'`);
}

async function tell(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
