// Files that were taken in and not started: each can be gone on with, or removed.
import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useFormats } from '#platform/web/formats.ts';
import { toast } from '#platform/web/notices.tsx';
import { queryClient, touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Upload } from '../contract.ts';
import { api, uploads } from './queries.ts';

export function UploadsList({ onChoose }: { onChoose: (id: string) => void }) {
  const t = useTexts('imports');
  const { relative } = useFormats();
  const { data } = useQuery(api.query('GET /client-api/api/imports/uploads'));
  const title = useRef<HTMLHeadingElement>(null);
  const remove = async ({ id, fileName: name }: Upload) => {
    const params = { id };
    const isDone = await confirm({
      title: t('uploads.removeTitle', { name }),
      message: t('uploads.removeMessage'),
      confirm: t('uploads.remove'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/imports/{id}', { params }),
    });
    // It may have gone or been started meanwhile.
    await touch(uploads);
    if (!isDone) return;
    const { queryKey } = api.query('GET /client-api/api/imports/{id}', { params });
    queryClient.removeQueries({ queryKey });
    toast(t('uploads.removeDone', { name }));
    // The pressed button has gone with its row, which is drawn by then; the last one takes the list along.
    setTimeout(() => (title.current ?? document.getElementById('main'))?.focus());
  };
  const shown = data?.data.filter((one) => one.method === 'file' && one.state === 'uploaded') ?? [];
  if (shown.length === 0) return null;
  return (
    <section>
      <Title ref={title} tabIndex={-1} order={2} size="h4" mt="xl">
        {t('uploads.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('uploads.text')}
      </Text>
      {shown.map((one) => (
        <Group key={one.id} justify="space-between" py={4}>
          <Text size="sm">
            <bdi>{one.fileName}</bdi> · <time dateTime={one.created}>{relative(one.created)}</time>
          </Text>
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              aria-label={t('uploads.goOnWith', { name: one.fileName })}
              onClick={() => onChoose(one.id)}
            >
              {t('uploads.goOn')}
            </Button>
            <Button
              variant="default"
              size="xs"
              aria-label={t('uploads.removeNamed', { name: one.fileName })}
              onClick={() => void remove(one)}
            >
              {t('uploads.remove')}
            </Button>
          </Group>
        </Group>
      ))}
    </section>
  );
}
