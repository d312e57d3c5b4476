// The screen of one subscriber, with details that are edited inline.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useFoundContents } from '#areas/approvals/web/index.ts';
import { ItemNotes } from '#areas/folders/web/index.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useRights } from '#platform/web/session/rights.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Address } from '#platform/web/ui/address.tsx';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { SubscriberDetails } from '../contract.ts';
import { Consents } from './consents.tsx';
import { Details } from './details.tsx';
import { Engagement } from './engagement.tsx';
import { GroupsOfSubscriber } from './groups-of-subscriber.tsx';
import { History } from './history.tsx';
import { Orders } from './orders.tsx';
import { api, SUBSCRIBER_QUERIES } from './queries.ts';
import { RequestDeletion, RequestErasure } from './request-deletion.tsx';
import { SendEmail } from './send-email.tsx';
import { StatusList } from './status-list.tsx';
import classes from './subscriber-screen.module.css';

export default function SubscriberScreen() {
  const t = useTexts('audience');
  const id = useParam('subscriber');
  const query = useQuery(api.query('GET /client-api/api/subscribers/{id}', { params: { id } }));
  const backLink = { to: '/subscribers', label: t('title') };
  if (query.isLoadingError) {
    return (
      <Page title={t('one.title')} back={backLink}>
        <FailedState error={query.error} retry={() => void query.refetch()} />
      </Page>
    );
  }
  if (!query.data) {
    return (
      <Page title={t('one.title')} back={backLink}>
        <LoadingState rows={8} />
      </Page>
    );
  }
  return <Subscriber subscriber={query.data.data} />;
}

function Subscriber({ subscriber }: { subscriber: SubscriberDetails }) {
  const t = useTexts('audience');
  const { date } = useFormats();
  const name = toUnicodeDomain(subscriber.email ?? subscriber.phone ?? subscriber.id);
  const fullName = [subscriber.firstname, subscriber.lastname].filter(Boolean).join(' ');
  const source = t(`sources.${subscriber.source}`, { defaultValue: subscriber.source });
  return (
    <Page
      title={fullName ? <bdi>{fullName}</bdi> : <Address value={name} />}
      description={[
        ...(fullName ? [`\u2068${name}\u2069`] : []),
        t('one.added', { date: date(subscriber.created), source }),
      ].join(' · ')}
      back={{ to: '/subscribers', label: t('title') }}
      actions={
        <>
          {subscriber.email && <SendEmail id={subscriber.id} name={fullName || name} />}
          <Removal subscriber={subscriber} name={name} />
        </>
      }
    >
      <Engagement subscriber={subscriber} />
      <div className={classes.columns}>
        <div className={classes.side}>
          <Details subscriber={subscriber} />
          <StatusList subscriber={subscriber} />
          <GroupsOfSubscriber subscriber={subscriber} />
          <div className={classes.panel}>
            <ItemNotes
              base="/client-api/api/subscribers"
              id={subscriber.id}
              headingClass={classes.heading}
            />
          </div>
          <Orders subscriber={subscriber} />
          <Consents subscriber={subscriber} />
        </div>
        <History id={subscriber.id} />
      </div>
    </Page>
  );
}

/**
 * Erases the subscriber after confirmation, then lists content that still contains the address, so
 * that a user can edit it.
 */
function useErasure({
  id,
  name,
  leaveScreen,
}: {
  id: string;
  name: string;
  leaveScreen: (message: string) => Promise<void>;
}) {
  const t = useTexts('audience');
  const showFound = useFoundContents();
  const erase = async () => {
    let foundIn: { title: string }[] = [];
    const isDone = await confirm({
      title: t('one.erase.title', { name }),
      message: t('one.erase.message'),
      confirm: t('one.erase.confirm'),
      isDanger: true,
      requiredText: name,
      run: async () => {
        const response = await api('POST /client-api/api/subscribers/{id}/erase', {
          params: { id },
        });
        foundIn = response.found_in;
      },
    });
    if (!isDone) return;
    await leaveScreen(t('one.erase.done'));
    await showFound(foundIn);
  };
  return erase;
}

function Removal({ subscriber, name }: { subscriber: SubscriberDetails; name: string }) {
  const t = useTexts('audience');
  const navigate = useNavigate();
  const { id } = subscriber;
  const mayDelete = useRights().has('people.delete');
  const save = useAction(
    () => api('GET /client-api/api/subscribers/{id}/export', { params: { id } }),
    { onDone: ({ data }) => saveFile(`${name}.json`, JSON.stringify(data, null, 2)) },
  );
  const leaveScreen = async (message: string) => {
    await navigate({ to: '/subscribers' });
    toast(message);
    await invalidate(...SUBSCRIBER_QUERIES);
  };
  const remove = async () => {
    const isDone = await confirm({
      title: t('one.delete.title', { name }),
      message: t('one.delete.message'),
      confirm: t('one.delete.confirm'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/subscribers', { body: { subscribers: [id] } }),
    });
    if (isDone) await leaveScreen(t('one.delete.done', { name }));
  };
  const erase = useErasure({ id, name, leaveScreen });
  return (
    <>
      <Button variant="default" loading={save.isPending} onClick={() => save.mutate(undefined)}>
        {t('one.export')}
      </Button>
      {mayDelete ? (
        <>
          <Button variant="default" onClick={() => void erase()}>
            {t('one.erase.action')}
          </Button>
          <Button variant="default" c="danger" onClick={() => void remove()}>
            {t('one.delete.action')}
          </Button>
        </>
      ) : (
        <>
          <RequestErasure id={id} />
          <RequestDeletion selection={{ subscribers: [id] }} />
        </>
      )}
    </>
  );
}

function saveFile(name: string, content: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
