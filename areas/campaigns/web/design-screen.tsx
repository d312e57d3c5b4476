// Step 2: opens the editor that made the content; offers templates and the other editors while there is
// none, or when the author asks for another one (`?choose=1`).
import { Alert, Text, UnstyledButton } from '@mantine/core';
import { IconArrowLeft, IconCode, IconFileText } from '@tabler/icons-react';
import { Link, Navigate, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { flag, useAddress } from '#platform/web/address.ts';
import { touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { useParam } from '#platform/web/use-param.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { EmailDocument } from '../../content/document.ts';
import { TemplateGallery } from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import classes from './design-screen.module.css';
import { stepPath } from './paths.ts';
import { api, touchesOf, useCampaign } from './queries.ts';
import { StepTrail } from './steps.tsx';

const DocumentScreen = lazy(async () => ({
  default: (await import('./document-screen.tsx')).DocumentScreen,
}));

const address = { choose: flag() };
const OTHERS = [
  { kind: 'html', icon: IconCode, path: 'custom_html' },
  { kind: 'text', icon: IconFileText, path: 'plain_text' },
] as const;
type Kind = 'editor' | (typeof OTHERS)[number]['kind'];

export default function DesignScreen() {
  const id = useParam('campaign');
  const [{ choose }] = useAddress(address);
  const campaign = useCampaign(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={4} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Navigate to={stepPath(id, 'review')} replace />;
  if (choose || data.editor === null) return <Choice campaign={data} />;
  const maker = OTHERS.find(({ kind }) => kind === data.editor);
  if (maker) return <Navigate to={`/html/${id}/${maker.path}`} replace />;
  return (
    <Suspense fallback={<LoadingState rows={8} />}>
      <DocumentScreen campaign={data} />
    </Suspense>
  );
}

/** What is there now would be replaced: asks, naming what takes its place. */
function useSure(campaign: Campaign) {
  const t = useTexts('campaigns');
  return async (kind: Kind): Promise<boolean> => {
    if (campaign.editor === null || (campaign.editor === kind && kind !== 'editor')) return true;
    const isSame = campaign.editor === kind;
    return confirm({
      title: t(isSame ? 'switch.templateTitle' : 'switch.title'),
      message: t(isSame ? 'switch.templateMessage' : 'switch.message', {
        editor: t(`editor.${kind}`),
      }),
      confirm: t(isSame ? 'switch.templateConfirm' : 'switch.confirm'),
    });
  };
}

function Choice({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { id } = campaign;
  const navigate = useNavigate();
  const isSure = useSure(campaign);
  const begin = async (document: EmailDocument) => {
    if (!(await isSure('editor'))) return;
    await api('PUT /client-api/api/campaigns/{id}/content', {
      params: { id },
      body: { revision: campaign.revision, editor: 'editor', document, confirm_switch: true },
    });
    await touch(...touchesOf(id));
    await navigate({ to: stepPath(id, 'design'), replace: true });
  };
  const open = async ({ kind, path }: (typeof OTHERS)[number]) => {
    if (!(await isSure(kind))) return;
    await navigate({ to: `/html/${id}/${path}`, search: { begin: '1' } as never });
  };
  return (
    <div className={classes.page}>
      <header className={classes.bar}>
        <Link to={stepPath(id, 'settings')} className={classes.back}>
          <IconArrowLeft size={18} stroke={1.75} className={classes.arrow} aria-hidden="true" />
          <Text component="h1" fw={600} truncate>
            <bdi>{campaign.title}</bdi>
          </Text>
        </Link>
        <StepTrail campaign={campaign} step="design" />
      </header>
      <div className={classes.content}>
        {campaign.editor !== null && (
          <Alert mb="md">
            {t('switch.hint', { editor: t(`editor.${campaign.editor}`) })}{' '}
            <Link to={stepPath(id, 'design')}>{t('switch.back')}</Link>
          </Alert>
        )}
        <Suspense fallback={<LoadingState rows={6} />}>
          <TemplateGallery
            onChoose={begin}
            others={OTHERS.map((editor) => (
              <UnstyledButton
                key={editor.kind}
                className={classes.choice}
                onClick={() => void open(editor)}
              >
                <editor.icon size={22} stroke={1.5} aria-hidden="true" />
                <span>
                  <Text component="span" display="block" fw={600}>
                    {t(`editor.${editor.kind}`)}
                  </Text>
                  <Text component="span" display="block" size="sm" c="dimmed">
                    {t(`editor.${editor.kind}Hint`)}
                  </Text>
                </span>
              </UnstyledButton>
            ))}
          />
        </Suspense>
      </div>
    </div>
  );
}
