// The button that exports selected subscribers; its dialog is loaded on opening.
import { Button, type ButtonProps } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';

const ExportDialog = lazyWithRetry(() => import('./export-dialog.tsx'));

/** The subscribers to export, selected in the same form as for bulk actions. */
export interface ExportChoice {
  subscribers?: string[];
  /** A filter's text. */
  conditions?: string;
  search?: string;
  all?: true;
}

export interface ExportButtonProps extends ButtonProps {
  choice: ExportChoice;
  /** Number of selected subscribers. */
  count: number;
}

export function ExportButton({ choice, count, ...button }: ExportButtonProps) {
  const t = useTexts('exports');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={18} stroke={1.75} />}
        {...button}
        onClick={() => setOpen(true)}
      >
        {t('action')}
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <ExportDialog choice={choice} count={count} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
