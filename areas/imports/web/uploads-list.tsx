// Files that were taken in and not started: each can be gone on with, or removed.
import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/formats.ts';
import { useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import type { Upload } from '../contract.ts';
import { api, uploads } from './queries.ts';

export function UploadsList({ onChoose }: { onChoose: (id: string) => void }) {
  const t = useTexts('imports');
  const { relative } = useFormats();
  const { data } = useQuery(api.query('GET /client-api/api/imports/uploads'));
  const remove = useAct(
    ({ id }: Upload) => api('DELETE /client-api/api/imports/{id}', { params: { id } }),
    { touches: [uploads] },
  );
  const shown = data?.data.filter((one) => one.method === 'file' && one.state === 'uploaded') ?? [];
  if (shown.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h4" mt="xl">
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
              loading={remove.isPending && remove.variables?.id === one.id}
              onClick={() => remove.mutate(one)}
            >
              {t('uploads.remove')}
            </Button>
          </Group>
        </Group>
      ))}
    </section>
  );
}
