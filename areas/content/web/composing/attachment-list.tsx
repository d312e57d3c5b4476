// Attachments of an email in its editor: list, upload and removal.
import { Button, Stack, Text } from '@mantine/core';
import { IconPaperclip } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { showError } from '#platform/web/errors/errors.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { MAX_ATTACHED, MAX_ATTACHED_BYTES } from '../../shared.ts';
import { api, resolveCall, type EmailRef } from './composing.ts';
import { type AttachmentsProps, FileList, useAttachments } from './file-list.tsx';

export default function AttachmentList({ email, saveContent }: AttachmentsProps) {
  const t = useTexts('composing');
  const { bytes } = useFormats();
  const { data } = useAttachments(email);
  const { input, isBusy, attach, detach } = useChanges(email, saveContent);
  const files = data?.data ?? [];
  const usedBytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        {t('attachments.hint', {
          count: MAX_ATTACHED,
          size: bytes(MAX_ATTACHED_BYTES),
        })}
      </Text>
      {files.length > 0 && <FileList files={files} remove={detach} />}
      {files.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('attachments.used', { size: bytes(usedBytes), most: bytes(MAX_ATTACHED_BYTES) })}
        </Text>
      )}
      <Button
        size="xs"
        variant="default"
        loading={isBusy}
        disabled={data === undefined || files.length >= MAX_ATTACHED}
        leftSection={<IconPaperclip size={16} stroke={1.75} aria-hidden="true" />}
        onClick={() => input.current?.click()}
      >
        {t('attachments.add')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('attachments.add')}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = '';
          if (file) void attach(file);
        }}
      />
    </Stack>
  );
}

function useChanges(email: EmailRef, before: () => Promise<boolean>) {
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const changing = async (action: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await action();
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
    // Checks and previews depend on attachments.
    void invalidate(`${email.basePath}/${email.id}`);
  };
  const attach = (file: File) =>
    changing(async () => {
      if (!(await before())) return;
      const form = new FormData();
      form.append('file', file);
      const params = { id: email.id };
      await api.upload(resolveCall(email, 'POST /{base}/{id}/attachments'), form, { params });
    });
  const detach = (attachment: string) =>
    changing(() =>
      api(resolveCall(email, 'DELETE /{base}/{id}/attachments/{attachment}'), {
        params: { id: email.id, attachment },
      }),
    );
  return { input, isBusy, attach, detach };
}
