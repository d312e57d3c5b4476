// The sign-in screen: by email and password, passkey or identity provider. It also shows why the
// last session ended.
import { Anchor, Button, Group, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '#platform/web/api/api.ts';
import { text, useSearchParams } from '#platform/web/api/address.ts';
import { errorTexts } from '#platform/web/errors/errors.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { signOutReason } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { oidcCalls } from '../oidc-contract.ts';
import { api as passkeyApi } from './passkey.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { CodeField, PasswordField, SignInForm, SignInMessage } from './sign-in-form.tsx';
import { api, findEmailIssue, enterApp } from './sign-in-service.ts';

const address = { next: text('/'), refused: text() };
const methodsApi = client<typeof oidcCalls>();

const REFUSALS = [
  'oidc_failed',
  'oidc_expired',
  'oidc_off',
  'identity_unknown',
  'identity_unverified',
  'identity_no_account',
  'identity_taken',
];

export default function SignInScreen() {
  const t = useTexts('accounts');
  const [{ next, refused: refusalCode }] = useSearchParams(address);
  const sso = useSingleSignOn(next, refusalCode);
  const reason = signOutReason();
  const { form, isBusy, submit, refusal, setRefusal, isCodeNeeded } = useSignInForm(next);
  if (sso.isOnly) return sso.screen;
  return (
    <SignInForm
      title={t('signIn.title')}
      warning={refusal ?? sso.refusal ?? (reason && t(`platform:signedOut.${reason}`))}
      submitLabel={t('signIn.submit')}
      isBusy={isBusy}
      onSubmit={submit}
      alternative={
        <>
          {sso.button}
          <PasskeyButton
            label={t('passkeys.signIn')}
            onRefused={setRefusal}
            isListed={!isBusy}
            send={async (passkey) => {
              await passkeyApi('POST /auth/api/passkey', { body: { passkey } });
              enterApp(next);
            }}
          />
        </>
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

/**
 * Sign-in through the identity provider: its button, the reason for a refusal and, on installations
 * without password sign-in, a screen with only this button and a link to the password form.
 */
function useSingleSignOn(next: string, refusalCode: string) {
  const t = useTexts('accounts');
  const methods = useQuery({
    ...methodsApi.query('GET /auth/api/methods'),
    staleTime: Infinity,
    retry: false,
    meta: { notFound: 'inline' },
  });
  const title = methods.data?.data.oidc;
  const [isByPassword, setByPassword] = useState(false);
  const refusal = REFUSALS.includes(refusalCode) ? t(`sso.refused.${refusalCode}`) : undefined;
  const button = title && (
    <Button
      component="a"
      href={`/auth/api/oidc/start?next=${encodeURIComponent(next)}`}
      variant="default"
      size="md"
      fullWidth
    >
      {t('sso.signIn', { title })}
    </Button>
  );
  const isOnly = Boolean(title) && methods.data?.data.has_passwords === false && !isByPassword;
  const screen = (
    <SignInMessage title={t('signIn.title')} action={button}>
      {refusal}{' '}
      <Anchor component="button" type="button" size="sm" onClick={() => setByPassword(true)}>
        {t('sso.usePassword')}
      </Anchor>
    </SignInMessage>
  );
  return { refusal, button, isOnly, screen };
}

function useSignInForm(next: string) {
  const t = useTexts('accounts');
  const [refusal, setRefusal] = useState<string>();
  // True once a user with a second factor has sent the correct password.
  const [isCodeNeeded, setCodeNeeded] = useState(false);
  const signIn = useServerForm({
    initialValues: { email: '', password: '', code: '' },
    validate: {
      email: (email) => {
        const key = findEmailIssue(email);
        return key && t(key);
      },
      password: (password) => (password === '' ? t('fields.passwordRequired') : null),
      code: (code) => (isCodeNeeded && code.trim() === '' ? t('twoFactor.codeRequired') : null),
    },
    send: async ({ email, password, code }) => {
      const body = { email: email.trim(), password, ...(isCodeNeeded && { code: code.trim() }) };
      await api('POST /auth/api/sign-in', { body });
      enterApp(next);
    },
    onError: (error) => {
      if (error.code === 'code_required' && !isCodeNeeded) {
        setRefusal(undefined);
        setCodeNeeded(true);
        return true;
      }
      // The cluster node with the account is unavailable. An operator is signed in nevertheless,
      // but can open only the operator's page.
      if (error.code === 'operator_page_only') {
        enterApp('/operator');
        return true;
      }
      setRefusal(errorTexts(error).message);
      return error.status === 422;
    },
  });
  return { ...signIn, refusal, setRefusal, isCodeNeeded };
}
