// The form of one relay of the account: its address, sign-in, limits and order of use.
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormHandle, useServerForm } from '#platform/web/forms.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { USERS_PATH } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import type { RelayView } from '../relays-contract.ts';
import { OutletForm } from './outlets/outlet-fields.tsx';
import { api, RELAYS } from './queries.ts';
import { LimitFields, RelayOrder, ServerFields, SignInFields } from './relay-fields.tsx';
import {
  toRelayBody,
  findChanges,
  finishedLimits,
  type RelayForm,
  relayFormValues,
} from './relay-form.ts';
import { RelayDot } from './relay-state.tsx';
import { useTypedTrial } from './typed-trial.tsx';

const NEW_RELAY = 'new';

export default function RelayScreen() {
  const t = useTexts('delivery');
  const id = useParam('relay');
  const backLink = { to: '/settings/relays', label: t('title') };
  const relay = useQuery({
    ...api.query('GET /client-api/api/relays/{id}', { params: { id } }),
    enabled: id !== NEW_RELAY,
    // The form starts with current values, not with values cached by an earlier visit.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (id === NEW_RELAY) return <Editor back={backLink} />;
  if (relay.data) return <Editor relay={relay.data.data} back={backLink} />;
  return (
    <Page title={t('titleOne')} back={backLink} width="reading">
      {relay.isError ? (
        <FailedState error={relay.error} retry={() => void relay.refetch()} />
      ) : (
        <LoadingState rows={8} />
      )}
    </Page>
  );
}

function Editor({ relay, back }: { relay?: RelayView; back: { to: string; label: string } }) {
  const t = useTexts('delivery');
  const navigate = useNavigate();
  const { form, isBusy, submit } = useRelayForm(relay);
  const trial = useTypedTrial(form, relay);
  return (
    <Page
      title={relay ? <bdi>{relay.title}</bdi> : t('add')}
      status={relay && <RelayDot relay={relay} />}
      back={back}
      width="reading"
    >
      <OutletForm onSubmit={submit}>
        <ServerFields form={form} />
        <SignInFields form={form} isKnown={relay?.has_password ?? false} />
        <LimitFields form={form} />
        <RelayOrder form={form} />
        <Group gap="xs">
          <Button type="submit" loading={isBusy}>
            {t(relay ? 'save' : 'add')}
          </Button>
          <Button variant="default" onClick={trial.start}>
            {t('trial.action')}
          </Button>
          <Button variant="default" onClick={() => void navigate({ to: '/settings/relays' })}>
            {t('platform:confirm.cancel')}
          </Button>
        </Group>
      </OutletForm>
      {trial.dialog}
    </Page>
  );
}

/**
 * Saves a new or an existing relay. If the user leaves without saving, the input is stored in the
 * browser, except the password, and restored on return.
 */
function useRelayForm(relay: RelayView | undefined) {
  const t = useTexts('delivery');
  const navigate = useNavigate();
  const server = useServerForm<RelayForm>({
    initialValues: relayFormValues(relay),
    validate: {
      title: (title) => (title.trim() === '' ? t('fields.titleRequired') : null),
      host: (host, { kind }) =>
        kind === 'smtp' && !/^[^\s/@]+$/.test(host.trim()) ? t('fields.hostRequired') : null,
      username: (name, { kind }) =>
        kind === 'ses' && name.trim() === '' ? t('fields.accessKeyRequired') : null,
    },
    send: async (values) => {
      const body = toRelayBody(values);
      // Removes incomplete rows first, so that server errors by row index match the rows.
      form.setFieldValue('domain_limits', finishedLimits(values));
      const { data } = relay
        ? await api('PATCH /client-api/api/relays/{id}', {
            params: { id: relay.id },
            body: findChanges(values, form.getInitialValues()),
          })
        : await api('POST /client-api/api/relays', { body });
      toast(t(relay ? 'saved' : 'added', { title: body.title }));
      form.resetDirty();
      await invalidate(RELAYS, USERS_PATH);
      // A new relay is disabled. Its test opens next, so that the user can check the relay before
      // enabling it.
      const search = relay ? {} : { try: data.id };
      await navigate({ to: '/settings/relays', search, ignoreBlocker: true });
    },
  });
  const { form } = server;
  useUnsaved({
    name: `relay:${relay?.id ?? NEW_RELAY}`,
    unsaved: form.isDirty() ? typedIn(form) : undefined,
    restore: (edit) => form.setValues(edit),
    discard: () => form.reset(),
    onLeave: 'store',
  });
  return server;
}

/** Returns the changed fields except for the password, as a draft to store. */
function typedIn(form: FormHandle<RelayForm>): Partial<RelayForm> {
  const typedFields = Object.entries(form.getValues()).filter(
    ([field]) => field !== 'password' && form.isDirty(field),
  );
  return Object.fromEntries(typedFields);
}
