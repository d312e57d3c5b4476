// Connected assistants, and the URL for connecting another assistant.
import { Button, Text } from '@mantine/core';
import { IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { AssistantConnection } from '../contract.ts';
import classes from './agents.module.css';
import { api, CONNECTIONS } from './queries.ts';

export default function ConnectionsScreen() {
  const t = useTexts('agents');
  const connections = useQuery(api.query('GET /client-api/api/assistants'));
  const { data } = connections;
  return (
    <Page title={t('title')} description={t('description')} width="reading">
      {connections.isLoadingError && (
        <FailedState error={connections.error} retry={() => void connections.refetch()} />
      )}
      {!data && !connections.isLoadingError && <LoadingState rows={4} />}
      {data && <Address url={data.url} />}
      {data && data.data.length === 0 && (
        <EmptyState icon={IconRobot} title={t('empty')}>
          {t('emptyText')}
        </EmptyState>
      )}
      {data && data.data.length > 0 && (
        <ul className={classes.connections} aria-label={t('title')}>
          {data.data.map((connection) => (
            <ConnectionRow key={connection.id} connection={connection} />
          ))}
        </ul>
      )}
    </Page>
  );
}

function Address({ url }: { url: string }) {
  const t = useTexts('agents');
  return (
    <section className={classes.address} aria-label={t('address')}>
      <span>{t('address')}</span>
      <code dir="ltr">{url}</code>
      <CopyButton value={url} label={t('copy')} />
    </section>
  );
}

function ConnectionRow({ connection }: { connection: AssistantConnection }) {
  const t = useTexts('agents');
  const { date, relative } = useFormats();
  const disconnect = useDisconnect();
  const { client_name, redirect_host, scopes, user, created, last_used } = connection;
  return (
    <li className={classes.connection}>
      <div className={classes.words}>
        <strong>
          <bdi>{client_name}</bdi>
        </strong>
        <Text size="sm" c="dimmed">
          <bdi dir="ltr">{redirect_host}</bdi>
          {user && (
            <>
              {' · '}
              <bdi dir="ltr">{user}</bdi>
            </>
          )}
        </Text>
        <Text size="sm">{scopes.map((scope) => t(`scopes.${scope}`)).join(' · ')}</Text>
        <Text size="sm" c="dimmed">
          {t('connected', { date: date(created) })}
          {' · '}
          {last_used ? t('used', { when: relative(last_used) }) : t('unused')}
        </Text>
      </div>
      <Button variant="default" onClick={() => void disconnect(connection)}>
        {t('disconnect')}
      </Button>
    </li>
  );
}

function useDisconnect() {
  const t = useTexts('agents');
  return async ({ id, client_name: name }: AssistantConnection) => {
    const isDone = await confirm({
      title: t('disconnectTitle', { name }),
      message: t('disconnectText'),
      confirm: t('disconnect'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/assistants/{id}', { params: { id } }),
    });
    if (!isDone) return;
    toast(t('disconnected', { name }));
    await invalidate(CONNECTIONS);
  };
}
