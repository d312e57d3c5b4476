// Step 2: opens the editor that made the content; offers the choice while there is none, or when
// the author asks for another one (`?choose=1`).
import { Alert, SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import { IconCode, IconFileText } from '@tabler/icons-react';
import { Navigate, useNavigate } from '@tanstack/react-router';
import { flag, useAddress } from '#platform/web/address.ts';
import { useTexts } from '#platform/web/texts.ts';
import { useParam } from '#platform/web/use-param.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import classes from './design-screen.module.css';
import { stepPath } from './paths.ts';
import { useCampaign } from './queries.ts';
import { StepPage } from './steps.tsx';

const address = { choose: flag() };
const EDITORS = [
  { kind: 'html', icon: IconCode, path: 'custom_html' },
  { kind: 'text', icon: IconFileText, path: 'plain_text' },
] as const;

export default function DesignScreen() {
  const t = useTexts('campaigns');
  const id = useParam('campaign');
  const navigate = useNavigate();
  const [{ choose }] = useAddress(address);
  const campaign = useCampaign(id);
  if (campaign.error) return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={4} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Navigate to={stepPath(id, 'review')} replace />;
  const maker = EDITORS.find(({ kind }) => kind === data.editor);
  if (maker && !choose) return <Navigate to={`/html/${id}/${maker.path}`} replace />;
  const open = async (editor: (typeof EDITORS)[number]) => {
    const isSwitch = data.editor !== null && data.editor !== editor.kind;
    const isSure =
      !isSwitch ||
      (await confirm({
        title: t('switch.title'),
        message: t('switch.message', { editor: t(`editor.${editor.kind}`) }),
        confirm: t('switch.confirm'),
      }));
    if (isSure) await navigate({ to: `/html/${id}/${editor.path}` });
  };
  return (
    <StepPage campaign={data} step="design">
      {data.editor !== null && (
        <Alert mb="md">{t('switch.hint', { editor: t(`editor.${data.editor}`) })}</Alert>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" maw={820}>
        {EDITORS.map((editor) => (
          <UnstyledButton
            key={editor.kind}
            className={classes.choice}
            onClick={() => void open(editor)}
          >
            <editor.icon size={28} stroke={1.5} aria-hidden="true" />
            <Text component="span" fw={600}>
              {t(`editor.${editor.kind}`)}
            </Text>
            <Text component="span" size="sm" c="dimmed">
              {t(`editor.${editor.kind}Hint`)}
            </Text>
          </UnstyledButton>
        ))}
      </SimpleGrid>
    </StepPage>
  );
}
