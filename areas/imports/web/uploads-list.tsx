// Uploads that are waiting, being fetched or failed. They can be removed, and continued or, after a
// failed fetch, started again.
import { Button, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useRef } from 'react';
import { invalidate, queryClient } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { ScreenLink } from '#platform/web/ui/screen-link.tsx';
import { FailedState } from '#platform/web/ui/states.tsx';
import type { Upload } from '../contract.ts';
import { api, uploads } from './queries.ts';
import classes from './uploads-list.module.css';

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
    // Another user may have deleted or started the upload since the list was loaded.
    await invalidate(uploads);
    if (!isDone) return;
    const { queryKey } = api.query('GET /client-api/api/imports/{id}', { params });
    queryClient.removeQueries({ queryKey });
    toast(t('uploads.removeDone', { name }));
    // The pressed button disappears with the row, so the title of the list gets the focus, or the
    // page if the list is now empty.
    setTimeout(() => (title.current ?? document.getElementById('main'))?.focus());
  };
  const retry = () => void waiting.refetch();
  if (waiting.isLoadingError) return <FailedState error={waiting.error} retry={retry} />;
  if (!waiting.data || waiting.data.data.length === 0) return null;
  return (
    <section>
      <Title ref={title} tabIndex={-1} order={2} size="h4" mt="xl">
        {t('uploads.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('uploads.text')}
      </Text>
      {waiting.data.data.map((row) => (
        <Waiting key={row.id} upload={row} onRemove={(name) => void remove(row.id, name)} />
      ))}
    </section>
  );
}

const isFetching = ({ state }: Upload) => state === 'fetching';
const isFailed = ({ state }: Upload) => state === 'fetch_failed';

function Waiting({ upload, onRemove }: { upload: Upload; onRemove: (name: string) => void }) {
  const t = useTexts('imports');
  // Rows that were fetched from a service have the name of the service.
  const name = upload.fileName || t('text.name');
  return (
    <div className={classes.row}>
      <div className={classes.what}>
        <UploadDescription upload={upload} name={name} />
      </div>
      <div className={classes.acts}>
        <OnWith upload={upload} name={name} />
        <Button
          variant="default"
          size="xs"
          aria-label={t('uploads.removeNamed', { name })}
          onClick={() => onRemove(name)}
        >
          {t('uploads.remove')}
        </Button>
      </div>
    </div>
  );
}

function UploadDescription({ upload, name }: { upload: Upload; name: string }) {
  const t = useTexts('imports');
  const { number, relative } = useFormats();
  const count = upload.rowCount;
  return (
    <>
      <Text size="sm">
        {/* Isolated: a number would otherwise attach to the Latin name before it. */}
        <bdi>{isFetching(upload) ? t('fetching.title', { service: name }) : name}</bdi>
        {upload.state === 'uploaded' && ' · '}
        {upload.state === 'uploaded' && (
          <bdi>{t('plan.rows', { count, shown: number(count) })}</bdi>
        )}
        {isFailed(upload) && ` · ${t('fetching.failed')}`}
        {' · '}
        <bdi>
          <time dateTime={upload.created}>{relative(upload.created)}</time>
        </bdi>
      </Text>
      {upload.error && (
        <Text size="sm" className={classes.why}>
          {upload.error.message}
        </Text>
      )}
    </>
  );
}

/**
 * Links to the plan or the progress of the upload. After a failed fetch, it links to the screen
 * where the key is entered, unless that screen is open.
 */
function OnWith({ upload, name }: { upload: Upload; name: string }) {
  const t = useTexts('imports');
  const href = `/subscribers/import/${upload.method}`;
  const isHere = useLocation({ select: ({ pathname }) => pathname === href });
  if (isFailed(upload) && isHere) return null;
  const action = isFailed(upload)
    ? { 'aria-label': t('uploads.againWith', { name }) }
    : { search: { source: upload.id }, 'aria-label': t('uploads.goOnWith', { name }) };
  return (
    <Button component={ScreenLink} to={href} {...action} variant="default" size="xs">
      {t(isFailed(upload) ? 'fetching.again' : 'uploads.goOn')}
    </Button>
  );
}
