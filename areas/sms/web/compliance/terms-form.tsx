// The terms of service of SMS, which the user accepts by entering a name. It defaults to the name
// of the signed-in user.
import { Button, List, Stack, Text, TextInput } from '@mantine/core';
import { invalidate } from '#platform/web/api/queries.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { TERMS_VERSION } from '../../shared.ts';
import { api, PHONES } from '../queries.ts';

const TERMS = ['consent', 'stop', 'hours', 'content'] as const;

export function TermsForm({ id, onDone }: { id: string; onDone?: () => Promise<unknown> }) {
  const t = useTexts('sms');
  const { user } = useSession();
  const { form, isBusy, submit } = useServerForm({
    initialValues: { name: [user.name, user.surname].filter(Boolean).join(' ') },
    validate: { name: (value) => (value.trim() ? null : t('fields.required')) },
    send: async ({ name }) => {
      await api('POST /client-api/api/phone/{id}/compliance/terms', {
        params: { id },
        body: { version: TERMS_VERSION, name: name.trim() },
      });
      await invalidate(PHONES, `${PHONES}/${id}`);
      await onDone?.();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" maw={640}>
        <Text>{t('terms.intro')}</Text>
        <List spacing="xs">
          {TERMS.map((name) => (
            <List.Item key={name}>{t(`terms.${name}`)}</List.Item>
          ))}
        </List>
        <TextInput
          label={t('terms.name')}
          maxLength={200}
          required
          autoComplete="name"
          dir="auto"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <div>
          <Button type="submit" loading={isBusy}>
            {t('terms.accept')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
