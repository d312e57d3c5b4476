// The fields of a postal address. The first field suggests addresses while the user types. A chosen
// address fills the other fields, and the time zone if the form has one.
import { type SelectProps, TextInput } from '@mantine/core';
import { useState } from 'react';
import { showError } from '#platform/web/errors/errors.ts';
import type { FormHandle } from '#platform/web/forms.ts';
import {
  findOnlyZone,
  useCountries,
  useTimeZones,
} from '#platform/web/texts/countries-and-zones.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { SuggestField } from '#platform/web/ui/suggest-field.tsx';
import type { AddressDetails } from '../../address-contract.ts';
import { MAX_ADDRESS, PREDICT_DEBOUNCE_MS, MIN_PREDICT } from '../../shared.ts';
import { Prediction } from './prediction.tsx';
import type { AddressValues } from './address-values.ts';
import { AddressCompletion, type AddressSuggestion, fetchTimeZone } from './complete-address.ts';
import classes from './address.module.css';

export interface AddressFieldsProps<Values extends AddressValues> {
  form: FormHandle<Values>;
  /** Called with the time zone of the chosen place, or of a chosen country with only one zone. */
  onZone?: (zone: string) => void;
}

export function AddressFields<Values extends AddressValues>(props: AddressFieldsProps<Values>) {
  const { form, onZone } = props;
  const t = useTexts('accounts');
  const countries = useCountries();
  const field = (name: keyof AddressValues & string) => form.getInputProps(name);
  const country = field('country');
  return (
    <>
      <AddressField {...props} />
      <div className={classes.pair}>
        <TextInput
          label={t('address.city')}
          autoComplete="address-level2"
          maxLength={MAX_ADDRESS}
          {...field('city')}
        />
        <TextInput
          label={t('address.state')}
          autoComplete="address-level1"
          maxLength={MAX_ADDRESS}
          {...field('state')}
        />
      </div>
      <div className={classes.pair}>
        <SearchableSelect
          label={t('address.country')}
          autoComplete="country-name"
          data={countries}
          allowDeselect={false}
          {...country}
          onChange={(code) => {
            country.onChange(code);
            const zone = code === null ? undefined : findOnlyZone(code);
            if (zone) onZone?.(zone);
          }}
        />
        <TextInput
          label={t('address.zip')}
          autoComplete="postal-code"
          maxLength={MAX_ADDRESS}
          {...field('zip_code')}
        />
      </div>
    </>
  );
}

/** Completes the other fields from a suggested address. */
function AddressField<Values extends AddressValues>({ form, onZone }: AddressFieldsProps<Values>) {
  const t = useTexts('accounts');
  const [completion] = useState(() => new AddressCompletion());
  const pick = async (suggestion: AddressSuggestion) => {
    try {
      const details = await completion.details(suggestion);
      fill(form, details);
      const zone = onZone && (await fetchTimeZone(details.location));
      if (zone) onZone(zone);
    } catch (error) {
      showError(error);
    }
  };
  return (
    <SuggestField<AddressSuggestion>
      label={t('address.address')}
      maxLength={MAX_ADDRESS}
      debounceMs={PREDICT_DEBOUNCE_MS}
      minLength={MIN_PREDICT}
      suggest={async (term, signal) =>
        (await completion.suggest(term, signal)).map((addressSuggestion) => ({
          ...addressSuggestion,
          label: <Prediction prediction={addressSuggestion.prediction} />,
        }))
      }
      onPick={(suggestion) => void pick(suggestion)}
      {...form.getInputProps('address')}
      value={form.getValues().address}
    />
  );
}

/**
 * Fills the fields. Fields that the place does not supply remain as typed; the street is always
 * replaced.
 */
function fill<Values extends AddressValues>(
  form: FormHandle<Values>,
  details: AddressDetails,
): void {
  const { address, city, state, zip_code, country } = details;
  const suppliedFields = Object.entries({ city, state, zip_code, country }).filter(
    ([, value]) => value,
  );
  form.setValues((values) => ({ ...values, ...Object.fromEntries(suppliedFields), address }));
  for (const [name] of suppliedFields) form.clearFieldError(name);
}

export interface ZoneFieldProps {
  zone: string;
  field: Partial<SelectProps>;
}

export function ZoneField({ zone, field }: ZoneFieldProps) {
  const t = useTexts('accounts');
  return (
    <SearchableSelect
      label={t('account.zone')}
      data={useTimeZones(zone)}
      allowDeselect={false}
      {...field}
    />
  );
}
