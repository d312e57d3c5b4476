// Writes an email to one subscriber.
import { Group, Stack, Textarea, TextInput } from '@mantine/core';
import { toast } from '#platform/web/errors/notices.tsx';
import { useOpenedHere } from '#platform/web/hooks/use-opened.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { isEmail } from '#platform/web/validators.ts';
import { api } from './queries.ts';

interface SendEmailDialogProps {
  id: string;
  name: string;
  onClose: () => void;
}

export default function SendEmailDialog({ id, name, onClose }: SendEmailDialogProps) {
  const t = useTexts('audience');
  const p = useTexts('platform');
  const { user, account } = useSession();
  const validateRequired = (value: string) => (value.trim() === '' ? p('fields.required') : null);
  const { form, isBusy, submit, discard } = useKeptForm(`subscriber:${id}:email`, {
    initialValues: { from_name: account.title, from_email: user.email, subject: '', text: '' },
    validate: {
      from_email: (email) => (isEmail(email.trim()) ? null : p('fields.email')),
      subject: validateRequired,
      text: validateRequired,
    },
    send: async (values) => {
      await api('POST /client-api/api/subscribers/{id}/email', {
        params: { id },
        body: { ...values, from_email: values.from_email.trim() },
      });
      onClose();
      toast(t('one.email.done', { name }));
    },
  });
  return (
    <Dialog opened={useOpenedHere()} onClose={onClose} title={t('one.email.title', { name })}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Group grow align="start" gap="sm">
            <TextInput label={t('one.email.fromName')} {...form.getInputProps('from_name')} />
            <TextInput
              type="email"
              label={t('one.email.from')}
              {...form.getInputProps('from_email')}
            />
          </Group>
          <TextInput
            label={t('one.email.subject')}
            data-autofocus
            {...form.getInputProps('subject')}
          />
          <Textarea
            label={t('one.email.text')}
            description={t('one.email.hint')}
            autosize
            minRows={6}
            maxRows={16}
            {...form.getInputProps('text')}
          />
          <FormButtons close={() => discard(onClose)} isBusy={isBusy}>
            {t('one.email.confirm')}
          </FormButtons>
        </Stack>
      </form>
    </Dialog>
  );
}
