// Signing in with email and password; says why the last session ended.
import { Alert, Button, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { http } from '#platform/web/http.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { clearSignOutReason, signOutReason } from '#platform/web/session.ts';
import { useTexts } from '#platform/web/texts.ts';

export default function SignInScreen() {
  const t = useTexts('accounts');
  const reason = signOutReason();
  const { form, isBusy, submit } = useServerForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => (email.trim() === '' ? t('fields.emailRequired') : null),
      password: (password) => (password === '' ? t('fields.passwordRequired') : null),
    },
    send: async (values) => {
      await http('POST', '/auth/api/sign-in', { body: values });
      clearSignOutReason();
      location.assign('/');
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Title order={1} size="h2">
          {t('signIn.title')}
        </Title>
        {reason && (
          <Alert color="warning" variant="light" role="status">
            {t(`platform:signedOut.${reason}`)}
          </Alert>
        )}
        <TextInput
          type="email"
          autoComplete="username"
          label={t('fields.email')}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          autoComplete="current-password"
          label={t('fields.password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={isBusy}>
          {t('signIn.submit')}
        </Button>
      </Stack>
    </form>
  );
}
