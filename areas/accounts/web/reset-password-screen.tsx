// The screen that a password reset link opens: it sets a new password, which ends all sessions.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { text, useSearchParams } from '#platform/web/api/address.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { MIN_PASSWORD } from '../shared.ts';
import { PasswordField, SignInForm, SignInMessage } from './sign-in-form.tsx';
import { api, findPasswordIssue } from './sign-in-service.ts';

const address = { token: text('') };

export default function ResetPasswordScreen() {
  const t = useTexts('accounts');
  const [{ token }] = useSearchParams(address);
  const [state, setState] = useState<'asking' | 'done' | 'expired'>(token ? 'asking' : 'expired');
  const { form, isBusy, submit } = useServerForm({
    initialValues: { password: '' },
    validate: {
      password: (password) => {
        const key = findPasswordIssue(password);
        return key && t(key, { count: MIN_PASSWORD });
      },
    },
    send: async ({ password }) => {
      await api('POST /auth/api/reset-password', { body: { token, password } });
      setState('done');
    },
    onError: (error) => {
      if (error.code !== 'link_expired' && !('token' in error.errors)) return false;
      setState('expired');
      return true;
    },
  });
  if (state === 'done') return <ResetDone />;
  if (state === 'expired') return <LinkExpired />;
  return (
    <SignInForm
      title={t('reset.title')}
      intro={t('reset.intro')}
      submitLabel={t('reset.submit')}
      isBusy={isBusy}
      onSubmit={submit}
    >
      <PasswordField
        autoComplete="new-password"
        label={t('reset.password')}
        description={t('fields.passwordShort', { count: MIN_PASSWORD })}
        {...form.getInputProps('password')}
      />
    </SignInForm>
  );
}

function ResetDone() {
  const t = useTexts('accounts');
  return (
    <SignInMessage
      title={t('reset.doneTitle')}
      action={
        <Button component={Link} to="/auth">
          {t('signIn.title')}
        </Button>
      }
    >
      {t('reset.done')}
    </SignInMessage>
  );
}

function LinkExpired() {
  const t = useTexts('accounts');
  return (
    <SignInMessage
      title={t('links.expiredTitle')}
      action={
        <Button component={Link} to="/auth/forgot-password">
          {t('reset.again')}
        </Button>
      }
    >
      {t('links.expired')}
    </SignInMessage>
  );
}
