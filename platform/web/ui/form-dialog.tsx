// A dialog with a close button in the user's language, and the buttons at the end of its form.
import { Button, Group, Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';

export function Dialog(props: ModalProps) {
  const t = useTexts('platform');
  return <Modal closeButtonProps={{ 'aria-label': t('dialog.close') }} {...props} />;
}

interface FormButtonsProps {
  close: () => void;
  isBusy: boolean;
  /** Text and content of the button that submits the form. */
  children: ReactNode;
}

export function FormButtons({ close, isBusy, children }: FormButtonsProps) {
  const t = useTexts('platform');
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={close}>
        {t('confirm.cancel')}
      </Button>
      <Button type="submit" loading={isBusy}>
        {children}
      </Button>
    </Group>
  );
}
