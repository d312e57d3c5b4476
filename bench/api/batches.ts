// Compares batches of 1,000 new people by `POST /v2/subscribers/batch` with a COPY of the same rows
// into a table with the same columns, in alternating rounds.
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { median, measureDuration } from '../kit/figures.ts';
import type { BenchOwner } from '../kit/owner.ts';

const ROWS = 1_000;
const BATCHES = 5;
/**
 * The number of batches before the first round, so that the code is compiled as on a server that
 * has run for a while.
 */
const WARM_UP = 30;
/**
 * A round takes less than a second, so there are several times more rounds than in the other parts.
 */
const ROUNDS_EACH = 3;

export async function measureBatches(
  database: pg.Client,
  base: string,
  owner: BenchOwner,
  { rounds }: { rounds: number },
): Promise<number> {
  const token = await tokenOf(base, owner);
  // The table has the indexes and defaults of the real table.
  await database.query('create table copied_people (like subscribers including all)');
  let createdCount = 0;
  const createRows = () =>
    Array.from({ length: ROWS }, () => {
      const number = createdCount++;
      return {
        ...{ email: `person${number}@batch.example`, firstname: `Name ${number}` },
        ...{ lastname: 'Berg', phone: `+4791${String(number).padStart(6, '0')}` },
      };
    });
  const save = async () => {
    for (let batch = 0; batch < BATCHES; batch++) await saveBatch(base, token, createRows());
  };
  const copy = async () => {
    for (let batch = 0; batch < BATCHES; batch++) await copyRows(database, owner, createRows());
  };
  for (let batch = 0; batch < WARM_UP; batch += BATCHES) {
    await save();
    await copy();
  }
  const ratios: number[] = [];
  console.log('round  copy/s  batch/s  ratio');
  for (let round = 1; round <= rounds * ROUNDS_EACH; round++) {
    const limit = rate(await measureDuration(copy));
    const batchRate = rate(await measureDuration(save));
    ratios.push(batchRate / limit);
    const columns = [limit.toFixed(0).padStart(6), batchRate.toFixed(0).padStart(7)];
    console.log(
      `${String(round).padStart(5)}  ${columns.join('  ')}  ${(batchRate / limit).toFixed(2)}`,
    );
  }
  await database.query('drop table copied_people');
  const ratio = median(ratios);
  console.log(`median ratio ${ratio.toFixed(2)} of the copy`);
  return ratio;
}

const rate = (milliseconds: number) => (ROWS * BATCHES * 1_000) / milliseconds;

type BatchSubscriber = { email: string; firstname: string; lastname: string; phone: string };

async function saveBatch(
  base: string,
  token: string,
  subscribers: BatchSubscriber[],
): Promise<void> {
  const response = await fetch(`${base}/v2/subscribers/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ subscribers }),
  });
  const { saved } = (await response.json()) as { saved?: number };
  if (saved !== ROWS) throw new Error(`${response.status}: ${saved} rows were saved`);
}

async function copyRows(
  database: pg.Client,
  { account }: BenchOwner,
  subscribers: BatchSubscriber[],
) {
  const lines = subscribers.map(({ email, firstname, lastname, phone }) =>
    [account, email, email, phone, phone, firstname, lastname, '2026-11-01', '2026-11-01'].join(
      '\t',
    ),
  );
  const columns =
    'account_id, email, email_key, phone, phone_key, firstname, lastname, created_at, modified_at';
  const target = database.query(copyFrom(`copy copied_people (${columns}) from stdin`));
  await pipeline(Readable.from([`${lines.join('\n')}\n`]), target);
}

async function tokenOf(base: string, owner: BenchOwner): Promise<string> {
  const created = await fetch(`${base}/client-api/api/tokens`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Batches', validity_days: null }),
  });
  if (!created.ok) throw new Error(await created.text());
  return ((await created.json()) as { data: { token: string } }).data.token;
}
