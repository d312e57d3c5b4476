// Edits the own content of an experiment's variant in one of the editors.
import { Text } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { getVariantLetter, useExperiment } from '#areas/broadcasts/web/index.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { ContentKind } from '../../content/shared.ts';
import { type ComposedEmail, EmailComposer } from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import classes from './compose-email.module.css';
import { getEmailPath } from './composing.ts';
import { experimentPath, stepPath, variantPath } from './paths.ts';
import { listAffectedQueries, useCampaign, VARIANTS, variantApi } from './queries.ts';
import { emailUi } from './ui.ts';

const SOURCE_PATHS = { html: 'custom_html', text: 'plain_text' } as const;

export function ComposeVariant({ kind, variantId }: { kind: ContentKind; variantId: string }) {
  const id = useParam('campaign');
  const campaign = useCampaign(id);
  const experiment = useExperiment(emailUi, id);
  const content = useQuery(
    variantApi.query('GET /client-api/api/campaign-variants/{id}/content', {
      params: { id: variantId },
    }),
  );
  const error = campaign.error ?? experiment.error ?? content.error;
  if (!campaign.data || !experiment.data || !content.data) {
    const queries = [campaign, experiment, content];
    const retry = () => {
      for (const query of queries) if (query.isError) void query.refetch();
    };
    return error ? <FailedState error={error} retry={retry} /> : <LoadingState rows={8} />;
  }
  const { data } = campaign.data;
  const variant = experiment.data.data.variants.find((variant) => variant.id === variantId);
  if (data.status !== 'DRAFT' || !variant) return <Redirect to={stepPath(id, 'review')} />;
  const { revision } = content.data.data;
  return (
    <Editor
      kind={kind}
      campaign={data}
      variant={{ id: variantId, number: variant.number, editor: variant.editor ?? null, revision }}
    />
  );
}

interface EditorProps {
  kind: ContentKind;
  campaign: Campaign;
  variant: { id: string; number: number; editor: ContentKind | null; revision: number };
}

function Editor({ kind, campaign, variant }: EditorProps) {
  const t = useTexts('campaigns');
  const navigate = useNavigate();
  const { id } = campaign;
  const title = `${campaign.title} · ${getVariantLetter(variant.number)}`;
  const backLink = { to: experimentPath(id), label: t('steps.back') };
  const email: ComposedEmail = {
    basePath: VARIANTS,
    id: variant.id,
    name: `variant:${variant.id}`,
    title,
    back: backLink,
    next: { label: t('saveAndContinue'), onClick: () => void navigate({ to: backLink.to }) },
    invalidatedPaths: [`${VARIANTS}/${variant.id}`, ...listAffectedQueries(id)],
    company: campaign.from_name,
    language: campaign.language,
    settingsPath: experimentPath(id),
    comments: getEmailPath(id),
    editor: variant.editor,
    revision: variant.revision,
    buildEditorPath: (editor) =>
      variantPath(id, variant.id, editor === 'editor' ? 'editor' : SOURCE_PATHS[editor]),
  };
  return (
    <EmailComposer
      kind={kind}
      email={email}
      frame={(choice) => (
        <div className={classes.page}>
          <header className={classes.bar}>
            <Link to={backLink.to} className={classes.back}>
              <IconArrowLeft size={18} stroke={1.75} className={classes.arrow} aria-hidden="true" />
              <Text component="h1" fw={600} truncate>
                <bdi>{title}</bdi>
              </Text>
            </Link>
          </header>
          <div className={classes.content}>{choice}</div>
        </div>
      )}
    />
  );
}
