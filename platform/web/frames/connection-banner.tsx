// One unobtrusive line while offline, and an offer to reload after a call without a response.
import { Button } from '@mantine/core';
import { IconCloudOff } from '@tabler/icons-react';
import { reloadNeeded } from '../errors/errors.ts';
import { reloadApp } from '../errors/new-version.tsx';
import { useOnline } from '../online.ts';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './frames.module.css';

export function ConnectionBanner() {
  const t = useTexts('platform');
  const isOnline = useOnline();
  const isReloadNeeded = useStore(reloadNeeded);
  if (isOnline && !isReloadNeeded) return null;
  return (
    <div className={classes.banner} role="status">
      <IconCloudOff size={18} stroke={1.75} aria-hidden="true" />
      <span>{t(isOnline ? 'connection.reloadNeeded' : 'connection.offline')}</span>
      {isOnline && (
        <Button size="compact-sm" variant="subtle" onClick={() => void reloadApp()}>
          {t('newVersion.reload')}
        </Button>
      )}
    </div>
  );
}
