// A form's statistics by day in the account's time zone, by device and by page.
import { readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { findForm } from './forms.sql.ts';
import * as store from './submissions.sql.ts';

const DAY_MS = 86_400_000;

export async function readChart(db: Reader, accountId: number, formId: number, days: number) {
  if (!(await findForm(db, accountId, formId))) throw notFound();
  const { timezone } = await readAccount(db, accountId);
  const zone = timezone ?? 'UTC';
  const now = clock.now().getTime();
  const since = new Date(now - (days - 1) * DAY_MS);
  since.setUTCHours(0, 0, 0, 0);
  const countsByDay = new Map(
    (await store.sumByDay(db, accountId, formId, since, zone)).map((row) => [row.day, row]),
  );
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
  const dates = Array.from({ length: days }, (_, i) =>
    format.format(new Date(now - (days - 1 - i) * DAY_MS)),
  );
  const [totals] = await store.readTotals(db, accountId, [formId], since);
  const { form_id: _, ...sums } = totals ?? {
    form_id: formId,
    views: 0,
    starts: 0,
    closes: 0,
    sign_ups: 0,
    confirmed: 0,
    trapped: 0,
    held: 0,
  };
  return {
    days: [...new Set(dates)].map(
      (day) =>
        countsByDay.get(day) ?? { day, views: 0, starts: 0, closes: 0, sign_ups: 0, confirmed: 0 },
    ),
    devices: await store.sumByDevice(db, accountId, formId, since),
    pages: await store.sumByPage(db, accountId, formId, since),
    totals: sums,
  };
}
