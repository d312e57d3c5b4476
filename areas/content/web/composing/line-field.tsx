// One line of an email's envelope, with insertion of merge tags and emoji at the caret.
import { ActionIcon, Group, TextInput, type TextInputProps } from '@mantine/core';
import { IconBraces } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import { EmojiMenu } from '#platform/web/editing/emoji-menu.tsx';
import { useCaretInsert } from '#platform/web/editing/use-caret-insert.ts';
import { ChoiceMenu } from '#platform/web/ui/choice-menu.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { calls as fieldCalls } from '../../../fields/contract.ts';
import classes from './inbox-row.module.css';

const fields = client<typeof fieldCalls>();
const BUTTON_WIDTH_PX = 32;

/** Result of a form's `getInputProps`. */
interface Bound {
  value?: string;
  onChange?: (value: string) => void;
}

export function LineField({ inputProps, ...rest }: TextInputProps & { inputProps: object }) {
  const t = useTexts('composing');
  const { value = '', onChange } = inputProps as Bound;
  const { field, insert } = useCaretInsert<HTMLInputElement>(
    value,
    (written) => onChange?.(written),
    rest.maxLength,
  );
  return (
    <TextInput
      dir="auto"
      {...rest}
      {...inputProps}
      ref={field}
      // Places the tools beside the text instead of over it, in both writing directions.
      inputContainer={(line) => (
        <Group gap={4} wrap="nowrap">
          <div className={classes.line}>{line}</div>
          <Tags insert={insert} />
          <EmojiMenu size={BUTTON_WIDTH_PX} label={t('envelope.emoji')} onInsert={insert} />
        </Group>
      )}
    />
  );
}

/**
 * Menu of merge tags. They are inserted with an empty fallback: recipients without the value get
 * nothing until the author writes a fallback between the quotes.
 */
function Tags({ insert }: { insert: (text: string) => void }) {
  const t = useTexts('composing');
  const accountFields = useQuery(
    fields.query('GET /client-api/api/fields', { query: { no_paginate: '1' } }),
  );
  const nameTags = (['firstname', 'lastname'] as const).map((name) => ({
    name,
    title: t(`tags.${name}`),
  }));
  return (
    <ChoiceMenu
      label={t('envelope.tag')}
      position="bottom-end"
      withinPortal
      target={
        <ActionIcon
          variant="subtle"
          color="gray"
          size={BUTTON_WIDTH_PX}
          aria-label={t('envelope.tag')}
          title={t('envelope.tag')}
        >
          <IconBraces size={18} stroke={1.75} />
        </ActionIcon>
      }
      groups={[
        {
          choices: [...nameTags, ...(accountFields.data?.data ?? [])].map(({ name, title }) => ({
            key: name,
            label: title,
            choose: () => insert(`{{${name} | default: ""}}`),
          })),
        },
      ]}
    />
  );
}
