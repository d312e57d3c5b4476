// Step 2: the content of a draft in one of the editors. A campaign that is no longer a draft opens
// its review instead.
import { Text } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { DraftOnly, StepTrail } from '#areas/broadcasts/web/index.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
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
  return (
    <DraftOnly query={useCampaign(id)} reviewPath={stepPath(id, 'review')} rows={8}>
      {(campaign) => <Draft kind={kind} campaign={campaign} />}
    </DraftOnly>
  );
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
