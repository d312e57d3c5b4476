// The menu of the whole workflow: comments, forecast, settings, versions and the report.
import { ActionIcon } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ChoiceMenu } from '#platform/web/ui/choice-menu.tsx';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { buildReportPath } from './queries.ts';
import { useBuilder } from './use-builder.ts';

const PANELS = {
  comments: lazyWithRetry(() => import('./tools/comments-panel.tsx')),
  settings: lazyWithRetry(() => import('./tools/settings-panel.tsx')),
  forecast: lazyWithRetry(() => import('./tools/forecast-panel.tsx')),
  versions: lazyWithRetry(() => import('./tools/versions-panel.tsx')),
};
type PanelName = keyof typeof PANELS;
const NAMES = ['comments', 'forecast', 'settings', 'versions'] as const;

export function ToolsMenu() {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const navigate = useNavigate();
  const [shown, setShown] = useState<PanelName>();
  const OpenPanel = shown && PANELS[shown];
  const close = () => setShown(undefined);
  return (
    <>
      <ChoiceMenu
        label={t('tools.title')}
        width={220}
        position="bottom-end"
        target={
          <ActionIcon variant="default" size={36} aria-label={t('tools.title')}>
            <IconDots size={18} stroke={1.75} />
          </ActionIcon>
        }
        groups={[
          {
            choices: [
              ...NAMES.map((name) => ({
                key: name,
                label: t(`tools.${name}`),
                choose: () => setShown(name),
              })),
              {
                key: 'report',
                label: t('acts.report'),
                choose: () => void navigate({ to: buildReportPath(workflow.id) }),
              },
            ],
          },
        ]}
      />
      <Dialog
        opened={shown !== undefined}
        onClose={close}
        size="lg"
        title={shown && t(`tools.${shown}`)}
      >
        {OpenPanel && (
          <Suspense fallback={<LoadingState rows={4} />}>
            <OpenPanel close={close} />
          </Suspense>
        )}
      </Dialog>
    </>
  );
}
