// The text field of an SMS, with merge tags and emoji inserted at the caret, and the resulting
// length.
import { ActionIcon, Group, Text, Textarea } from '@mantine/core';
import { IconBraces } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { MAX_PARTS } from '#areas/content/text-parts.ts';
import { client } from '#platform/web/api/api.ts';
import { EmojiMenu } from '#platform/web/editing/emoji-menu.tsx';
import { useCaretInsert } from '#platform/web/editing/use-caret-insert.ts';
import { ChoiceMenu } from '#platform/web/ui/choice-menu.tsx';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { calls as fieldCalls } from '../../../fields/contract.ts';
import type { SmsPreview } from '../../contract.ts';
import { MAX_TEXT_LENGTH } from '../../shared.ts';
import classes from '../sms.module.css';

const fields = client<typeof fieldCalls>();

interface MessageFieldProps {
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  error?: React.ReactNode;
  /** The preview of the copy with the most parts; undefined until it is known. */
  longestPreview: SmsPreview | undefined;
}

export function MessageField({
  value,
  onChange,
  onBlur,
  error,
  longestPreview,
}: MessageFieldProps) {
  const t = useTexts('sms');
  const { field, insert } = useCaretInsert<HTMLTextAreaElement>(value, onChange);
  return (
    <div>
      <Textarea
        ref={field}
        label={t('fields.text')}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={onBlur}
        error={error}
        maxLength={MAX_TEXT_LENGTH}
        autosize
        minRows={4}
        maxRows={12}
        required
        dir="auto"
      />
      <Group justify="space-between" mt={4} gap="xs">
        <Counter longestPreview={longestPreview} />
        <Group gap={4}>
          <Tags insert={insert} />
          <EmojiMenu label={t('fields.emoji')} onInsert={insert} />
        </Group>
      </Group>
    </div>
  );
}

function Counter({ longestPreview }: { longestPreview: SmsPreview | undefined }) {
  const t = useTexts('sms');
  const { number } = useFormats();
  if (!longestPreview) return <span />;
  const { units, left, parts, encoding, person } = longestPreview;
  const isTooLong = parts > MAX_PARTS;
  return (
    <Text
      component="div"
      size="xs"
      c={isTooLong ? 'danger' : 'dimmed'}
      className={classes.counter}
      aria-live="polite"
    >
      <span>{t('counter.characters', { used: `${number(units)}/${number(units + left)}` })}</span>
      {parts > 1 && person ? (
        <span>{t('counter.worst', { total: number(parts), name: person.name })}</span>
      ) : (
        <span>{t('counter.parts', { count: parts, total: number(parts) })}</span>
      )}
      {encoding === 'UCS-2' && <span>{t('counter.unicode')}</span>}
      {isTooLong && <span>{t('counter.tooLong', { most: number(MAX_PARTS) })}</span>}
    </Text>
  );
}

function Tags({ insert }: { insert: (insertion: string) => void }) {
  const t = useTexts('sms');
  const customFields = useQuery(
    fields.query('GET /client-api/api/fields', { query: { no_paginate: '1' } }),
  );
  const nameTags = (['firstname', 'lastname'] as const).map((name) => ({
    name,
    title: t(`fields.${name}`),
  }));
  return (
    <ChoiceMenu
      label={t('fields.tag')}
      withinPortal
      target={
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t('fields.tag')}
          title={t('fields.tag')}
        >
          <IconBraces size={18} stroke={1.75} />
        </ActionIcon>
      }
      groups={[
        {
          choices: [...nameTags, ...(customFields.data?.data ?? [])].map(({ name, title }) => ({
            key: name,
            label: title,
            choose: () => insert(`{{${name}}}`),
          })),
        },
      ]}
    />
  );
}
