// Invoices and credit notes: numbered without a gap in the account's series, seller, buyer and lines
// frozen as they were when the money came.
import { ownerOf, postalAddressOf, readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import * as store from './billing.sql.ts';
import type { OrderRow } from './orders.sql.ts';
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

/** Under the account's billing row, which the caller has locked: so that no number is given twice. */
export async function issueInvoice(
  tx: Tx,
  order: OrderRow,
  as: { kind: 'invoice' | 'credit_note'; corrects: number | null },
): Promise<{ serial: number; number: string }> {
  const accountId = order.account_id;
  const { last_invoice, vat_number } = await store.lockBilling(tx, accountId);
  const serial = last_invoice + 1;
  await store.saveBilling(tx, accountId, { last_invoice: serial });
  const { seller } = billingSettings().catalogue;
  const account = await readAccount(tx, accountId);
  const owner = await ownerOf(tx, accountId);
  const number = `${seller.invoice_prefix}${accountId}-${String(serial).padStart(4, '0')}`;
  const from: Seller = {
    name: seller.name,
    address: seller.address,
    vatNumber: seller.vat_number ?? null,
    email: seller.email ?? null,
  };
  const to: Buyer = {
    name: account.title || owner?.email || '',
    address: postalAddressOf(account).slice(1),
    vatNumber: vat_number,
    email: owner?.email ?? '',
    tax: await taxFor(tx, account),
  };
  await store.insertInvoice(tx, {
    accountId,
    serial,
    number,
    kind: as.kind,
    orderId: order.id,
    corrects: as.corrects,
    language: owner?.language ?? account.language,
    seller: from,
    buyer: to,
    lines: order.lines,
    net: order.net,
    tax: order.tax,
    total: order.total,
    currency: order.currency,
    at: clock.now(),
  });
  return { serial, number };
}
