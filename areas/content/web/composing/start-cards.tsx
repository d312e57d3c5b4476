// Cards of the template gallery that start a custom HTML or plain text email.
import { Text, UnstyledButton } from '@mantine/core';
import { IconCode, IconFileText } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './editor-choice.module.css';
import type { EditorKind } from './use-content.ts';

const OTHER_EDITORS = [
  { kind: 'html', icon: IconCode },
  { kind: 'text', icon: IconFileText },
] as const;

export default function OtherStartCards({ onOpen }: { onOpen: (kind: EditorKind) => void }) {
  const t = useTexts('composing');
  return OTHER_EDITORS.map(({ kind, icon: Icon }) => (
    <UnstyledButton key={kind} className={classes.choice} onClick={() => onOpen(kind)}>
      <Icon size={22} stroke={1.5} aria-hidden="true" />
      <span>
        <Text component="span" display="block" fw={600}>
          {t(`editor.${kind}`)}
        </Text>
        <Text component="span" display="block" size="sm" c="dimmed">
          {t(`editor.${kind}Hint`)}
        </Text>
      </span>
    </UnstyledButton>
  ));
}
