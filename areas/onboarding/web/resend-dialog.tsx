// Resends the verification email: to the same address, or to another one, which is saved first.
import { Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { ALREADY_VERIFIED_MS, EMAIL_SENT_MS, toast } from '#platform/web/errors/notices.tsx';
import { useSession } from '#platform/web/session/session.ts';
import { EmailInput } from '#platform/web/ui/email-input.tsx';
import { TestModeNote } from '#platform/web/ui/test-mode.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { isEmail } from '#platform/web/validators.ts';
import { useOpenedHere } from '#platform/web/hooks/use-opened.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { api, refreshOnboarding, useFlags } from './queries.ts';

/** How often the dialog checks whether the address is verified. */
const CHECK_INTERVAL_MS = 4_000;

export default function ResendDialog({ close }: { close: () => void }) {
  const t = useTexts('onboarding');
  useVerified(close);
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
      if (isNew) await refreshOnboarding();
    },
  });
  return (
    <Dialog opened={useOpenedHere()} onClose={close} title={t('resend.title')}>
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
          <FormButtons close={close} isBusy={isBusy}>
            {t('resend.submit')}
          </FormButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Closes the dialog once the address is verified, in another tab or on another device. */
function useVerified(close: () => void): void {
  const t = useTexts('onboarding');
  const isVerified = useFlags(CHECK_INTERVAL_MS).data?.data.email_verified === true;
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!isVerified) return;
    toast(t('steps.verify.already'), { duration: ALREADY_VERIFIED_MS });
    latest.current();
    void refreshOnboarding();
  }, [isVerified, t]);
}
