// Preview of a saved email: per recipient, device, and as text.
import { Alert, Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { ApiError } from '#platform/web/api/api.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState } from '#platform/web/ui/states.tsx';
import type { ContentKind } from '../../shared.ts';
import { ModeFrame, PreviewModes, usePreviewMode } from '../preview/preview-modes.tsx';
import { api, resolveCall, type EmailRef } from './composing.ts';
import classes from './email-preview.module.css';
import { SubscriberSelect } from './subscriber-select.tsx';

const AttachedFiles = lazyWithRetry(() => import('./attached-files.tsx'));

export interface EmailPreviewProps {
  email: EmailRef;
  /** Editor of the content; null without content. */
  editor: ContentKind | null;
  subscriberId: string | null;
  onSubscriberChange: (id: string | null) => void;
}

export function EmailPreview({
  email,
  editor,
  subscriberId,
  onSubscriberChange,
}: EmailPreviewProps) {
  const t = useTexts('composing');
  const { mode, change } = usePreviewMode();
  const isText = editor === 'text';
  const html = useQuery({
    ...api.query(resolveCall(email, 'GET /{base}/{id}/preview'), {
      params: { id: email.id },
      query: createRecipientQuery(subscriberId),
    }),
    enabled: editor !== null && !isText,
    staleTime: 0,
  });
  const text = usePlainPreview(email, subscriberId, editor !== null);
  const isPlain = isText || mode.device === 'plain';
  const preview = isPlain ? text : html;
  return (
    <Paper withBorder className={classes.preview}>
      <Group p="sm" justify="space-between" gap="xs">
        {isText ? (
          <Text size="sm" fw={600}>
            {t('content:preview.plain')}
          </Text>
        ) : (
          <PreviewModes mode={mode} onChange={change} />
        )}
        <SubscriberSelect email={email} value={subscriberId} onChange={onSubscriberChange} />
      </Group>
      {editor === null ? (
        <Text p="md" size="sm" c="dimmed">
          {t('preview.none')}
        </Text>
      ) : preview.error ? (
        <PreviewFailed error={preview.error} retry={preview.refetch} />
      ) : isPlain ? (
        <pre className={classes.text} dir="auto">
          {text.data?.data.text ?? ''}
        </pre>
      ) : (
        <ModeFrame mode={mode} html={html.data?.data.html ?? ''} height={620} />
      )}
      <Suspense fallback={null}>
        <AttachedFiles email={email} />
      </Suspense>
    </Paper>
  );
}

const createRecipientQuery = (subscriberId: string | null) =>
  subscriberId ? { subscriber: subscriberId } : {};

/** Loads the text and inbox lines of an email for that recipient. */
export function usePlainPreview(email: EmailRef, subscriberId: string | null, isOn: boolean) {
  return useQuery({
    ...api.query(resolveCall(email, 'GET /{base}/{id}/plain_preview'), {
      params: { id: email.id },
      query: createRecipientQuery(subscriberId),
    }),
    enabled: isOn,
    staleTime: 0,
  });
}

function PreviewFailed({ error, retry }: { error: Error; retry: () => void }) {
  const t = useTexts('composing');
  if (error instanceof ApiError && error.code === 'content_invalid') {
    return (
      <Alert m="md" color="danger">
        {t('preview.refused')}
      </Alert>
    );
  }
  return <FailedState error={error} retry={retry} />;
}
