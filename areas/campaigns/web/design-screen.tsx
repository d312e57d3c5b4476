// Step 2: opens the editor of the content; offers templates and other editors for an empty one, or
// on request (`?choose=1`).
import { Text } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { StepTrail } from '#areas/broadcasts/web/index.ts';
import { flag, useAddress } from '#platform/web/api/address.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { DocumentEditor, EditorChoice } from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import { emailOf, useComposing } from './composing.ts';
import classes from './design-screen.module.css';
import { stepPath } from './paths.ts';
import { touchesOf, useCampaign } from './queries.ts';
import { emailUi } from './ui.ts';

const address = { choose: flag() };
const PATHS = { html: 'custom_html', text: 'plain_text' } as const;
const sourcePath = (id: string, kind: keyof typeof PATHS) => `/html/${id}/${PATHS[kind]}`;

export default function DesignScreen() {
  const id = useParam('campaign');
  const [{ choose }] = useAddress(address);
  const campaign = useCampaign(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={4} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Redirect to={stepPath(id, 'review')} />;
  if (choose || data.editor === null) return <Choice campaign={data} />;
  if (data.editor !== 'editor') return <Redirect to={sourcePath(id, data.editor)} />;
  return <Design campaign={data} />;
}

function Design({ campaign }: { campaign: Campaign }) {
  const composing = useComposing(campaign);
  return (
    <Suspense fallback={<LoadingState rows={8} />}>
      <DocumentEditor composing={composing} />
    </Suspense>
  );
}

function Choice({ campaign }: { campaign: Campaign }) {
  const { id } = campaign;
  const navigate = useNavigate();
  return (
    <div className={classes.page}>
      <header className={classes.bar}>
        <Link to={stepPath(id, 'settings')} className={classes.back}>
          <IconArrowLeft size={18} stroke={1.75} className={classes.arrow} aria-hidden="true" />
          <Text component="h1" fw={600} truncate>
            <bdi>{campaign.title}</bdi>
          </Text>
        </Link>
        <StepTrail ui={emailUi} campaign={campaign} step="design" />
      </header>
      <div className={classes.content}>
        <Suspense fallback={<LoadingState rows={6} />}>
          <EditorChoice
            email={emailOf(id)}
            editor={campaign.editor}
            revision={campaign.revision}
            touches={touchesOf(id)}
            current={stepPath(id, 'design')}
            onTemplate={() => void navigate({ to: stepPath(id, 'design'), replace: true })}
            onOther={(kind) =>
              void navigate({ to: sourcePath(id, kind), search: { begin: '1' } as never })
            }
          />
        </Suspense>
      </div>
    </div>
  );
}
