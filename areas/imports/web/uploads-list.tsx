// Files that were taken in and not started: each can be gone on with, or removed.
import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { useFormats } from '#platform/web/formats.ts';
import { toast } from '#platform/web/notices.tsx';
import { queryClient, touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { FailedState } from '#platform/web/ui/states.tsx';
import type { Upload } from '../contract.ts';
import { api, uploads } from './queries.ts';

export function UploadsList() {
  const t = useTexts('imports');
  const waiting = useQuery({
    ...api.query('GET /client-api/api/imports/uploads'),
    refetchInterval: ({ state }) => (state.data?.data.some(isFetching) ? 5000 : false),
  });
  const title = useRef<HTMLHeadingElement>(null);
  const remove = async (id: string, name: string) => {
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
  const again = () => void waiting.refetch();
  if (waiting.isLoadingError) return <FailedState error={waiting.error} retry={again} />;
  if (!waiting.data || waiting.data.data.length === 0) return null;
  return (
    <section>
      <Title ref={title} tabIndex={-1} order={2} size="h4" mt="xl">
        {t('uploads.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('uploads.text')}
      </Text>
      {waiting.data.data.map((one) => (
        <Waiting key={one.id} one={one} onRemove={(name) => void remove(one.id, name)} />
      ))}
    </section>
  );
}

const isFetching = ({ state }: Upload) => state === 'fetching';

function Waiting({ one, onRemove }: { one: Upload; onRemove: (name: string) => void }) {
  const t = useTexts('imports');
  const { number, relative } = useFormats();
  // That of rows from a service is its own.
  const name = one.fileName || t('text.name');
  return (
    <Group justify="space-between" py={4}>
      <Text size="sm">
        {isFetching(one) ? t('fetching.title', { service: name }) : <bdi>{name}</bdi>}
        {!isFetching(one) &&
          ` · ${t('plan.rows', { count: one.rowCount, shown: number(one.rowCount) })}`}
        {' · '}
        <time dateTime={one.created}>{relative(one.created)}</time>
      </Text>
      <Group gap="xs">
        {!isFetching(one) && (
          <Button
            component={Link}
            to={`/subscribers/import/${one.method}`}
            search={{ source: one.id } as never}
            variant="default"
            size="xs"
            aria-label={t('uploads.goOnWith', { name })}
          >
            {t('uploads.goOn')}
          </Button>
        )}
        <Button
          variant="default"
          size="xs"
          aria-label={t('uploads.removeNamed', { name })}
          onClick={() => onRemove(name)}
        >
          {t('uploads.remove')}
        </Button>
      </Group>
    </Group>
  );
}
