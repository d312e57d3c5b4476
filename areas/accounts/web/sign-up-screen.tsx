// Creates an account from an address and a password; language and time zone come from the browser.
import { Anchor, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { errorTexts } from '#platform/web/errors/errors.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { getCurrentLanguage, useTexts } from '#platform/web/texts/texts.ts';
import { MIN_PASSWORD } from '../shared.ts';
import { PasswordField, SignInForm } from './sign-in-form.tsx';
import { api, findEmailIssue, enterApp, findPasswordIssue } from './sign-in-service.ts';

export default function SignUpScreen() {
  const t = useTexts('accounts');
  const { form, isBusy, submit, refusal } = useSignUpForm();
  return (
    <SignInForm
      title={t('signUp.title')}
      intro={t('signUp.intro')}
      warning={refusal}
      submitLabel={t('signUp.submit')}
      isBusy={isBusy}
      onSubmit={submit}
      footer={
        <>
          {t('signUp.haveAccount')}{' '}
          <Anchor component={Link} to="/auth" underline="always">
            {t('signIn.title')}
          </Anchor>
        </>
      }
    >
      <TextInput
        type="email"
        autoComplete="username"
        label={t('fields.email')}
        {...form.getInputProps('email')}
      />
      <PasswordField
        autoComplete="new-password"
        label={t('fields.password')}
        description={t('fields.passwordShort', { count: MIN_PASSWORD })}
        {...form.getInputProps('password')}
      />
    </SignInForm>
  );
}

function useSignUpForm() {
  const t = useTexts('accounts');
  const [refusal, setRefusal] = useState<string>();
  const getFaultText = (key: string | null) => key && t(key, { count: MIN_PASSWORD });
  const server = useServerForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => getFaultText(findEmailIssue(email)),
      password: (password) => getFaultText(findPasswordIssue(password)),
    },
    send: async (values) => {
      await api('POST /auth/api/sign-up', {
        body: {
          email: values.email.trim(),
          password: values.password,
          language: getCurrentLanguage(),
          timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        },
      });
      enterApp('/complete-registration');
    },
    onError: (error) => {
      if (error.code === 'email_taken') {
        server.form.setFieldError('email', t('signUp.emailTaken'));
        return true;
      }
      if (Object.keys(error.errors).length > 0 || error.status === 0) return false;
      setRefusal(errorTexts(error).message);
      return true;
    },
  });
  return { ...server, refusal };
}
