// The screen that an invitation's link opens: a new user chooses a password, an existing user
// enters theirs. Without password sign-in, the identity provider's page follows.
import { Button, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { text, useSearchParams } from '#platform/web/api/address.ts';
import { ApiError, client } from '#platform/web/api/api.ts';
import { errorTexts } from '#platform/web/errors/errors.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState } from '#platform/web/ui/states.tsx';
import type { settingsCalls } from '../settings-contract.ts';
import { MIN_PASSWORD } from '../shared.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { CodeField, PasswordField, SignInForm, SignInMessage } from './sign-in-form.tsx';
import { enterApp, findPasswordIssue } from './sign-in-service.ts';

const api = client<typeof settingsCalls>();
const address = { token: text('') };

interface InvitationDetails {
  email: string;
  account: string;
  has_user: boolean;
  /** The identity provider, if the address signs in only there. */
  provider: string | null;
}

export default function AcceptInvitationScreen() {
  const t = useTexts('accounts');
  const [{ token }] = useSearchParams(address);
  const [isUsed, setUsed] = useState(false);
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => api('POST /auth/api/invitation', { body: { token } }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
    meta: { notFound: 'inline' },
    retry: false,
  });
  const { error } = invitation;
  if (token === '' || isUsed || (error instanceof ApiError && error.status === 422)) {
    return (
      <SignInMessage
        title={t('links.expiredTitle')}
        action={
          <Button component="a" href="/">
            {t('verify.continue')}
          </Button>
        }
      >
        {t('accept.expired')}
      </SignInMessage>
    );
  }
  if (error) return <FailedState error={error} retry={() => void invitation.refetch()} />;
  if (!invitation.data) {
    return (
      <SignInMessage title={t('accept.loading')}>
        <Loader size="sm" role="status" aria-label={t('platform:states.loading')} />
      </SignInMessage>
    );
  }
  const invitationData = invitation.data.data;
  const Form = invitationData.provider === null ? JoinForm : ProviderForm;
  return <Form token={token} invitationData={invitationData} onSpent={() => setUsed(true)} />;
}

interface JoinFormProps {
  token: string;
  invitationData: InvitationDetails;
  onSpent: () => void;
}

function JoinForm(props: JoinFormProps) {
  const t = useTexts('accounts');
  const { token, invitationData } = props;
  const { form, isBusy, submit, refusal, setRefusal, isCodeNeeded } = useJoinForm(props);
  return (
    <SignInForm
      title={useTitle(invitationData)}
      intro={t(invitationData.has_user ? 'accept.known' : 'accept.new')}
      warning={refusal}
      submitLabel={t('accept.submit')}
      isBusy={isBusy}
      onSubmit={submit}
      alternative={
        isCodeNeeded && (
          <PasskeyButton
            label={t('passkeys.use')}
            onRefused={setRefusal}
            send={async (passkey) => {
              const { password } = form.getValues();
              await api('POST /auth/api/accept-invitation', { body: { token, password, passkey } });
              enterApp('/');
            }}
          />
        )
      }
    >
      <Text>
        <bdi>{toUnicodeDomain(invitationData.email)}</bdi>
      </Text>
      <input
        type="hidden"
        name="username"
        autoComplete="username"
        value={invitationData.email}
        readOnly
      />
      <PasswordField
        autoComplete={invitationData.has_user ? 'current-password' : 'new-password'}
        label={t('fields.password')}
        description={
          invitationData.has_user ? undefined : t('fields.passwordShort', { count: MIN_PASSWORD })
        }
        {...form.getInputProps('password')}
      />
      {isCodeNeeded && <CodeField autoFocus {...form.getInputProps('code')} />}
    </SignInForm>
  );
}

function useTitle({ account }: InvitationDetails): string {
  const t = useTexts('accounts');
  return account ? t('accept.title', { account }) : t('accept.untitled');
}

/** Joins the account without a password and opens the sign-in page of the identity provider. */
function ProviderForm({ token, invitationData, onSpent }: JoinFormProps) {
  const t = useTexts('accounts');
  const [refusal, setRefusal] = useState<string>();
  const { isBusy, submit } = useServerForm({
    initialValues: {},
    send: async () => {
      await api('POST /auth/api/join-by-invitation', { body: { token } });
      location.assign(`/auth/api/oidc/start?next=${encodeURIComponent('/')}`);
    },
    onError: (error) => {
      if (error.code === 'link_expired') onSpent();
      else setRefusal(errorTexts(error).message);
      return true;
    },
  });
  return (
    <SignInForm
      title={useTitle(invitationData)}
      intro={t('sso.text', { title: invitationData.provider })}
      warning={refusal}
      submitLabel={t('accept.submit')}
      isBusy={isBusy}
      onSubmit={submit}
    >
      <Text>
        <bdi>{toUnicodeDomain(invitationData.email)}</bdi>
      </Text>
    </SignInForm>
  );
}

function useJoinForm({ token, invitationData, onSpent }: JoinFormProps) {
  const t = useTexts('accounts');
  const [refusal, setRefusal] = useState<string>();
  const [isCodeNeeded, setCodeNeeded] = useState(false);
  const join = useServerForm({
    initialValues: { password: '', code: '' },
    validate: {
      password: (password) => {
        if (invitationData.has_user) return password === '' ? t('fields.passwordRequired') : null;
        const key = findPasswordIssue(password);
        return key && t(key, { count: MIN_PASSWORD });
      },
    },
    send: async ({ password, code }) => {
      const body = { token, password, ...(isCodeNeeded && { code: code.trim() }) };
      await api('POST /auth/api/accept-invitation', { body });
      enterApp('/');
    },
    onError: (error) => {
      if (error.code === 'link_expired') onSpent();
      else if (error.code === 'code_required' && !isCodeNeeded) setCodeNeeded(true);
      else if (error.errors.password) return false;
      else setRefusal(errorTexts(error).message);
      return true;
    },
  });
  return { ...join, refusal, setRefusal, isCodeNeeded };
}
