// The email of a step in one of the email editors.
import { Anchor, Box } from '@mantine/core';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { ScreenLink } from '#platform/web/ui/screen-link.tsx';
import type { ContentKind } from '../../../content/shared.ts';
import { EmailComposer } from '../../../content/web/index.ts';
import type { WorkflowStep } from '../../contract.ts';
import { builderPath } from '../queries.ts';
import { useComposedEmail, useStepEmail } from './use-email.ts';

export function ComposeEmail({ kind }: { kind: ContentKind }) {
  const { id, workflow, step } = useStepEmail();
  if (workflow.isError && !workflow.data)
    return <FailedState error={workflow.error} retry={() => void workflow.refetch()} />;
  if (!workflow.data) return <LoadingState rows={8} />;
  if (step?.type !== 'EMAIL') return <Redirect to={builderPath(id)} />;
  return <StepEmailComposer kind={kind} id={id} step={step} />;
}

function StepEmailComposer({
  kind,
  id,
  step,
}: {
  kind: ContentKind;
  id: string;
  step: WorkflowStep;
}) {
  const email = useComposedEmail(id, step);
  return (
    <EmailComposer
      kind={kind}
      email={email}
      frame={(choice) => (
        <Box p={{ base: 'md', sm: 'xl' }}>
          <Anchor component={ScreenLink} to={builderPath(id)} search={{ step: step.id }}>
            <bdi>{email.title}</bdi>
          </Anchor>
          {choice}
        </Box>
      )}
    />
  );
}
