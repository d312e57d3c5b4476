// The connection to Google Postmaster Tools and its newest statistics.
import { Button, Group, Textarea } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { notice, toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { Signals } from '../signals-contract.ts';
import { MAX_KEY, SEED_STATE } from '../signals-shared.ts';
import { api, DELIVERABILITY } from './queries.ts';
import classes from './deliverability.module.css';

interface PostmasterProps {
  signals: Signals;
  /** The parameters that Google or Microsoft added to the URL. */
  callback: { code: string; state: string; error: string };
  clearCallback: () => void;
}

const invalidates = [DELIVERABILITY];

export function Postmaster({ signals, callback, clearCallback }: PostmasterProps) {
  const t = useTexts('signals');
  const { dateTime } = useFormats();
  const isFinishing = useFinishing(callback, clearCallback);
  const { connection } = signals.postmaster;
  return (
    <section className={classes.section} aria-labelledby="postmaster">
      <h2 id="postmaster">{t('postmaster.name')}</h2>
      <p>{t('postmaster.text')}</p>
      {connection === null ? (
        <Connect hasClient={signals.postmaster.has_client} isBusy={isFinishing} />
      ) : (
        <>
          <Group justify="space-between">
            <span>
              <StatusDot
                tone={connection.fault === null ? 'success' : 'danger'}
                label={t(
                  connection.fault === null
                    ? 'postmaster.connected'
                    : `postmaster.faults.${connection.fault}`,
                )}
              />
              {connection.title !== '' && (
                <p>
                  <bdi dir="ltr">{connection.title}</bdi>
                </p>
              )}
              {connection.checked !== null && (
                <p>{t('checked', { at: dateTime(connection.checked) })}</p>
              )}
            </span>
            <Disconnect />
          </Group>
          <SignalFigures signals={signals} />
        </>
      )}
    </section>
  );
}

const isForSeed = (state: string) => state.startsWith(SEED_STATE);

/** Completes the consent only once, even if the screen renders repeatedly. */
function useFinishing({ code, state, error }: PostmasterProps['callback'], forget: () => void) {
  const t = useTexts('signals');
  const isStarted = useRef(false);
  const finish = useAction(
    async (grant: { code: string; state: string }) => {
      if (isForSeed(grant.state)) {
        await api('POST /client-api/api/deliverability/seeds/consent/finish', { body: grant });
      } else {
        await api('POST /client-api/api/deliverability/postmaster/consent/finish', { body: grant });
      }
    },
    { invalidates, onDone: () => toast(t('postmaster.connected')) },
  );
  useEffect(() => {
    if (isStarted.current || (code === '' && error === '')) return;
    isStarted.current = true;
    if (code !== '' && state !== '') finish.mutate({ code, state });
    else notice(t(isForSeed(state) ? 'seeds.declined' : 'postmaster.declined'));
    forget();
  }, [code, state, error, forget, finish, t]);
  return finish.isPending;
}

function Connect({ hasClient, isBusy }: { hasClient: boolean; isBusy: boolean }) {
  const t = useTexts('signals');
  const [isOpen, setOpen] = useState(false);
  const start = useAction(() => api('POST /client-api/api/deliverability/postmaster/consent'), {
    onDone: ({ data }) => window.location.assign(data.url),
  });
  return (
    <Group>
      {hasClient && (
        <Button loading={isBusy || start.isPending} onClick={() => start.mutate(undefined)}>
          {t('postmaster.connect')}
        </Button>
      )}
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('postmaster.useKey')}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t('postmaster.useKey')}>
        {isOpen && <KeyForm close={() => setOpen(false)} />}
      </Dialog>
    </Group>
  );
}

function KeyForm({ close }: { close: () => void }) {
  const t = useTexts('signals');
  const [key, setKey] = useState('');
  const save = useAction(
    () => api('PUT /client-api/api/deliverability/postmaster', { body: { key } }),
    { invalidates, onDone: close },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined);
      }}
    >
      <Textarea
        label={t('postmaster.key')}
        description={t('postmaster.keyText')}
        value={key}
        required
        rows={6}
        maxLength={MAX_KEY}
        dir="ltr"
        autoComplete="off"
        spellCheck={false}
        mb="md"
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <FormButtons close={close} isBusy={save.isPending}>
        {t('save')}
      </FormButtons>
    </form>
  );
}

function Disconnect() {
  const t = useTexts('signals');
  const remove = () =>
    confirm({
      title: t('postmaster.removeTitle'),
      message: t('postmaster.removeText'),
      confirm: t('postmaster.remove'),
      isDanger: true,
      run: async () => {
        await api('DELETE /client-api/api/deliverability/postmaster');
        await invalidate(DELIVERABILITY);
      },
    });
  return (
    <Button variant="default" onClick={() => void remove()}>
      {t('postmaster.remove')}
    </Button>
  );
}

function SignalFigures({ signals }: { signals: Signals }) {
  const t = useTexts('signals');
  const { percent, date } = useFormats();
  return (
    <ul className={classes.rows}>
      {signals.domains.map(({ domain_name: name, shown_name: unicodeName, values }) => (
        <li key={name} className={classes.row}>
          <bdi dir="ltr" className={classes.name}>
            {unicodeName}
          </bdi>
          <span>
            {values.length === 0 && <StatusDot tone="neutral" label={t('noData')} />}
            {values.map(({ kind, day, value }) => (
              <p key={kind}>
                {t(`kinds.${kind}`, { share: percent(value) })} · {date(`${day}T12:00:00Z`)}
              </p>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}
