-- The card that paid an invoice, as its owner knows it: brand and last digits. Null if nothing was charged.
alter table invoices add column paid_by text;
