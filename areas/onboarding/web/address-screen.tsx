// The second onboarding form: postal address and time zone. Saving it opens the checklist.
import { Anchor, Button, Group } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Account } from '#areas/accounts/contract.ts';
import {
  AddressFields,
  toAddressValues,
  createAddressRules,
  type AddressValues,
  ZoneField,
} from '#areas/accounts/web/index.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { failure } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { recordAccount } from '#platform/web/shell/third-parties.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import { OnboardingFrame } from './onboarding-frame.tsx';
import classes from './onboarding.module.css';
import { api, refreshOnboarding, useAccount } from './queries.ts';
import { CHECKLIST, INTRODUCE } from './steps.ts';

interface Values extends AddressValues {
  timezone: string;
}

export default function AddressScreen() {
  const t = useTexts('onboarding');
  const account = useAccount();
  return (
    <OnboardingFrame step="profile" title={t('address.title')} text={t('address.text')}>
      {account.data ? (
        <AddressForm account={account.data} />
      ) : account.isError ? (
        <FailedState error={account.error} title={t('errors.fetch')} retry={account.refetch} />
      ) : (
        <LoadingState rows={5} />
      )}
    </OnboardingFrame>
  );
}

function AddressForm({ account }: { account: Account }) {
  const t = useTexts('onboarding');
  const accountTexts = useTexts('accounts');
  const navigate = useNavigate();
  const { form, isBusy, submit } = useServerForm<Values>({
    initialValues: { ...toAddressValues(account), timezone: account.timezone },
    validate: {
      ...createAddressRules(accountTexts),
      timezone: (zone) => (zone ? null : accountTexts('account.zoneRequired')),
    },
    send: async (values) => {
      const { data } = await api('PATCH /client-api/api/account_questionnaire', { body: values });
      form.resetDirty();
      await refreshOnboarding();
      void recordAccount(data.account.id);
      await navigate({ to: CHECKLIST, ignoreBlocker: true });
    },
    onError: (error) => {
      const hasFieldErrors = Object.keys(error.errors).length > 0;
      if (!hasFieldErrors) failure(t('errors.save'));
      return !hasFieldErrors;
    },
  });
  useUnsaved<Values>({
    name: 'onboarding:address',
    unsaved: form.isDirty() ? form.getValues() : undefined,
    restore: (edit) => form.setValues(edit),
    discard: () => form.reset(),
    onLeave: 'store',
  });
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <AddressFields form={form} onZone={(zone) => form.setFieldValue('timezone', zone)} />
      <ZoneField zone={form.getValues().timezone} field={form.getInputProps('timezone')} />
      <Group justify="space-between">
        <Anchor component={Link} to={INTRODUCE}>
          {t('address.back')}
        </Anchor>
        <Button type="submit" loading={isBusy}>
          {t('address.submit')}
        </Button>
      </Group>
    </form>
  );
}
