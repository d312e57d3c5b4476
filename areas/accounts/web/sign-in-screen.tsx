// Sign-in with email and password; shows why the last session ended.
import { Anchor, Group, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { text, useAddress } from '#platform/web/api/address.ts';
import { errorTexts } from '#platform/web/errors/errors.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { signOutReason } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { api as passkeyApi } from './passkey.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { CodeField, PasswordField, SignInForm } from './sign-in-form.tsx';
import { api, emailFault, enter } from './sign-in-service.ts';

const address = { next: text('/') };

export default function SignInScreen() {
  const t = useTexts('accounts');
  const [{ next }] = useAddress(address);
  const reason = signOutReason();
  const { form, isBusy, submit, refusal, setRefusal, isCodeNeeded } = useSignInForm(next);
  return (
    <SignInForm
      title={t('signIn.title')}
      warning={refusal ?? (reason && t(`platform:signedOut.${reason}`))}
      submitLabel={t('signIn.submit')}
      isBusy={isBusy}
      onSubmit={submit}
      another={
        <PasskeyButton
          label={t('passkeys.signIn')}
          onRefused={setRefusal}
          isListed={!isBusy}
          send={async (passkey) => {
            await passkeyApi('POST /auth/api/passkey', { body: { passkey } });
            enter(next);
          }}
        />
      }
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
        autoComplete="username webauthn"
        label={t('fields.email')}
        {...form.getInputProps('email')}
      />
      <PasswordField
        autoComplete="current-password"
        label={t('fields.password')}
        {...form.getInputProps('password')}
      />
      {isCodeNeeded && <CodeField autoFocus {...form.getInputProps('code')} />}
    </SignInForm>
  );
}

function useSignInForm(next: string) {
  const t = useTexts('accounts');
  const [refusal, setRefusal] = useState<string>();
  // True for users with a second factor, once the password was correct.
  const [isCodeNeeded, setCodeNeeded] = useState(false);
  const signIn = useServerForm({
    initialValues: { email: '', password: '', code: '' },
    validate: {
      email: (email) => {
        const key = emailFault(email);
        return key && t(key);
      },
      password: (password) => (password === '' ? t('fields.passwordRequired') : null),
      code: (code) => (isCodeNeeded && code.trim() === '' ? t('twoFactor.codeRequired') : null),
    },
    send: async ({ email, password, code }) => {
      const body = { email: email.trim(), password, ...(isCodeNeeded && { code: code.trim() }) };
      await api('POST /auth/api/sign-in', { body });
      enter(next);
    },
    onError: (error) => {
      if (error.code === 'code_required' && !isCodeNeeded) {
        setRefusal(undefined);
        setCodeNeeded(true);
        return true;
      }
      setRefusal(errorTexts(error).message);
      return error.status === 422;
    },
  });
  return { ...signIn, refusal, setRefusal, isCodeNeeded };
}
