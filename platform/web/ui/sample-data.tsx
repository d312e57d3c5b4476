// Indicates on every screen of a sample account that its subscribers are invented, and offers to
// switch to the user's own account or remove the sample account.
import { Button } from '@mantine/core';
import { IconTeapot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { http } from '../api/http.ts';
import { failure } from '../errors/notices.tsx';
import {
  removeSampleAccount,
  sessionQuery,
  switchAccount,
  USERS_PATH,
} from '../session/session.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './test-mode.module.css';

export function SampleBanner() {
  const isSample = useQuery(sessionQuery).data?.account.is_sample === true;
  return isSample ? <Banner /> : null;
}

interface OwnAccount {
  id: string;
  is_current: boolean;
}

const accountsPath = `${USERS_PATH}/accounts`;

function Banner() {
  const t = useTexts('platform');
  const [isBusy, setBusy] = useState(false);
  const { data: accounts = [] } = useQuery({
    queryKey: accountsPath.split('/').filter(Boolean),
    queryFn: async ({ signal }) =>
      (await http<{ data: OwnAccount[] }>('GET', accountsPath, { signal })).data,
  });
  const ownAccount = accounts.find((account) => !account.is_current);
  const remove = async () => {
    setBusy(true);
    try {
      await removeSampleAccount();
    } catch {
      setBusy(false);
      failure(t('sample.removeFailed'));
    }
  };
  return (
    <aside className={classes.banner} aria-label={t('sample.title')}>
      <IconTeapot size={16} stroke={1.75} aria-hidden="true" />
      <span>
        <strong>{t('sample.title')}</strong> · {t('sample.text')}
      </span>
      <span className={classes.actions}>
        {ownAccount && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={isBusy}
            onClick={() => void switchAccount(ownAccount.id)}
          >
            {t('sample.back')}
          </Button>
        )}
        <Button size="compact-sm" variant="default" loading={isBusy} onClick={() => void remove()}>
          {t('sample.remove')}
        </Button>
      </span>
    </aside>
  );
}
