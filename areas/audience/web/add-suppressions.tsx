// Adds addresses to the suppression list: typed, pasted, or from a file.
import { Button, FileInput, Group, List, Select, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { CHANNELS, type Channel, SUPPRESSION_REASONS } from '#areas/subscribers/shared.ts';
import { type ResponseOf, client } from '#platform/web/api/api.ts';
import type { FormHandle } from '#platform/web/forms.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { SUPPRESSION_FILE_MB } from '../shared.ts';
import type { suppressionCalls } from '../suppressions-contract.ts';
import { SUBSCRIBER_QUERIES } from './queries.ts';

const api = client<typeof suppressionCalls>();
const LIST_PATH = '/client-api/api/suppressions';
const REASONS = SUPPRESSION_REASONS.filter((suppressionReason) => suppressionReason !== 'erased');
type Reason = (typeof REASONS)[number];
type AddedSuppressions = ResponseOf<
  typeof suppressionCalls,
  'POST /client-api/api/suppressions'
>['data'];

type SuppressionValues = { addresses: string; file: File | null; channel: Channel; reason: Reason };

interface AddProps {
  isOpen: boolean;
  channel: Channel;
  close: () => void;
}

export default function AddSuppressions({ isOpen, channel, close }: AddProps) {
  const t = useTexts('audience');
  return (
    <Dialog opened={useOpened(isOpen)} onClose={close} title={t('suppressions.add.title')}>
      {isOpen && <AddForm channel={channel} close={close} />}
    </Dialog>
  );
}

function AddForm({ channel, close }: Omit<AddProps, 'isOpen'>) {
  const t = useTexts('audience');
  const [added, setAdded] = useState<AddedSuppressions>();
  const { form, isBusy, submit, discard } = useKeptForm<SuppressionValues>(
    `suppressions:${channel}`,
    {
      secrets: ['file'],
      initialValues: { addresses: '', file: null, channel, reason: 'manual' },
      validate: {
        addresses: (input, { file }) =>
          input.trim() === '' && !file ? t('suppressions.add.nothing') : null,
      },
      send: async ({ addresses, file, ...details }) => {
        const { data } = file
          ? await sendFile(file, details)
          : await api('POST /client-api/api/suppressions', {
              body: { addresses: splitLines(addresses), ...details },
            });
        await invalidate(LIST_PATH, ...SUBSCRIBER_QUERIES);
        if (data.invalid_count > 0) setAdded(data);
        else {
          toast(t('suppressions.add.done', { count: data.added }));
          close();
        }
      },
    },
  );
  if (added) return <Result added={added} close={close} />;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Fields form={form} />
        <FormButtons close={() => discard(close)} isBusy={isBusy}>
          {t('suppressions.add.confirm')}
        </FormButtons>
      </Stack>
    </form>
  );
}

function Fields({ form }: { form: FormHandle<SuppressionValues> }) {
  const t = useTexts('audience');
  return (
    <>
      <Textarea
        label={t('suppressions.add.addresses')}
        description={t('suppressions.add.addressesHint')}
        dir="ltr"
        autosize
        minRows={4}
        maxRows={12}
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('addresses')}
      />
      <FileInput
        label={t('suppressions.add.file')}
        description={t('suppressions.add.fileHint', { megabytes: SUPPRESSION_FILE_MB })}
        placeholder={t('suppressions.add.choose')}
        accept=".csv,.txt,.tsv,.xlsx"
        clearable
        clearButtonProps={{ 'aria-label': t('suppressions.add.noFile') }}
        {...form.getInputProps('file')}
      />
      <Select
        label={t('suppressions.channel')}
        allowDeselect={false}
        data={CHANNELS.map((value) => ({ value, label: t(`channels.${value}`) }))}
        {...form.getInputProps('channel')}
      />
      <Select
        label={t('suppressions.reason')}
        description={t('suppressions.add.reasonHint')}
        allowDeselect={false}
        data={REASONS.map((value) => ({ value, label: t(`suppressions.reasons.${value}`) }))}
        {...form.getInputProps('reason')}
      />
    </>
  );
}

/** Shows invalid addresses because they may be typing errors. */
function Result({ added, close }: { added: AddedSuppressions; close: () => void }) {
  const t = useTexts('audience');
  return (
    <Stack gap="md">
      <Text>{t('suppressions.add.done', { count: added.added })}</Text>
      <Text fw={600}>{t('suppressions.add.invalid', { count: added.invalid_count })}</Text>
      <List size="sm">
        {added.invalid.map((input, i) => (
          <List.Item key={`${i} ${input}`}>
            <bdi>{input}</bdi>
          </List.Item>
        ))}
      </List>
      <Group justify="flex-end">
        <Button onClick={close}>{t('platform:dialog.close')}</Button>
      </Group>
    </Stack>
  );
}

function sendFile(file: File, query: { channel: Channel; reason: Reason }) {
  const form = new FormData();
  form.append('file', file);
  return api.upload('POST /client-api/api/suppressions/import', form, { query });
}

const splitLines = (input: string) =>
  input
    .split(/[\r\n,;]+/)
    .map((line) => line.trim())
    .filter(Boolean);
