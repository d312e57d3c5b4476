// The navigation of small windows: a sheet from the start side, loaded on first use.
import { Drawer } from '@mantine/core';
import { useTexts } from '../texts/texts.ts';
import classes from './frames.module.css';
import { Navigation } from './navigation.tsx';
import { useOpened } from '../hooks/use-opened.ts';

export default function NavigationSheet({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const t = useTexts('platform');
  return (
    <Drawer
      opened={useOpened(isOpen)}
      onClose={close}
      size={280}
      padding={0}
      withCloseButton={false}
      classNames={{ body: classes.sheetBody }}
      attributes={{ content: { 'aria-label': t('shell.navigation') } }}
    >
      <Navigation />
    </Drawer>
  );
}
