// What a form of the postal address holds, and its rules with the specified words (section 5).
import type { Texts } from '#platform/web/texts.ts';
import type { Account } from '../../contract.ts';
import { ADDRESS_MOST } from '../../limits.ts';
import { postalIssue } from '../../validation.ts';

export interface AddressValues extends Record<string, unknown> {
  address: string;
  city: string;
  state: string;
  zip_code: string;
  country: string;
}

export function addressOf(account: Account): AddressValues {
  return {
    address: account.address ?? '',
    city: account.city ?? '',
    state: account.state ?? '',
    zip_code: account.zip_code ?? '',
    country: account.country ?? '',
  };
}

/** `t` are the texts of accounts. */
export function addressRules(t: Texts) {
  const needed = (key: string) => (value: string | null) => {
    const written = value?.trim() ?? '';
    if (written === '') return t(key);
    return [...written].length > ADDRESS_MOST ? t('address.tooLong', { most: ADDRESS_MOST }) : null;
  };
  return {
    address: needed('address.addressRequired'),
    city: needed('address.cityRequired'),
    state: needed('address.stateRequired'),
    country: needed('address.countryRequired'),
    zip_code: (code: string, { country }: AddressValues) => {
      const issue = postalIssue(code, country);
      return issue ? t(`address.postal.${issue}`) : null;
    },
  };
}
