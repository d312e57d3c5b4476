// A menu of merge tags to insert at the cursor: the subscriber's data, fields, and values of the
// email itself.
import { Button } from '@mantine/core';
import { IconBraces } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ChoiceMenu } from '#platform/web/ui/choice-menu.tsx';
import type { MergeTag } from './editing-context.ts';

const KINDS = ['person', 'field', 'variable', 'system'] as const;

/** Whether the tag has a value for every subscriber, so that it needs no fallback. */
export const isAlwaysThere = ({ kind, name, isRequired }: MergeTag) =>
  kind === 'system' || name === 'email' || isRequired === true;

export function TagMenu({
  mergeTags,
  onInsert,
}: {
  mergeTags: readonly MergeTag[];
  /** Called with the tag in its text form, such as `{{firstname}}`. */
  onInsert: (raw: string, tag: MergeTag) => void;
}) {
  const t = useTexts('editing');
  if (mergeTags.length === 0) return null;
  const tagText = (tag: MergeTag) =>
    isAlwaysThere(tag) ? `{{${tag.name}}}` : `{{${tag.name} | default: ""}}`;
  return (
    <ChoiceMenu
      label={t('words.tag')}
      position="bottom-end"
      groups={KINDS.map((kind) => ({
        title: t(`tagKinds.${kind}`),
        choices: mergeTags
          .filter((tag) => tag.kind === kind)
          .map((tag) => ({
            key: tag.name,
            label: tag.title,
            choose: () => onInsert(tagText(tag), tag),
          })),
      }))}
      target={
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconBraces size={16} stroke={1.75} />}
          onMouseDown={(event) => event.preventDefault()}
        >
          {t('words.tag')}
        </Button>
      }
    />
  );
}
