// Connects a store: choice of the platform, then its credentials.
import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { api, LIST_PATH } from './queries.ts';
import { PluginSteps } from './plugin-steps.tsx';
import { ShopifyForm } from './shopify-form.tsx';

const METHODS = ['woocommerce', 'shopify', 'plugin', 'demo'] as const;
type ConnectMethod = (typeof METHODS)[number];

export default function ConnectStore({ close }: { close: () => void }) {
  const t = useTexts('stores');
  const [method, setMethod] = useState<ConnectMethod>('woocommerce');
  return (
    <Dialog opened size="lg" onClose={close} title={t('connect')}>
      <Stack gap="md">
        <SegmentedControl
          aria-label={t('platform')}
          fullWidth
          value={method}
          onChange={(value) => setMethod(value as ConnectMethod)}
          data={METHODS.map((value) => ({ value, label: t(`ways.${value}.label`) }))}
        />
        <Text size="sm">{t(`ways.${method}.hint`)}</Text>
        {method === 'woocommerce' && <WooCommerceForm close={close} />}
        {method === 'shopify' && <ShopifyForm close={close} />}
        {method === 'plugin' && <PluginSteps />}
        {method === 'demo' && <DemoShop close={close} />}
      </Stack>
    </Dialog>
  );
}

function WooCommerceForm({ close }: { close: () => void }) {
  const t = useTexts('stores');
  const requireText = (text: string) => (text.trim() === '' ? t('platform:fields.required') : null);
  const { form, isBusy, submit, discard } = useKeptForm('store:woocommerce', {
    secrets: ['key', 'secret'],
    initialValues: { address: '', key: '', secret: '' },
    validate: { address: requireText, key: requireText, secret: requireText },
    send: async (values) => {
      await api('POST /client-api/api/connected-stores', {
        body: { type: 'woocommerce', ...values },
      });
      await invalidate(LIST_PATH);
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {(['address', 'key', 'secret'] as const).map((name) => (
          <TextInput
            key={name}
            label={t(`ways.woocommerce.${name}`)}
            dir="ltr"
            maxLength={500}
            autoComplete="off"
            data-autofocus={name === 'address' || undefined}
            type={name === 'secret' ? 'password' : 'text'}
            placeholder={name === 'address' ? t('ways.woocommerce.placeholder') : undefined}
            {...form.getInputProps(name)}
          />
        ))}
        <FormButtons close={() => discard(close)} isBusy={isBusy}>
          {t('connect')}
        </FormButtons>
      </Stack>
    </form>
  );
}

function DemoShop({ close }: { close: () => void }) {
  const t = useTexts('stores');
  const connect = useAction(() => api('POST /client-api/api/connected-stores/demo', {}), {
    invalidates: [LIST_PATH],
    onDone: close,
  });
  return (
    <Group justify="flex-end" gap="xs">
      <Button loading={connect.isPending} onClick={() => connect.mutate(undefined)}>
        {t('ways.demo.act')}
      </Button>
    </Group>
  );
}
