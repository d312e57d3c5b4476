// Attachments of an email, in the settings of its editor or behind a button.
import { Button, Stack, Text } from '@mantine/core';
import { IconPaperclip } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Sheet } from '#platform/web/ui/sheet.tsx';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { useTouch } from '#platform/web/hooks/use-touch.ts';
import classes from './attachments.module.css';
import { type AttachmentsProps, useAttachments } from './file-list.tsx';

const AttachmentList = lazyWithRetry(() => import('./attachment-list.tsx'));

/** List, upload and removal, loaded when opened. */
export const Attachments = (props: AttachmentsProps) => (
  <Suspense fallback={<LoadingState rows={2} />}>
    <AttachmentList {...props} />
  </Suspense>
);

/** Button for editors without a settings panel. */
export function AttachmentsButton({ email, saveContent }: AttachmentsProps) {
  const t = useTexts('composing');
  const { number } = useFormats();
  const isTouch = useTouch();
  const [isOpen, setOpen] = useState(false);
  const count = useAttachments(email).data?.data.length ?? 0;
  const title = t('attachments.title');
  const label = count > 0 ? `${title} (${number(count)})` : title;
  return (
    <Sheet
      isOpen={isOpen}
      onChange={setOpen}
      label={title}
      width={300}
      position="bottom-end"
      withinPortal
      target={
        <Button variant="default" px="xs" aria-label={label} title={label}>
          <IconPaperclip size={18} stroke={1.75} aria-hidden="true" />
          {count > 0 && <span className={classes.count}>{number(count)}</span>}
        </Button>
      }
    >
      <Stack gap="xs">
        {!isTouch && (
          <Text fw={600} size="sm">
            {title}
          </Text>
        )}
        <Attachments email={email} saveContent={saveContent} />
      </Stack>
    </Sheet>
  );
}
