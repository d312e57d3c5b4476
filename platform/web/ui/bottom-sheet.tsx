// A bottom sheet as high as its content: the touch variant of overlays.
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import classes from './bottom-sheet.module.css';

export interface BottomSheetProps {
  isOpen: boolean;
  close: () => void;
  title: string;
  children: ReactNode;
}

export function BottomSheet({ isOpen, close, title, children }: BottomSheetProps) {
  const t = useTexts('platform');
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      position="bottom"
      size="auto"
      title={title}
      classNames={{ content: classes.content }}
      closeButtonProps={{ 'aria-label': t('dialog.close'), size: 44, iconSize: 20 }}
    >
      {children}
    </Drawer>
  );
}
