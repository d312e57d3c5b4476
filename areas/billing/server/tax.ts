// Tax of an account: the rate of its country. Accounts in countries without a rate pay no tax, nor
// does a business with a valid VAT number in an EU country other than the seller's (reverse charge,
// Directive 2006/112/EC, article 196).
import { checkVAT, countries } from 'jsvat-next';
import type { AccountDetails } from '#areas/accounts/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { findBilling } from './billing.sql.ts';
import { findTax } from './catalog.ts';
import { billingSettings } from './settings.ts';

const EU = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

export type TaxFor = { name: string | null; percent: number; isReverseCharge: boolean };

/**
 * Returns the number without spaces and its country, or undefined if it matches no country's
 * format.
 */
export function readVatNumber(text: string): { number: string; country: string } | undefined {
  const number = text.replace(/[\s.-]/g, '').toUpperCase();
  const { isValid, country } = checkVAT(number, countries);
  if (!isValid || !country) return undefined;
  return { number, country: country.isoCode.short };
}

export async function taxFor(db: Reader, account: AccountDetails): Promise<TaxFor> {
  const { catalog } = billingSettings();
  const tax = findTax(catalog, account.country);
  if (!tax) return { name: null, percent: 0, isReverseCharge: false };
  const billing = await findBilling(db, account.id);
  const isCrossBorder = account.country !== catalog.seller.country;
  const isBusiness =
    EU.has(account.country ?? '') &&
    EU.has(catalog.seller.country) &&
    billing?.is_vat_valid === true &&
    readVatNumber(billing.vat_number ?? '')?.country === account.country;
  if (isCrossBorder && isBusiness) return { name: tax.name, percent: 0, isReverseCharge: true };
  return { name: tax.name, percent: tax.percent, isReverseCharge: false };
}
