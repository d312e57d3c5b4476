// Signing in with email and password; says why the last session ended.
import { Anchor, Group, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { text, useAddress } from '#platform/web/address.ts';
import { wordsOf } from '#platform/web/errors.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { signOutReason } from '#platform/web/session.ts';
import { useTexts } from '#platform/web/texts.ts';
import { PasswordField, SignInForm } from './sign-in-form.tsx';
import { api, emailFault, enter } from './sign-in-service.ts';

const address = { next: text('/') };

export default function SignInScreen() {
  const t = useTexts('accounts');
  const [{ next }] = useAddress(address);
  const [refusal, setRefusal] = useState<string>();
  const reason = signOutReason();
  const { form, isBusy, submit } = useServerForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => faultWords(emailFault(email)),
      password: (password) => (password === '' ? t('fields.passwordRequired') : null),
    },
    send: async (values) => {
      await api('POST /auth/api/sign-in', { body: { ...values, email: values.email.trim() } });
      enter(next);
    },
    onError: (error) => {
      setRefusal(wordsOf(error).message);
      return error.status === 422;
    },
  });
  const faultWords = (key: string | null) => key && t(key);
  return (
    <SignInForm
      title={t('signIn.title')}
      warning={refusal ?? (reason && t(`platform:signedOut.${reason}`))}
      submitLabel={t('signIn.submit')}
      isBusy={isBusy}
      onSubmit={submit}
      footer={
        <Group justify="space-between" gap="xs">
          <Anchor component={Link} to="/auth/sign-up">
            {t('signIn.toSignUp')}
          </Anchor>
          <Anchor component={Link} to="/auth/forgot-password">
            {t('signIn.toForgot')}
          </Anchor>
        </Group>
      }
    >
      <TextInput
        type="email"
        autoComplete="username"
        label={t('fields.email')}
        {...form.getInputProps('email')}
      />
      <PasswordField
        autoComplete="current-password"
        label={t('fields.password')}
        {...form.getInputProps('password')}
      />
    </SignInForm>
  );
}
