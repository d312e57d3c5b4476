// Connects a Shopify store with the client ID and secret of an app, or with the access token and
// secret of an app created before 2026.
import { Anchor, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { SHOPIFY_SCOPES } from '../shared.ts';
import { api, LIST_PATH } from './queries.ts';

const DEV_DASHBOARD = 'https://dev.shopify.com/dashboard';
const STEPS = ['create', 'release', 'install', 'copy'] as const;

export function ShopifyForm({ close }: { close: () => void }) {
  const t = useTexts('stores');
  const [isOlder, setOlder] = useState(false);
  const requireText = (text: string) => (text.trim() === '' ? t('platform:fields.required') : null);
  const { form, isBusy, submit, discard } = useKeptForm('store:shopify', {
    secrets: ['key', 'secret'],
    initialValues: { address: '', key: '', secret: '' },
    validate: { address: requireText, key: requireText, secret: requireText },
    send: async (values) => {
      const access = isOlder ? 'token' : 'client';
      await api('POST /client-api/api/connected-stores', {
        body: { type: 'shopify', ...values, access },
      });
      await invalidate(LIST_PATH);
      close();
    },
  });
  const labels = {
    address: t('ways.shopify.address'),
    key: t(isOlder ? 'ways.shopify.token' : 'ways.shopify.key'),
    secret: t(isOlder ? 'ways.shopify.appSecret' : 'ways.shopify.secret'),
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {!isOlder && <Steps />}
        {(['address', 'key', 'secret'] as const).map((name) => (
          <TextInput
            key={name}
            label={labels[name]}
            dir="ltr"
            maxLength={500}
            autoComplete="off"
            data-autofocus={name === 'address' || undefined}
            type={name === 'secret' ? 'password' : 'text'}
            placeholder={name === 'address' ? t('ways.shopify.placeholder') : undefined}
            {...form.getInputProps(name)}
          />
        ))}
        <Checkbox
          label={t('ways.shopify.older')}
          description={t('ways.shopify.olderHint')}
          checked={isOlder}
          onChange={(event) => setOlder(event.currentTarget.checked)}
        />
        <FormButtons close={() => discard(close)} isBusy={isBusy}>
          {t('connect')}
        </FormButtons>
      </Stack>
    </form>
  );
}

/** Steps to create the app, and the permissions that it needs. */
function Steps() {
  const t = useTexts('stores');
  const scopes = SHOPIFY_SCOPES.join(',');
  return (
    <Stack gap="xs">
      <ol>
        {STEPS.map((step) => (
          <li key={step}>
            <Text size="sm">{t(`ways.shopify.steps.${step}`)}</Text>
          </li>
        ))}
      </ol>
      <Group gap="xs">
        <Text size="sm">{t('ways.shopify.scopes')}</Text>
        <Text size="sm" ff="monospace" dir="ltr">
          {scopes}
        </Text>
        <CopyButton value={scopes} label={t('ways.shopify.copyScopes')} />
      </Group>
      <Anchor size="sm" href={DEV_DASHBOARD} target="_blank" rel="noreferrer">
        {t('ways.shopify.dashboard')}
      </Anchor>
    </Stack>
  );
}
