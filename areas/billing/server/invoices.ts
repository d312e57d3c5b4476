// Invoices and credit notes: numbered without gaps in the account's series. Each stores the seller,
// the buyer and the lines as they were when it was issued.
import { findOwner, formatPostalAddress, readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import * as store from './billing.sql.ts';
import type { BillingOrderRow } from './orders.sql.ts';
import { billingSettings } from './settings.ts';
import { taxFor } from './tax.ts';

export type Seller = {
  name: string;
  address: string[];
  vatNumber: string | null;
  email: string | null;
};
export type Buyer = {
  name: string;
  address: string[];
  vatNumber: string | null;
  email: string;
  tax: { name: string | null; percent: number; isReverseCharge: boolean };
};

/**
 * Issues an invoice or credit note with the next number of the account. The account's billing row
 * is locked so that no number is used twice.
 */
export async function issueInvoice(
  tx: Tx,
  order: BillingOrderRow,
  document: {
    kind: 'invoice' | 'credit_note';
    corrects: number | null;
    /** Amount covered by the document, in minor units; defaults to the order's total. */
    amount?: number;
    /** The card that was charged; null or absent if no card was charged. */
    paidBy?: string | null;
  },
): Promise<{ serial: number; number: string }> {
  const accountId = order.account_id;
  const { last_invoice, vat_number } = await store.lockBilling(tx, accountId);
  const serial = last_invoice + 1;
  await store.saveBilling(tx, accountId, { last_invoice: serial });
  const { seller } = billingSettings().catalog;
  const account = await readAccount(tx, accountId);
  const owner = await findOwner(tx, accountId);
  const number = `${seller.invoice_prefix}${accountId}-${String(serial).padStart(4, '0')}`;
  const sellerData: Seller = {
    name: seller.name,
    address: seller.address,
    vatNumber: seller.vat_number ?? null,
    email: seller.email ?? null,
  };
  const buyer: Buyer = {
    name: account.title || owner?.email || '',
    address: formatPostalAddress(account).slice(1),
    vatNumber: vat_number,
    email: owner?.email ?? '',
    tax: await taxFor(tx, account),
  };
  await store.insertInvoice(tx, {
    accountId,
    serial,
    number,
    kind: document.kind,
    orderId: order.id,
    corrects: document.corrects,
    language: owner?.language ?? account.language,
    seller: sellerData,
    buyer: buyer,
    ...partOf(order, document.amount ?? order.total_minor),
    currency: order.currency,
    paidBy: document.paidBy ?? null,
    at: clock.now(),
  });
  return { serial, number };
}

/**
 * Returns the lines and sums for a part of the order's total. The last line takes the rounding
 * difference so that the lines add up.
 */
function partOf(
  { lines, net_minor: net, tax_minor: tax, total_minor: total }: BillingOrderRow,
  amount: number,
) {
  if (amount === total || total === 0) return { lines, net, tax, total };
  const prorate = (value: number) => Math.round((value * amount) / total);
  const totals = { net: prorate(net), tax: amount - prorate(net) };
  const partLines = lines.map((line) => ({
    ...{ ...line, net: prorate(line.net), tax: prorate(line.tax) },
  }));
  const lastLine = partLines.at(-1);
  for (const name of ['net', 'tax'] as const)
    if (lastLine)
      lastLine[name] += totals[name] - partLines.reduce((sum, line) => sum + line[name], 0);
  return { lines: partLines, ...totals, total: amount };
}
