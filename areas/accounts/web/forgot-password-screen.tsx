// Requests an email with a password reset link; the response never reveals whether the address is
// registered.
import { Anchor, Button, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useServerForm } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { GuestInboxNote } from '#platform/web/ui/test-tools.tsx';
import { SignInForm, SignInMessage } from './sign-in-form.tsx';
import { api, findEmailIssue } from './sign-in-service.ts';

export default function ForgotPasswordScreen() {
  const t = useTexts('accounts');
  const [sentTo, setSentTo] = useState<string>();
  const { form, isBusy, submit } = useServerForm({
    initialValues: { email: '' },
    validate: {
      email: (email) => {
        const key = findEmailIssue(email);
        return key && t(key);
      },
    },
    send: async ({ email }) => {
      await api('POST /auth/api/forgot-password', { body: { email: email.trim() } });
      setSentTo(email.trim());
    },
  });
  if (sentTo) {
    return (
      <SignInMessage
        title={t('forgot.sentTitle')}
        action={
          <Button component={Link} to="/auth" variant="default">
            {t('forgot.back')}
          </Button>
        }
      >
        {t('forgot.sent', { email: sentTo })}
        <GuestInboxNote />
      </SignInMessage>
    );
  }
  return (
    <SignInForm
      title={t('forgot.title')}
      intro={t('forgot.intro')}
      submitLabel={t('forgot.submit')}
      isBusy={isBusy}
      onSubmit={submit}
      footer={
        <Anchor component={Link} to="/auth">
          {t('forgot.back')}
        </Anchor>
      }
    >
      <TextInput
        type="email"
        autoComplete="username"
        label={t('fields.email')}
        {...form.getInputProps('email')}
      />
    </SignInForm>
  );
}
