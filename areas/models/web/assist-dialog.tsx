// Shows what would be sent to the model; sends it only when the user says so; shows the result.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useAct } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { ModelRequest } from '../contract.ts';
import classes from './models.module.css';

export interface AssistDialogProps {
  title: string;
  isOpen: boolean;
  close: () => void;
  /** Without confirmation only the request is returned. */
  run: (isConfirmed: boolean) => Promise<{ request: ModelRequest; result: ReactNode }>;
}

export default function AssistDialog({ title, isOpen, close, run }: AssistDialogProps) {
  return (
    <Dialog opened={isOpen} onClose={close} title={title} size="lg">
      {isOpen && <Assist run={run} close={close} />}
    </Dialog>
  );
}

function Assist({ run, close }: Pick<AssistDialogProps, 'run' | 'close'>) {
  const t = useTexts('models');
  const [request, setRequest] = useState<ModelRequest>();
  const [result, setResult] = useState<ReactNode>(null);
  const preview = useAct(() => run(false), { onDone: (answer) => setRequest(answer.request) });
  const send = useAct(() => run(true), { onDone: (answer) => setResult(answer.result) });
  const { mutate } = preview;
  useEffect(() => mutate(undefined), [mutate]);
  if (result !== null) return <Stack gap="md">{result}</Stack>;
  if (!request) return preview.isError ? <Text>{t('failed')}</Text> : <LoadingState rows={4} />;
  return (
    <Stack gap="md">
      <Text>{t('before', { host: request.host })}</Text>
      {request.personal.length > 0 && (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} stroke={1.75} />}>
          {t('personal')} <bdi dir="ltr">{request.personal.join(', ')}</bdi>
        </Alert>
      )}
      <details open>
        <summary>{t('shown')}</summary>
        <pre className={classes.request} dir="ltr">
          {request.body}
        </pre>
      </details>
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {t('cancel')}
        </Button>
        <Button onClick={() => send.mutate(undefined)} loading={send.isPending}>
          {t('send')}
        </Button>
      </Group>
    </Stack>
  );
}
