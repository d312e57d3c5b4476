// Adapts the email of a step to the content editors.
import { useNavigate } from '@tanstack/react-router';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ComposedEmail } from '../../../content/web/index.ts';
import type { WorkflowStep } from '../../contract.ts';
import { getStepData } from '../paths.ts';
import { builderPath, buildEmailPath, LIST_PATH, STEP_EMAILS, useWorkflow } from '../queries.ts';

/**
 * Returns the workflow and the step in the URL; the step is undefined while the workflow loads and
 * once the step is removed.
 */
export function useStepEmail() {
  const id = useParam('workflow');
  const stepId = useParam('step');
  const workflow = useWorkflow(id);
  return { id, workflow, step: workflow.data?.data.steps.find((step) => step.id === stepId) };
}

export function useComposedEmail(workflowId: string, step: WorkflowStep): ComposedEmail {
  const t = useTexts('workflows');
  const navigate = useNavigate();
  const { subject, from_name } = getStepData(step, 'EMAIL');
  const builder = `${builderPath(workflowId)}?step=${step.id}`;
  const leave = () => void navigate({ to: builderPath(workflowId), search: { step: step.id } });
  return {
    basePath: STEP_EMAILS,
    id: step.id,
    name: `workflow-step:${step.id}`,
    title: subject || t('email.noSubject'),
    back: { to: builder, label: t('builder.title') },
    next: { label: t('email.done'), onClick: leave },
    invalidatedPaths: [LIST_PATH, `${STEP_EMAILS}/${step.id}`],
    company: from_name ?? '',
    language: null,
    settingsPath: builder,
    comments: { basePath: LIST_PATH, id: workflowId },
    editor: step.editor,
    revision: step.revision,
    buildEditorPath: (kind) => buildEmailPath(workflowId, step.id, kind),
  };
}
