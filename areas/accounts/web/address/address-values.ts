// The values and validation of a postal address form.
import type { Texts } from '#platform/web/texts/texts.ts';
import type { Account } from '../../contract.ts';
import { MAX_ADDRESS } from '../../shared.ts';
import { findPlaceIssue, findPostalIssue } from '../../validation.ts';

export interface AddressValues extends Record<string, unknown> {
  address: string;
  city: string;
  state: string;
  zip_code: string;
  country: string;
}

export function toAddressValues(account: Account): AddressValues {
  return {
    address: account.address ?? '',
    city: account.city ?? '',
    state: account.state ?? '',
    zip_code: account.zip_code ?? '',
    country: account.country ?? '',
  };
}

const ISSUE_TEXTS = { long: 'address.tooLong', characters: 'address.characters' } as const;

/** Returns the validation rules, with messages from the accounts locale. */
export function createAddressRules(t: Texts) {
  const validateRequired = (requiredMessage: string) => (value: string | null) => {
    const issue = findPlaceIssue(value ?? '');
    if (!issue) return null;
    return issue === 'required' ? t(requiredMessage) : t(ISSUE_TEXTS[issue], { most: MAX_ADDRESS });
  };
  return {
    address: validateRequired('address.addressRequired'),
    city: validateRequired('address.cityRequired'),
    state: validateRequired('address.stateRequired'),
    country: validateRequired('address.countryRequired'),
    zip_code: (code: string, { country }: AddressValues) => {
      const issue = findPostalIssue(code, country);
      return issue ? t(`address.postal.${issue}`) : null;
    },
  };
}
