// Shows what would be sent to the model; sends it only when the user confirms; shows the result.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAction } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { ModelRequest } from '../contract.ts';
import classes from './models.module.css';

export interface AssistProgress {
  /** Aborted when the dialog closes, which stops the model. */
  signal: AbortSignal;
  /** Shows the part of the result that has arrived. */
  show: (partial: ReactNode) => void;
}

export interface AssistDialogProps {
  title: string;
  isOpen: boolean;
  close: () => void;
  /** Without confirmation, nothing is sent to the model, and `result` is ignored. */
  run: (
    isConfirmed: boolean,
    progress: AssistProgress,
  ) => Promise<{ request: ModelRequest; result: ReactNode }>;
  /** Fields above the request, which change it. */
  fields?: ReactNode;
  /** The values of the fields: with other values the request is prepared again. */
  fieldsKey?: string;
}

export default function AssistDialog({ title, isOpen, close, ...props }: AssistDialogProps) {
  return (
    <Dialog opened={isOpen} onClose={close} title={title} size="lg">
      {isOpen && <Assist close={close} {...props} />}
    </Dialog>
  );
}

type AssistProps = Omit<AssistDialogProps, 'title' | 'isOpen'>;
type Run = (isConfirmed: boolean) => ReturnType<AssistDialogProps['run']>;

const TYPING_PAUSE_MS = 400;
/** A request often costs less than a cent. */
const COST_DECIMALS = 4;

function Assist({ run, close, fields, fieldsKey = '' }: AssistProps) {
  const [answer, setResponse] = useState<{ request: ModelRequest; result: ReactNode }>();
  const [partial, setPartial] = useState<ReactNode>(null);
  const abortController = useAbortOnClose();
  const progress = (): AssistProgress => ({
    signal: abortController.current.signal,
    show: setPartial,
  });
  const { request, isCurrent, isFailed } = useRequest(
    (isConfirmed) => run(isConfirmed, progress()),
    fieldsKey,
  );
  const send = useAction(() => run(true, progress()), { onDone: setResponse });
  const t = useTexts('models');
  if (answer)
    return (
      <Stack gap="md">
        {answer.result}
        <Cost request={answer.request} text="cost" />
      </Stack>
    );
  if (send.isPending)
    return (
      <Stack gap="md" aria-busy="true">
        {partial ?? <LoadingState rows={4} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('stop')}
          </Button>
        </Group>
      </Stack>
    );
  return (
    <Stack gap="md">
      {fields}
      {request && <ShownRequest request={request} />}
      {!request && (isFailed ? <Text>{t('failed')}</Text> : <LoadingState rows={4} />)}
      {request && (
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('cancel')}
          </Button>
          <Button onClick={() => send.mutate(undefined)} disabled={!isCurrent}>
            {t('send')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Returns a controller that is aborted when the dialog closes. */
function useAbortOnClose() {
  const abortController = useRef(new AbortController());
  useEffect(() => {
    // Effects run twice in development.
    if (abortController.current.signal.aborted) abortController.current = new AbortController();
    return () => abortController.current.abort();
  }, []);
  return abortController;
}

/** The request for the current values of the fields, prepared again after a pause in typing. */
function useRequest(run: Run, fieldsKey: string) {
  const [shown, setShown] = useState<{ key: string; request: ModelRequest }>();
  const [key] = useDebouncedValue(fieldsKey, TYPING_PAUSE_MS);
  const latest = useRef(key);
  const preview = useAction(
    async (input: string) => ({ key: input, request: (await run(false)).request }),
    {
      onDone: (preparedRequest) => {
        // Responses may arrive in another order than their requests.
        if (preparedRequest.key === latest.current) setShown(preparedRequest);
      },
    },
  );
  const { mutate } = preview;
  useEffect(() => {
    latest.current = key;
    mutate(key);
  }, [mutate, key]);
  const isCurrent = shown !== undefined && shown.key === fieldsKey;
  return { request: shown?.request, isCurrent, isFailed: preview.isError };
}

function ShownRequest({ request }: { request: ModelRequest }) {
  const t = useTexts('models');
  return (
    <>
      <Text>{t('before', { host: request.host })}</Text>
      {request.image && <img className={classes.image} src={request.image} alt={t('image')} />}
      {request.personal.length > 0 && (
        <Alert color="warning" icon={<IconAlertTriangle size={18} stroke={1.75} />}>
          {t('personal')} <bdi dir="ltr">{request.personal.join(', ')}</bdi>
        </Alert>
      )}
      <details open={!request.image}>
        <summary>{t('shown')}</summary>
        <pre className={classes.request} dir="ltr">
          {request.body}
        </pre>
      </details>
      <Cost request={request} text="maxCost" />
    </>
  );
}

/** Renders nothing for a model without prices. */
function Cost({ request: { cost }, text }: { request: ModelRequest; text: 'cost' | 'maxCost' }) {
  const t = useTexts('models');
  const { money } = useFormats();
  if (!cost) return null;
  return (
    <Text size="sm" c="dimmed">
      {t(text, { cost: money(cost.amount, cost.currency, COST_DECIMALS) })}
    </Text>
  );
}
