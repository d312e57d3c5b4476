// Adds codes to a pool: pasted, from a file, or generated.
import {
  Button,
  FileButton,
  Group,
  NumberInput,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ResponseOf } from '#platform/web/api/api.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import type { calls, CouponPool } from '../../contract.ts';
import { MAX_GENERATED } from '../../shared.ts';
import { api } from '../queries.ts';
import { POOLS } from './pools.ts';

type AddedCodes = ResponseOf<typeof calls, 'POST /client-api/api/coupon_pools/{id}/codes'>['data'];

export default function AddCodes({ pool, close }: { pool: CouponPool; close: () => void }) {
  const t = useTexts('content');
  const handleAdded = async ({ added, doubled }: AddedCodes) => {
    await invalidate(POOLS);
    const messages = [t('pools.added', { count: added })];
    if (doubled > 0) messages.push(t('pools.doubled', { count: doubled }));
    toast(messages.join('. '));
    close();
  };
  return (
    <Dialog opened onClose={close} title={`${t('pools.addTitle')}: ${pool.title}`}>
      <Stack gap="xl">
        <EnterCodesForm id={pool.id} onDone={handleAdded} />
        <GenerateCodesForm id={pool.id} onDone={handleAdded} />
      </Stack>
    </Dialog>
  );
}

interface PartProps {
  id: string;
  onDone: (added: AddedCodes) => Promise<void>;
}

function EnterCodesForm({ id, onDone }: PartProps) {
  const t = useTexts('content');
  const { form, isBusy, submit } = useKeptForm(`codes:${id}`, {
    initialValues: { codes: '' },
    validate: { codes: (text) => (text.trim() === '' ? t('pools.needed') : null) },
    send: async (body) => {
      const path = 'POST /client-api/api/coupon_pools/{id}/codes';
      await onDone((await api(path, { params: { id }, body })).data);
    },
  });
  const readFile = async (file: File | null) => {
    if (file) form.setFieldValue('codes', await file.text());
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Textarea
          label={t('pools.codes')}
          description={t('pools.codesHint')}
          dir="ltr"
          rows={6}
          {...form.getInputProps('codes')}
        />
        <Group justify="space-between" gap="xs">
          <FileButton
            accept=".csv,.txt,text/csv,text/plain"
            onChange={(file) => void readFile(file)}
          >
            {(props) => (
              <Button {...props} variant="default">
                {t('pools.file')}
              </Button>
            )}
          </FileButton>
          <Button type="submit" loading={isBusy}>
            {t('pools.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function GenerateCodesForm({ id, onDone }: PartProps) {
  const t = useTexts('content');
  const { form, isBusy, submit } = useKeptForm(`generated-codes:${id}`, {
    initialValues: { count: 1000, prefix: '' },
    send: async (body) => {
      const path = 'POST /client-api/api/coupon_pools/{id}/generate';
      await onDone((await api(path, { params: { id }, body })).data);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text component="h3" fw={600}>
          {t('pools.generateTitle')}
        </Text>
        <Group gap="sm" grow align="flex-start">
          <NumberInput
            label={t('pools.count')}
            min={1}
            max={MAX_GENERATED}
            allowDecimal={false}
            {...form.getInputProps('count')}
          />
          <TextInput
            label={t('pools.prefix')}
            maxLength={20}
            dir="ltr"
            {...form.getInputProps('prefix')}
          />
        </Group>
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={isBusy}>
            {t('pools.generate')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
