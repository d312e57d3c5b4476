// The signed-in user's passkeys: name and last use, with actions to add, rename and remove them.
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { RowMenu } from '#platform/web/ui/row-menu.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { MAX_PASSKEY_NAME } from '../../shared.ts';
import type { Passkey } from '../../passkey-contract.ts';
import { canUsePasskeys } from '../passkey.ts';
import type { PasskeyAction } from './passkey-dialog.tsx';
import { passkeyApi as api, PASSKEYS } from './queries.ts';
import classes from './settings.module.css';

const PasskeyDialog = lazyWithRetry(() => import('./passkey-dialog.tsx'));

export function Passkeys() {
  const t = useTexts('accounts');
  const [action, setAction] = useState<PasskeyAction>();
  const passkeys = useQuery(api.query(`GET ${PASSKEYS}`));
  if (passkeys.isLoadingError) {
    return <FailedState error={passkeys.error} retry={() => void passkeys.refetch()} />;
  }
  if (!passkeys.data) return <LoadingState rows={2} />;
  const { data } = passkeys.data;
  return (
    <>
      {data.length > 0 && (
        <ul className={classes.passkeys} aria-label={t('passkeys.title')}>
          {data.map((passkey) => (
            <Row
              key={passkey.id}
              passkey={passkey}
              remove={() => setAction({ remove: passkey.id })}
            />
          ))}
        </ul>
      )}
      {canUsePasskeys() ? (
        <Button variant="default" onClick={() => setAction('add')}>
          {t('passkeys.add')}
        </Button>
      ) : (
        <Text size="sm" c="dimmed">
          {t('passkeys.impossible')}
        </Text>
      )}
      <Suspense fallback={null}>
        {action && <PasskeyDialog action={action} close={() => setAction(undefined)} />}
      </Suspense>
    </>
  );
}

function Row({ passkey, remove }: { passkey: Passkey; remove: () => void }) {
  const t = useTexts('accounts');
  const { date, relative } = useFormats();
  const { id, name, created, last_used: used } = passkey;
  const rename = async () => {
    await promptInput({
      type: 'text',
      title: t('passkeys.rename'),
      label: t('passkeys.name'),
      value: name,
      maxLength: MAX_PASSKEY_NAME,
      confirm: t('passkeys.rename'),
      send: async (value) => {
        const body = { name: String(value) };
        await api('PATCH /client-api/api/passkeys/{id}', { params: { id }, body });
      },
    });
    await invalidate(PASSKEYS);
  };
  return (
    <li>
      <span>
        <bdi>{name}</bdi>
        <Text component="span" size="xs" c="dimmed">
          {used
            ? t('passkeys.used', { when: relative(used) })
            : t('passkeys.created', { when: date(created) })}
        </Text>
      </span>
      <RowMenu
        row={passkey}
        name={name}
        actions={[
          { label: t('passkeys.rename'), run: () => void rename() },
          { label: t('passkeys.remove'), isDanger: true, run: remove },
        ]}
      />
    </li>
  );
}
