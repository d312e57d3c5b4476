// The terms of service of SMS, accepted with a name.
import { Button, List, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useServerForm } from '#platform/web/forms.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { TERMS_VERSION } from '../../shared.ts';
import { compliancePath } from '../paths.ts';
import { api, PHONES } from '../queries.ts';

export default function TermsScreen() {
  const t = useTexts('sms');
  const id = useParam('phone');
  const navigate = useNavigate();
  const { form, isBusy, submit } = useServerForm({
    initialValues: { name: '' },
    validate: { name: (value) => (value.trim() ? null : t('fields.required')) },
    send: async ({ name }) => {
      await api('POST /client-api/api/phone/{id}/compliance/terms', {
        params: { id },
        body: { version: TERMS_VERSION, name: name.trim() },
      });
      await invalidate(PHONES, `${PHONES}/${id}`);
      await navigate({ to: compliancePath(id) });
    },
  });
  return (
    <Page
      title={t('compliance.terms')}
      back={{ to: compliancePath(id), label: t('compliance.title') }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw={640}>
          <Text>{t('terms.intro')}</Text>
          <List spacing="xs">
            {(['consent', 'stop', 'hours', 'content'] as const).map((name) => (
              <List.Item key={name}>{t(`terms.${name}`)}</List.Item>
            ))}
          </List>
          <TextInput
            label={t('terms.name')}
            maxLength={200}
            required
            autoComplete="name"
            dir="auto"
            {...form.getInputProps('name')}
          />
          <div>
            <Button type="submit" loading={isBusy}>
              {t('terms.accept')}
            </Button>
          </div>
        </Stack>
      </form>
    </Page>
  );
}
