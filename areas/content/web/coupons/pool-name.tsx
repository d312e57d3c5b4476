// The dialog that names a new pool or renames an existing one.
import { Stack, TextInput } from '@mantine/core';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import type { CouponPool } from '../../contract.ts';
import { api } from '../queries.ts';
import { POOLS } from './pools.ts';

export default function PoolName({ pool, close }: { pool?: CouponPool; close: () => void }) {
  const t = useTexts('content');
  const { form, isBusy, submit, discard } = useKeptForm(`pool:${pool?.id ?? 'new'}`, {
    initialValues: { title: pool?.title ?? '' },
    validate: { title: (text) => (text.trim() === '' ? t('pools.needed') : null) },
    send: async ({ title }) => {
      const body = { title: title.trim() };
      if (pool) {
        await api('PUT /client-api/api/coupon_pools/{id}', { params: { id: pool.id }, body });
      } else {
        await api('POST /client-api/api/coupon_pools', { body });
      }
      await invalidate(POOLS);
      close();
    },
  });
  return (
    <Dialog opened onClose={close} title={t(pool ? 'pools.rename' : 'pools.create')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            label={t('pools.name')}
            maxLength={100}
            data-autofocus
            {...form.getInputProps('title')}
          />
          <FormButtons close={() => discard(close)} isBusy={isBusy}>
            {t('pools.save')}
          </FormButtons>
        </Stack>
      </form>
    </Dialog>
  );
}
