// Step 2, the content of a draft in one of its editors. Sent content is shown in its review.
import { Text } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { StepTrail } from '#areas/broadcasts/web/index.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { ContentKind } from '../../content/shared.ts';
import { EmailComposer } from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import classes from './compose-email.module.css';
import { ComposeVariant } from './compose-variant.tsx';
import { useComposedEmail } from './composing.ts';
import { stepPath } from './paths.ts';
import { useCampaign } from './queries.ts';
import { emailUi } from './ui.ts';

/** The same screens compose the campaign and the variants of its experiment. */
export function ComposeEmail({ kind }: { kind: ContentKind }) {
  const { variant } = useParams({ strict: false }) as { variant?: string };
  return variant === undefined ? (
    <ComposeCampaign kind={kind} />
  ) : (
    <ComposeVariant key={variant} kind={kind} variantId={variant} />
  );
}

function ComposeCampaign({ kind }: { kind: ContentKind }) {
  const id = useParam('campaign');
  const campaign = useCampaign(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={8} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Redirect to={stepPath(id, 'review')} />;
  return <Draft kind={kind} campaign={data} />;
}

function Draft({ kind, campaign }: { kind: ContentKind; campaign: Campaign }) {
  return (
    <EmailComposer
      kind={kind}
      email={useComposedEmail(campaign)}
      frame={(choice) => (
        <div className={classes.page}>
          <header className={classes.bar}>
            <Link to={stepPath(campaign.id, 'settings')} className={classes.back}>
              <IconArrowLeft size={18} stroke={1.75} className={classes.arrow} aria-hidden="true" />
              <Text component="h1" fw={600} truncate>
                <bdi>{campaign.title}</bdi>
              </Text>
            </Link>
            <StepTrail ui={emailUi} campaign={campaign} step="design" />
          </header>
          <div className={classes.content}>{choice}</div>
        </div>
      )}
    />
  );
}
