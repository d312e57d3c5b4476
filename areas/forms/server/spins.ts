// The record of the wheel's draws: the time, the prize, the drawn number and the weights, so that
// each result can be verified. It contains no addresses.
import type { Readable } from 'node:stream';
import { csvStream } from '#platform/server/files/csv.ts';
import type { Db } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import type { ServerText } from '#platform/server/texts.ts';
import { findForm } from './forms.sql.ts';
import { listSpins } from './submissions.sql.ts';
import type { Prize } from './wheel.ts';

const ROWS_PER_PAGE = 1_000;
const COLUMNS = ['spin', 'at', 'version', 'slice', 'label', 'code', 'weights', 'number'] as const;

export async function exportSpins(
  db: Db,
  accountId: number,
  formId: number,
  t: ServerText,
): Promise<Readable> {
  if (!(await findForm(db, accountId, formId))) throw notFound();
  async function* pages() {
    for (let after = 0; ; ) {
      const rows = await listSpins(db, accountId, formId, after, ROWS_PER_PAGE);
      yield rows.map(toCells);
      if (rows.length < ROWS_PER_PAGE) return;
      after = rows.at(-1)?.id ?? after;
    }
  }
  return csvStream(
    COLUMNS.map((column) => t(`spins.${column}`)),
    pages(),
  );
}

function toCells({ id, at, version, prize }: Awaited<ReturnType<typeof listSpins>>[number]) {
  const { slice, label, code, draws = [] } = prize as Prize;
  return [
    String(id),
    at.toISOString(),
    String(version),
    String(slice + 1),
    label,
    code,
    draws.map(({ weights }) => weights.join(' ')).join(' / '),
    draws.map(({ number }) => String(number)).join(' / '),
  ];
}
