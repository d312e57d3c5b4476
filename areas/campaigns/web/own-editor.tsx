// An editor of custom content on a draft: its own content opens at once; what another editor made is
// not touched before the author was asked. Who has been asked already comes with `?begin=1`.
import { Button, Group } from '@mantine/core';
import { IconReplace } from '@tabler/icons-react';
import { Link, Navigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { flag, useAddress } from '#platform/web/address.ts';
import { useTexts } from '#platform/web/texts.ts';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { stepPath } from './paths.ts';
import { useCampaign } from './queries.ts';
import type { EditorKind } from './use-content.ts';

const address = { begin: flag() };

export interface OwnEditorProps {
  id: string;
  kind: EditorKind;
  /** Told whether content of another editor may be replaced. */
  children: (mayReplace: boolean) => ReactNode;
}

export function OwnEditor({ id, kind, children }: OwnEditorProps) {
  const t = useTexts('campaigns');
  const [{ begin }, setAddress] = useAddress(address);
  const [mayReplace, setReplace] = useState(begin);
  // An address that is kept or handed on asks again.
  useEffect(() => {
    if (begin) setAddress({ begin: false }, { replace: true });
  }, [begin, setAddress]);
  const campaign = useCampaign(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={8} />;
  const { editor, status } = campaign.data.data;
  if (status !== 'DRAFT') return <Navigate to={stepPath(id, 'review')} replace />;
  if (editor === null || editor === kind || mayReplace) return children(mayReplace);
  const made = t(`editor.${editor}`);
  return (
    <EmptyState
      isPage
      icon={IconReplace}
      title={t('switch.hint', { editor: made })}
      action={
        <Group justify="center">
          <Button component={Link} to={stepPath(id, 'design')}>
            {t('switch.open', { editor: made })}
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
