// Guards the editors of custom HTML and plain text: content of the same editor opens immediately,
// and content of another editor is replaced only after a confirmation. `?begin=1` means that the
// user has already confirmed.
import { Button, Group } from '@mantine/core';
import { IconReplace } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { flag, useSearchParams } from '#platform/web/api/address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { ContentKind } from '../../shared.ts';
import type { EditorKind } from './use-content.ts';

const address = { begin: flag() };

export interface EditorGuardProps {
  kind: EditorKind;
  /** Editor of the existing content. */
  editor: ContentKind | null;
  /** Path that opens the other editor. */
  otherEditorPath: string;
  /** Receives whether content of another editor may be replaced. */
  children: (mayReplace: boolean) => ReactNode;
}

export function EditorGuard({ kind, editor, otherEditorPath, children }: EditorGuardProps) {
  const t = useTexts('composing');
  const [{ begin: start }, setAddress] = useSearchParams(address);
  const [mayReplace, setReplace] = useState(start);
  // Removes the parameter, so that a bookmarked or shared URL requires a new confirmation.
  useEffect(() => {
    if (start) setAddress({ begin: false }, { replace: true });
  }, [start, setAddress]);
  if (editor === null || editor === kind || mayReplace) return children(mayReplace);
  const editorName = t(`editor.${editor}`);
  return (
    <EmptyState
      isPage
      icon={IconReplace}
      title={t('switch.hint', { editor: editorName })}
      action={
        <Group justify="center">
          <Button component={Link} to={otherEditorPath}>
            {t('switch.open', { editor: editorName })}
          </Button>
          <Button variant="default" onClick={() => setReplace(true)}>
            {t('switch.begin', { editor: t(`editor.${kind}`) })}
          </Button>
        </Group>
      }
    >
      {t('switch.message', { editor: t(`editor.${kind}`) })}
    </EmptyState>
  );
}
