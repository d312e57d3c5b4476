// Renders the PDF of an invoice on a worker thread (invoice-list.ts).
import type { InvoiceRow } from './billing.sql.ts';
import { invoicePdf } from './invoice-pdf.ts';

export const work = ({ row, corrects }: { row: InvoiceRow; corrects: string | undefined }) =>
  invoicePdf(row, corrects);
