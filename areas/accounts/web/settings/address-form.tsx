// The postal address that every marketing mail carries.
import { TextInput } from '@mantine/core';
import { toast } from '#platform/web/notices.tsx';
import { useCountries } from '#platform/web/places.ts';
import { useTexts } from '#platform/web/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import type { Account } from '../../contract.ts';
import { ADDRESS_MOST } from '../../limits.ts';
import { postalIssue } from '../../validation.ts';
import { api, touchSession } from './queries.ts';
import { SectionForm } from './section.tsx';
import classes from './settings.module.css';
import { useKeptForm } from './use-kept-form.ts';

export default function AddressForm({ account }: { account: Account }) {
  const t = useTexts('accounts');
  const countries = useCountries();
  const required = (key: string) => (value: string | null) => (value?.trim() ? null : t(key));
  const { form, isBusy, submit } = useKeptForm('address', {
    initialValues: {
      address: account.address ?? '',
      city: account.city ?? '',
      state: account.state ?? '',
      zip_code: account.zip_code ?? '',
      country: account.country ?? '',
    },
    validate: {
      address: required('address.addressRequired'),
      city: required('address.cityRequired'),
      state: required('address.stateRequired'),
      country: required('address.countryRequired'),
      zip_code: (code, { country }) => {
        const issue = postalIssue(code, country);
        return issue ? t(`address.postal.${issue}`) : null;
      },
    },
    send: async (values) => {
      await api('PATCH /client-api/api/account_questionnaire', {
        body: { ...values, timezone: account.timezone },
      });
      toast(t('settings.saved'));
      await touchSession();
    },
  });
  return (
    <SectionForm onSubmit={submit} isBusy={isBusy}>
      <SearchableSelect
        label={t('address.country')}
        autoComplete="country-name"
        data={countries}
        allowDeselect={false}
        {...form.getInputProps('country')}
      />
      <TextInput
        label={t('address.address')}
        autoComplete="street-address"
        maxLength={ADDRESS_MOST}
        {...form.getInputProps('address')}
      />
      <div className={classes.pair}>
        <TextInput
          label={t('address.zip')}
          autoComplete="postal-code"
          maxLength={ADDRESS_MOST}
          {...form.getInputProps('zip_code')}
        />
        <TextInput
          label={t('address.city')}
          autoComplete="address-level2"
          maxLength={ADDRESS_MOST}
          {...form.getInputProps('city')}
        />
      </div>
      <TextInput
        label={t('address.state')}
        autoComplete="address-level1"
        maxLength={ADDRESS_MOST}
        {...form.getInputProps('state')}
      />
    </SectionForm>
  );
}
