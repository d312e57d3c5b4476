// Invites a user by email and sets their rights.
import { Stack } from '@mantine/core';
import { DENIABLE_RIGHTS, type Right } from '#platform/rights.ts';
import { notice } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { useRights } from '#platform/web/session/rights.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { EmailInput } from '#platform/web/ui/email-input.tsx';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { findEmailIssue } from '../sign-in-service.ts';
import { api, INVITATIONS } from './queries.ts';
import { RightsFields } from './rights-fields.tsx';

interface InviteDialogProps {
  isOpen: boolean;
  close: () => void;
}

export default function InviteDialog({ isOpen, close }: InviteDialogProps) {
  const t = useTexts('accounts');
  return (
    <Dialog opened={useOpened(isOpen)} onClose={close} title={t('invitations.title')}>
      {isOpen && <InviteForm close={close} />}
    </Dialog>
  );
}

function InviteForm({ close }: { close: () => void }) {
  const t = useTexts('accounts');
  const ownRights = useRights();
  const missingRights: Right[] = DENIABLE_RIGHTS.filter((right) => !ownRights.has(right));
  const { form, isBusy, submit, discard } = useKeptForm('invitation:new', {
    initialValues: { email: '', denied: missingRights },
    validate: {
      email: (email) => {
        const issue = findEmailIssue(email);
        return issue && t(issue);
      },
    },
    send: async (values) => {
      const email = values.email.trim();
      const body = { email, denied: values.denied };
      await api('POST /client-api/api/invitations', { body });
      close();
      notice(t('invitations.sent', { email }));
      await invalidate(INVITATIONS);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <EmailInput
          label={t('fields.email')}
          description={t('invitations.hint')}
          data-autofocus
          {...form.getInputProps('email')}
        />
        <RightsFields
          denied={form.getValues().denied}
          onChange={(denied) => form.setFieldValue('denied', denied)}
        />
        <FormButtons close={() => discard(close)} isBusy={isBusy}>
          {t('invitations.send')}
        </FormButtons>
      </Stack>
    </form>
  );
}
