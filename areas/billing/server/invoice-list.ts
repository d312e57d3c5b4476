// Lists invoices and creates their PDF files for download.

import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { defineWork } from '#platform/server/work/work-pool.ts';
import type { Invoice } from '../contract.ts';
import type { Currency } from '../shared.ts';
import * as store from './billing.sql.ts';

/**
 * Names and addresses are user input of any length, so the PDF is written on a worker thread with a
 * time limit.
 */
const writePdf = defineWork<{ row: store.InvoiceRow; corrects: string | undefined }, Uint8Array>({
  kind: 'pdf',
  url: new URL('./invoice-pdf-work.ts', import.meta.url),
  cpuMs: 5_000,
});

export function listInvoices(
  db: Reader,
  accountId: number,
  list: ListRequest<'created'>,
): Promise<{ data: Invoice[] }> {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listInvoices(db, accountId, list.direction, slice),
      total: () => store.countInvoices(db, accountId),
    },
    (row) => ({
      id: encodeId('invoice', row.serial),
      number: row.number,
      kind: row.kind as Invoice['kind'],
      order_id: encodeId('order', row.order_id),
      total: row.total_minor,
      currency: row.currency as Currency,
      issued: row.issued_at.toISOString(),
    }),
  );
}

/** Returns the PDF file and its name. */
export async function downloadInvoice(
  db: Reader,
  accountId: number,
  serial: number,
): Promise<{ name: string; content: Buffer }> {
  const row = await store.findInvoice(db, accountId, serial);
  if (!row) throw notFound();
  const correctedInvoice =
    row.corrects === null ? undefined : await store.findInvoice(db, accountId, row.corrects);
  const content = Buffer.from(await writePdf({ row, corrects: correctedInvoice?.number }));
  return { name: `${row.number}.pdf`, content };
}
