// Webhooks of email providers, each with its address, its key and the time of the last event.
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { RowMenu } from '#platform/web/ui/row-menu.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { ProviderWebhook, webhookCalls } from '../provider-hooks-contract.ts';
import { MAX_SIGNING_KEY } from '../webhooks-limits.ts';
import classes from './webhooks.module.css';

const api = client<typeof webhookCalls>();
const WEBHOOKS = '/client-api/api/relays/webhooks';
const NAMES = { ses: 'Amazon SES', sendgrid: 'SendGrid', postmark: 'Postmark', mailgun: 'Mailgun' };

export function ProviderWebhooks() {
  const t = useTexts('feedback');
  const hooks = useQuery(api.query('GET /client-api/api/relays/webhooks', {}));
  return (
    <section className={classes.section} aria-labelledby="webhooks">
      <h2 id="webhooks">{t('webhooks.title')}</h2>
      <p>{t('webhooks.text')}</p>
      {hooks.data ? (
        <ul className={classes.list}>
          {hooks.data.data.map((hook) => (
            <Hook key={hook.provider} hook={hook} />
          ))}
        </ul>
      ) : hooks.isError ? (
        <FailedState error={hooks.error} retry={() => void hooks.refetch()} />
      ) : (
        <LoadingState rows={4} />
      )}
    </section>
  );
}

function Hook({ hook }: { hook: ProviderWebhook }) {
  const t = useTexts('feedback');
  const name = NAMES[hook.provider];
  const { editKey, removeKey, renew } = useHookActions(hook);
  return (
    <li className={classes.hook}>
      <div className={classes.head}>
        <h3>{name}</h3>
        <HookState hook={hook} />
        <RowMenu
          row={hook}
          name={t('webhooks.acts', { provider: name })}
          actions={[
            {
              label: t('webhooks.changeKey'),
              isHidden: (webhook) => !webhook.has_key,
              run: editKey,
            },
            {
              label: t('webhooks.removeKey'),
              isHidden: (webhook) => !webhook.has_key,
              run: removeKey,
            },
            { label: t('webhooks.renew'), run: () => void renew() },
          ]}
        />
      </div>
      <p>{t(`webhooks.hints.${hook.provider}`)}</p>
      <div className={classes.address}>
        <TextInput
          readOnly
          dir="ltr"
          aria-label={t('webhooks.address', { provider: name })}
          value={hook.url}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton value={hook.url} label={t('webhooks.copy')} />
        {!hook.has_key && hook.key !== 'offered' && (
          <Button
            size="xs"
            variant={hook.key === 'required' ? 'light' : 'default'}
            onClick={() => editKey()}
          >
            {t('webhooks.setKey')}
          </Button>
        )}
      </div>
      {hook.shown_key && (
        <p className={classes.topic}>
          {t('webhooks.topic', { topic: `\u2068${hook.shown_key}\u2069` })}
        </p>
      )}
    </li>
  );
}

function HookState({ hook }: { hook: ProviderWebhook }) {
  const t = useTexts('feedback');
  const { relative } = useFormats();
  if (hook.last_event) {
    const lastEventAge = relative(hook.last_event);
    return <StatusDot tone="success" label={t('webhooks.last', { when: lastEventAge })} />;
  }
  // A missing key is not a warning, because most accounts use only one of the services.
  const isLocked = hook.key === 'required' && !hook.has_key;
  return (
    <StatusDot tone="neutral" label={isLocked ? t('webhooks.keyMissing') : t('webhooks.never')} />
  );
}

function useHookActions(hook: ProviderWebhook) {
  const t = useTexts('feedback');
  const provider = NAMES[hook.provider];
  const params = { provider: hook.provider };
  const saveSigningKey = (signing_key: string | null) =>
    api('PUT /client-api/api/relays/webhooks/{provider}', { params, body: { signing_key } });
  const remove = useAction(() => saveSigningKey(null), {
    invalidates: [WEBHOOKS],
    onDone: () => toast(t('webhooks.keyRemoved', { provider })),
  });
  const setKey = async () => {
    const key = await promptInput({
      type: 'text',
      title: provider,
      label: t(`webhooks.keys.${hook.provider}`),
      maxLength: MAX_SIGNING_KEY,
      confirm: t('webhooks.saveKey'),
      send: (value) => saveSigningKey(value),
    });
    if (key === undefined) return;
    toast(t('webhooks.keySaved', { provider }));
    await invalidate(WEBHOOKS);
  };
  const renew = async () => {
    const isDone = await confirm({
      title: t('webhooks.renewTitle', { provider }),
      message: t('webhooks.renewMessage', { provider }),
      confirm: t('webhooks.renew'),
      isDanger: true,
      run: () => api('POST /client-api/api/relays/webhooks/{provider}/renew', { params }),
    });
    if (isDone) await invalidate(WEBHOOKS);
  };
  return { editKey: () => void setKey(), removeKey: () => remove.mutate(undefined), renew };
}
