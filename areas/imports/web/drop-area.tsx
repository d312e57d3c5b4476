// An area to drop or choose a file, built on a real file input.
import { Button, Progress, Text } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { type DragEvent, useId, useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FILE_EXTENSIONS } from '../shared.ts';
import classes from './drop-area.module.css';
import { useLargestFile } from './queries.ts';

const acceptedTypes = [
  ...FILE_EXTENSIONS.map((extension) => `.${extension}`),
  'text/csv',
  'text/plain',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
].join(',');

export interface DropAreaProps {
  isBusy: boolean;
  onFile: (file: File) => void;
}

export function DropArea({ isBusy, onFile }: DropAreaProps) {
  const t = useTexts('imports');
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const hint = useId();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file && !isBusy) onFile(file);
  };
  return (
    <div
      className={classes.area}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <IconFileSpreadsheet size={36} stroke={1.5} aria-hidden="true" />
      <Text fw={600}>{t('file.drop')}</Text>
      <input
        ref={input}
        type="file"
        accept={acceptedTypes}
        className={classes.input}
        aria-label={t('file.choose')}
        aria-describedby={hint}
        disabled={isBusy}
        tabIndex={-1}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) onFile(file);
          event.currentTarget.value = '';
        }}
      />
      <Button loading={isBusy} onClick={() => input.current?.click()}>
        {t('file.choose')}
      </Button>
      <Text id={hint} size="sm" c="dimmed">
        {t('file.hint', { megabytes: useLargestFile() })}
      </Text>
      {isBusy && (
        <Progress
          value={100}
          animated
          w="100%"
          maw={320}
          size="sm"
          aria-label={t('file.reading')}
        />
      )}
    </div>
  );
}
