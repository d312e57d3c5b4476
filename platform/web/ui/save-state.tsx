// Shows an editor's save state: Saving, Saved (with the time), Unsaved changes, Not saved (after a
// failure), or Offline.
import { Text } from '@mantine/core';
import { IconCheck, IconCloudOff, IconLoader2, IconAlertTriangle } from '@tabler/icons-react';
import { useFormats } from '../texts/formats.ts';
import { useOnline } from '../online.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './save-state.module.css';

export type Saving = 'saving' | 'saved' | 'unsaved' | 'failed';

const icons = {
  saving: IconLoader2,
  saved: IconCheck,
  unsaved: null,
  failed: IconAlertTriangle,
  offline: IconCloudOff,
};

export function SaveState({ state, at: savedAt }: { state: Saving; at?: Date | undefined }) {
  const t = useTexts('platform');
  const { time } = useFormats();
  const isOnline = useOnline();
  const shownState = isOnline || state === 'saved' ? state : 'offline';
  const Icon = icons[shownState];
  return (
    <Text
      component="span"
      size="sm"
      c={shownState === 'failed' ? 'danger' : 'dimmed'}
      className={classes.state}
      role="status"
    >
      {Icon && (
        <Icon
          size={16}
          stroke={1.75}
          aria-hidden="true"
          className={shownState === 'saving' ? classes.turning : undefined}
        />
      )}
      {shownState === 'saved' && savedAt
        ? t('saving.savedAt', { time: time(savedAt) })
        : t(`saving.${shownState}`)}
    </Text>
  );
}
