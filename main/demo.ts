// `npm run demo`: creates an account with two years of history, for demonstrations and
// measurements, in English or in the language of `npm run demo -- --language fas`. It writes
// everything in one transaction; a second run only sets a new password.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { hashPassword, signUp } from '#areas/accounts/server/index.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { isLanguage, type Language, LANGUAGES } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import {
  analyze,
  END_DEMO,
  endWithItsClient,
  findDemoOwner,
  insertPlan,
  setPassword,
  settleOwner,
} from './demo/account.sql.ts';
import { fillSample } from './demo/fill.ts';
import * as shop from './demo/shop.ts';
import { boot } from './boot.ts';
import { prepareCommand } from './prepare.ts';

async function demo(): Promise<void> {
  const language = chosenLanguage();
  const { config, close } = await prepareCommand();
  if (config.isProduction)
    throw new CannotStart(
      'The demo does not run in production: it would create fictional subscribers.',
    );
  const app = await boot({ ...config, logLevel: 'warn' }, 'demo');
  const password = randomBytes(9).toString('base64url');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
    process.once(signal, () => void stop(config.databaseUrl));
  }
  try {
    // The transaction is not retried, because a second attempt would create an account with another
    // id, so its emails would differ from the ones already rendered.
    const isNew = await app.db
      .transaction()
      .execute((tx) => fill(tx, { password, language }, config.publicUrl));
    if (isNew) await inTransaction(app.db, analyze);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(
      isNew
        ? `${shop.SUBSCRIBERS} subscribers and ${shop.CAMPAIGNS} campaigns were created (${seconds} s).`
        : 'The demo account already exists; its password was reset.',
    );
    console.log(
      `Sign in at ${config.publicUrl}/auth as ${shop.OWNER_EMAIL} with the password ${password}`,
    );
  } finally {
    await app.close();
    await close();
  }
}

function chosenLanguage(): Language {
  const { values } = parseArgs({ options: { language: { type: 'string', default: 'eng' } } });
  if (isLanguage(values.language)) return values.language;
  throw new CannotStart(`--language must be one of ${LANGUAGES.join(', ')}.`);
}

const startedAt = performance.now();

/** Prints one line per part, because filling takes a minute or more on a busy instance. */
function logPart(stepName: string): void {
  console.log(
    `${String(Math.round((performance.now() - startedAt) / 1000)).padStart(4)} s  ${stepName} …`,
  );
}

/** Ends an interrupted run: its statement is terminated, so its transaction is rolled back. */
async function stop(databaseUrl: string): Promise<never> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  await client
    .connect()
    .then(() => client.query(END_DEMO))
    .catch(() => {});
  console.error('Stopped. Nothing was added.');
  process.exit(1);
}

/** If the demo account already exists, this only sets its password and returns false. */
async function fill(
  tx: Tx,
  { password, language }: { password: string; language: Language },
  publicUrl: string,
): Promise<boolean> {
  const demoOwner = await findDemoOwner(tx, shop.OWNER_EMAIL);
  if (demoOwner) {
    await setPassword(tx, demoOwner.id, await hashPassword(password), clock.now());
    return false;
  }
  await endWithItsClient(tx);
  const { accountId, userId } = await signUp(
    tx,
    { email: shop.OWNER_EMAIL, password, language, timezone: shop.ACCOUNT.timezone },
    'open',
  );
  await fillSample(
    tx,
    { accountId, userId, subscriberCount: shop.SUBSCRIBERS, publicUrl },
    logPart,
  );
  const now = clock.now();
  await insertPlan(tx, { accountId, now });
  await settleOwner(tx, { userId, now });
  return true;
}

try {
  await demo();
  process.exit(0);
} catch (error) {
  console.error(error instanceof CannotStart ? error.message : error);
  process.exit(1);
}
