// Resends the verification email: to the same address, or to another one, which is saved first.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { toUnicodeDomain } from '#platform/domain-letters.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { EMAIL_SENT_MS, toast } from '#platform/web/errors/notices.tsx';
import { useSession } from '#platform/web/session/session.ts';
import { EmailInput } from '#platform/web/ui/email-input.tsx';
import { TestModeNote } from '#platform/web/ui/test-mode.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { isEmail } from '#platform/web/validators.ts';
import { useOpenedHere } from '#platform/web/hooks/use-opened.ts';
import { api, refresh } from './queries.ts';

export default function ResendDialog({ close }: { close: () => void }) {
  const t = useTexts('onboarding');
  const { user } = useSession();
  const params = { id: user.id };
  const { form, isBusy, submit } = useServerForm({
    initialValues: { email: toUnicodeDomain(user.email) },
    validate: {
      email: (email) => {
        if (email.trim() === '') return t('accounts:fields.emailRequired');
        return isEmail(email.trim()) ? null : t('platform:fields.email');
      },
    },
    send: async (values) => {
      const email = values.email.trim();
      const isNew = email !== toUnicodeDomain(user.email);
      if (isNew) await api('PATCH /client-api/api/users/{id}', { params, body: { email } });
      await api('GET /client-api/api/users/{id}/resend_verification_letter', { params });
      toast(t('accounts:profile.letterSent', { email }), { duration: EMAIL_SENT_MS });
      close();
      if (isNew) await refresh();
    },
  });
  return (
    <Modal
      opened={useOpenedHere()}
      onClose={close}
      title={t('resend.title')}
      closeButtonProps={{ 'aria-label': t('platform:dialog.close') }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t('resend.text')}
          </Text>
          <TestModeNote>{t('resend.testMode')}</TestModeNote>
          <EmailInput
            autoComplete="email"
            data-autofocus
            label={t('accounts:fields.email')}
            {...form.getInputProps('email')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {t('platform:confirm.cancel')}
            </Button>
            <Button type="submit" loading={isBusy}>
              {t('resend.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
