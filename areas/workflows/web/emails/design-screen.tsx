// Opens the editor of a step's email; offers templates and the other editors without content, or on
// request (`?choose=1`).
import { Anchor, Box } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { flag, useAddress } from '#platform/web/api/address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { DocumentEditor, EditorChoice } from '../../../content/web/index.ts';
import type { Step } from '../../contract.ts';
import { dataOf } from '../paths.ts';
import { builderPath, emailPath, STEP_EMAILS } from '../queries.ts';
import { touchesOf, useComposing, useStepEmail } from './use-email.ts';

const address = { choose: flag() };

export default function DesignScreen() {
  const { id, workflow, step } = useStepEmail();
  const [{ choose }] = useAddress(address);
  if (workflow.isError && !workflow.data)
    return <FailedState error={workflow.error} retry={() => void workflow.refetch()} />;
  if (!workflow.data) return <LoadingState rows={4} />;
  if (step?.type !== 'EMAIL') return <Redirect to={builderPath(id)} />;
  if (choose || step.editor === null) return <Choice id={id} step={step} />;
  if (step.editor !== 'editor') return <Redirect to={emailPath(id, step.id, step.editor)} />;
  return <Design id={id} step={step} />;
}

function Design({ id, step }: { id: string; step: Step }) {
  const composing = useComposing(id, step);
  return (
    <Suspense fallback={<LoadingState rows={8} />}>
      <DocumentEditor composing={composing} />
    </Suspense>
  );
}

function Choice({ id, step }: { id: string; step: Step }) {
  const t = useTexts('workflows');
  const navigate = useNavigate();
  return (
    <Box p={{ base: 'md', sm: 'xl' }}>
      <Anchor component={Link} to={builderPath(id)} search={{ step: step.id } as never}>
        <bdi>{dataOf(step, 'EMAIL').subject || t('email.noSubject')}</bdi>
      </Anchor>
      <Suspense fallback={<LoadingState rows={6} />}>
        <EditorChoice
          email={{ base: STEP_EMAILS, id: step.id }}
          editor={step.editor}
          revision={step.revision}
          touches={touchesOf(step)}
          current={emailPath(id, step.id)}
          onTemplate={() => void navigate({ to: emailPath(id, step.id), replace: true })}
          onOther={(kind) =>
            void navigate({
              to: emailPath(id, step.id, kind),
              search: { begin: '1' } as never,
            })
          }
        />
      </Suspense>
    </Box>
  );
}
