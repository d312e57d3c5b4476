// Versions of the step tree, each with its differences from the current one and a button to restore
// it.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { api, LIST_PATH } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';
import { useChangeText, useStepTexts } from '../step-texts.ts';

export default function VersionsPanel({ close }: { close: () => void }) {
  const t = useTexts('workflows');
  const { dateTime } = useFormats();
  const { workflow } = useBuilder();
  const [open, setOpen] = useState<number>();
  const params = { id: workflow.id };
  const versions = useQuery({
    ...api.query('GET /client-api/api/workflows/{id}/versions', { params }),
    staleTime: 0,
  });
  if (versions.isError && !versions.data)
    return <FailedState error={versions.error} retry={() => void versions.refetch()} />;
  if (!versions.data) return <LoadingState rows={5} />;
  return (
    <Stack gap="xs">
      {versions.data.data.map(({ number: version, created, author, steps }) => (
        <div key={version}>
          <Group justify="space-between" gap="xs">
            <Text size="sm">
              {dateTime(created)} · {t('versions.steps', { count: steps })}
              {author !== null && (
                <>
                  {' · '}
                  <bdi>{author}</bdi>
                </>
              )}
            </Text>
            {version === workflow.version ? (
              <Text size="sm" c="dimmed">
                {t('versions.now')}
              </Text>
            ) : (
              <Button
                size="compact-sm"
                variant="default"
                aria-expanded={open === version}
                aria-label={t('versions.showNamed', { when: dateTime(created) })}
                onClick={() => setOpen(open === version ? undefined : version)}
              >
                {t('versions.show')}
              </Button>
            )}
          </Group>
          {open === version && <Changes version={version} close={close} />}
        </div>
      ))}
    </Stack>
  );
}

function Changes({ version, close }: { version: number; close: () => void }) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const { getStepName } = useStepTexts();
  const describeChange = useChangeText();
  const params = { id: workflow.id, number: version };
  const versionQuery = useQuery(
    api.query('GET /client-api/api/workflows/{id}/versions/{number}', { params }),
  );
  const restore = useAction(
    () =>
      api('POST /client-api/api/workflows/{id}/versions/{number}/restore', { params, body: {} }),
    {
      invalidates: [LIST_PATH],
      onDone: () => {
        toast(t('versions.restored'));
        close();
      },
    },
  );
  if (versionQuery.isError && !versionQuery.data)
    return <FailedState error={versionQuery.error} retry={() => void versionQuery.refetch()} />;
  if (!versionQuery.data) return <LoadingState rows={2} />;
  const { changes, steps } = versionQuery.data.data;
  return (
    <Stack gap={4} py="xs" ps="sm">
      {changes.length === 0 && <Text size="sm">{t('versions.same')}</Text>}
      {changes.map(({ step_id: id, type, change }) => {
        const step = workflow.steps.find((step) => step.id === id);
        const versionStep = steps.find((step) => step.id === id);
        return (
          <Text key={`${id} ${change}`} size="sm">
            {change === 'changed' && step && versionStep
              ? describeChange(step, { ...step, data: versionStep.data })
              : t(`versions.${change}`, { name: step ? getStepName(step) : t(`step.${type}`) })}
          </Text>
        );
      })}
      <Group mt={4}>
        <Button size="xs" loading={restore.isPending} onClick={() => restore.mutate(undefined)}>
          {t('versions.restore')}
        </Button>
      </Group>
    </Stack>
  );
}
