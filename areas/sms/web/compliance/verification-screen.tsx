// The toll-free verification form, which can be saved before it is complete and submitted.
import { Button, Group, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import type { FormHandle } from '#platform/web/forms.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useCountries } from '#platform/web/texts/countries-and-zones.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { PhoneVerification } from '../../contract.ts';
import { OPT_IN_KINDS, REGISTRATION_TYPES, VOLUMES } from '../../shared.ts';
import { useCompliance } from './compliance.ts';
import { compliancePath } from '../paths.ts';
import { api, PHONES } from '../queries.ts';

/** The values of the form, which are all strings. */
type VerificationValues = Record<keyof PhoneVerification, string>;

export default function VerificationScreen() {
  const id = useParam('phone');
  const compliance = useCompliance(id);
  if (compliance.isLoadingError)
    return <FailedState error={compliance.error} retry={() => void compliance.refetch()} />;
  if (!compliance.data) return <LoadingState rows={10} />;
  const { status, values } = compliance.data.data.verification;
  if (status !== 'draft' && status !== 'rejected') {
    return <Redirect to={compliancePath(id)} />;
  }
  return <VerificationForm id={id} values={values} />;
}

function VerificationForm({ id, values }: { id: string; values: PhoneVerification }) {
  const t = useTexts('sms');
  const navigate = useNavigate();
  const isSubmitting = useRef(false);
  const { form, isBusy, submit } = useKeptForm<VerificationValues>(`sms-verification:${id}`, {
    initialValues: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, value ?? '']),
    ) as VerificationValues,
    send: async (input) => {
      const params = { id };
      await api('PUT /client-api/api/phone/{id}/compliance/verification', {
        params,
        body: toBody(input),
      });
      form.resetDirty();
      if (!isSubmitting.current) return toast(t('form.saved'));
      await api('POST /client-api/api/phone/{id}/compliance/verification/submit', { params });
      await invalidate(PHONES, `${PHONES}/${id}`);
      await navigate({ to: compliancePath(id), ignoreBlocker: true });
    },
  });
  return (
    <Page
      title={t('compliance.verification')}
      back={{ to: compliancePath(id), label: t('compliance.title') }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw={860}>
          <Fields form={form} />
          <Group justify="flex-end" gap="xs">
            <Button
              type="submit"
              variant="default"
              loading={isBusy}
              onClick={() => (isSubmitting.current = false)}
            >
              {t('save')}
            </Button>
            <Button type="submit" loading={isBusy} onClick={() => (isSubmitting.current = true)}>
              {t('form.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}

const BUSINESS = ['business_name', 'registration_number'] as const;
const ADDRESS_FIELDS = ['website', 'street', 'city', 'state', 'zip'] as const;
const CONTACT = ['contact_name', 'contact_email', 'contact_phone', 'use_case'] as const;
const TEXT_FIELDS = ['use_case_summary', 'sample', 'additional'] as const;
const ADDRESSES = ['opt_in_image', 'privacy_url', 'terms_url'] as const;

function Fields({ form }: { form: FormHandle<VerificationValues> }) {
  const t = useTexts('sms');
  const { number } = useFormats();
  const line = (name: keyof VerificationValues) => (
    <TextInput key={name} label={t(`form.${name}`)} dir="auto" {...form.getInputProps(name)} />
  );
  const choice = (name: keyof VerificationValues, data: { value: string; label: string }[]) => (
    <SearchableSelect
      key={name}
      label={t(`form.${name}`)}
      data={data}
      {...form.getInputProps(name)}
    />
  );
  const countries = useCountries();
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {BUSINESS.map(line)}
        {choice(
          'registration_type',
          REGISTRATION_TYPES.map((value) => ({ value, label: value })),
        )}
        {choice('registration_country', countries)}
        {ADDRESS_FIELDS.map(line)}
        {choice('country', countries)}
        {CONTACT.map(line)}
        {choice(
          'volume',
          VOLUMES.map((value) => ({ value, label: number(Number(value)) })),
        )}
        {choice(
          'opt_in_kind',
          OPT_IN_KINDS.map((value) => ({ value, label: t(`optIn.${value}`) })),
        )}
        {ADDRESSES.map(line)}
      </SimpleGrid>
      {TEXT_FIELDS.map((name) => (
        <Textarea
          key={name}
          label={t(`form.${name}`)}
          autosize
          minRows={2}
          dir="auto"
          {...form.getInputProps(name)}
        />
      ))}
    </>
  );
}

/** Converts the values to the API's format; an unset choice is null. */
function toBody(values: VerificationValues) {
  const toChoice = <T extends string>(value: string | null) => (value ? (value as T) : null);
  return {
    ...values,
    registration_country: values.registration_country ?? '',
    country: values.country ?? '',
    registration_type: toChoice<(typeof REGISTRATION_TYPES)[number]>(values.registration_type),
    volume: toChoice<(typeof VOLUMES)[number]>(values.volume),
    opt_in_kind: toChoice<(typeof OPT_IN_KINDS)[number]>(values.opt_in_kind),
  };
}
