// The sections of a profile: names, the email address and its verification, and the language.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { isLanguage, LANGUAGES, languageNames } from '#platform/web/texts/languages.ts';
import { EMAIL_SENT_MS, toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { chooseLanguage } from '#platform/web/session/session.ts';
import { getCurrentLanguage, useTexts } from '#platform/web/texts/texts.ts';
import { EmailInput } from '#platform/web/ui/email-input.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { AccountUser } from '../../settings-contract.ts';
import { MAX_NAME_LENGTH } from '../../shared.ts';
import { PasswordField } from '../sign-in-form.tsx';
import { findEmailIssue } from '../sign-in-service.ts';
import { api, invalidateSession } from './queries.ts';
import { SectionForm } from './section.tsx';
import classes from './settings.module.css';
import { useSavedForm } from './use-kept-form.ts';

export function NamesForm({ user }: { user: AccountUser }) {
  const t = useTexts('accounts');
  const { form, isBusy, submit } = useSavedForm(`names:${user.id}`, {
    initialValues: { name: user.name ?? '', surname: user.surname ?? '' },
    send: async (values) => {
      const body = { name: values.name.trim(), surname: values.surname.trim() };
      await api('PATCH /client-api/api/account_users/{id}', { params: { id: user.id }, body });
      toast(t('settings.saved'));
      await invalidateSession();
    },
  });
  return (
    <SectionForm onSubmit={submit} isBusy={isBusy} isChanged={form.isDirty()}>
      <div className={classes.pair}>
        <TextInput
          label={t('profile.name')}
          autoComplete={user.is_you ? 'given-name' : 'off'}
          maxLength={MAX_NAME_LENGTH}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('profile.surname')}
          autoComplete={user.is_you ? 'family-name' : 'off'}
          maxLength={MAX_NAME_LENGTH}
          {...form.getInputProps('surname')}
        />
      </div>
    </SectionForm>
  );
}

/**
 * Edits the email address. After a new address is saved, the verification email is sent if the
 * address needs it. For an unchanged, unverified address, a button sends the email again.
 */
export function EmailForm({ user }: { user: AccountUser }) {
  const t = useTexts('accounts');
  const { form, isBusy, submit, resendEmail, savedEmail, isOtherEmail } = useEmailForm(user);
  const email = form.getValues().email;
  const isChanged = email.trim() !== savedEmail;
  return (
    <SectionForm
      onSubmit={submit}
      isBusy={isBusy}
      isReady={isChanged}
      isChanged={isChanged}
      submitLabel={t('profile.changeEmail')}
      extraButton={
        !user.email_verified &&
        !isChanged && (
          <Button
            variant="default"
            loading={resendEmail.isPending}
            onClick={() => resendEmail.mutate(undefined)}
          >
            {t('profile.sendLetter')}
          </Button>
        )
      }
    >
      <EmailInput label={t('fields.email')} autoComplete="email" {...form.getInputProps('email')} />
      {user.email_verified && isOtherEmail(email) && (
        <PasswordField
          autoComplete="current-password"
          label={t('profile.currentPassword')}
          {...form.getInputProps('current')}
        />
      )}
      {/* This is the state of the saved address, not of one that is being typed. */}
      {!isChanged && (
        <StatusDot
          tone={user.email_verified ? 'success' : 'warning'}
          label={t(user.email_verified ? 'profile.verified' : 'profile.unverified')}
        />
      )}
    </SectionForm>
  );
}

function useEmailForm(user: AccountUser) {
  const t = useTexts('accounts');
  const params = { id: user.id };
  const resend = async (email: string) => {
    await api('GET /client-api/api/users/{id}/resend_verification_letter', { params });
    toast(t('profile.letterSent', { email: toUnicodeDomain(email) }), { duration: EMAIL_SENT_MS });
  };
  const resendEmail = useAction(() => resend(user.email));
  // Compares in Unicode and regardless of case, because the server also treats such spellings as
  // the same address.
  const savedEmail = toUnicodeDomain(user.email);
  const isOtherEmail = (email: string) =>
    toUnicodeDomain(email.trim()).toLowerCase() !== savedEmail.toLowerCase();
  const server = useServerForm({
    initialValues: { email: savedEmail, current: '' },
    validate: {
      current: (current, { email }) =>
        user.email_verified && isOtherEmail(email) && current === ''
          ? t('fields.passwordRequired')
          : null,
      email: (email) => {
        const key = findEmailIssue(email);
        return key && t(key);
      },
    },
    send: async (values) => {
      const email = values.email.trim();
      const body = user.email_verified ? { email, current: values.current } : { email };
      const { data } = await api('PATCH /client-api/api/users/{id}', { params, body });
      server.form.setFieldValue('current', '');
      if (data.email_verified) toast(t('settings.saved'));
      else await resend(email);
      await invalidateSession();
    },
  });
  return { ...server, resendEmail, savedEmail, isOtherEmail };
}

export function LanguageChoice() {
  const t = useTexts('accounts');
  return (
    <div className={classes.form}>
      <NativeSelect
        label={t('profile.language')}
        data={LANGUAGES.map((value) => ({ value, label: languageNames[value] }))}
        value={getCurrentLanguage()}
        onChange={({ currentTarget: { value } }) => {
          if (isLanguage(value)) void chooseLanguage(value);
        }}
      />
    </div>
  );
}
